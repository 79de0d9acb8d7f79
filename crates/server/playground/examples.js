// Constraints to begin with.

const schema = (value) => JSON.stringify(value, null, 2);

export const EXAMPLES = {
  json_schema: [
    {
      name: "A person",
      prompt: "Describe a person who lives by the sea.",
      source: schema({
        type: "object",
        properties: {
          name: { type: "string", minLength: 2, maxLength: 30 },
          age: { type: "integer", minimum: 0, maximum: 120 },
          email: { type: "string", format: "email" },
          likes: { type: "array", items: { enum: ["boats", "books", "birds", "bread"] }, minItems: 1, maxItems: 3, uniqueItems: true },
        },
        required: ["name", "age", "likes"],
        additionalProperties: false,
      }),
    },
    {
      name: "A bill",
      prompt: "Write a bill for two coffees and a cake.",
      source: schema({
        type: "object",
        properties: {
          date: { type: "string", format: "date" },
          currency: { enum: ["EUR", "USD", "JPY"] },
          items: {
            type: "array",
            items: {
              type: "object",
              properties: {
                what: { type: "string", maxLength: 20 },
                count: { type: "integer", minimum: 1, maximum: 9 },
                price: { type: "number", minimum: 0, maximum: 99, multipleOf: 0.01 },
              },
              required: ["what", "count", "price"],
              additionalProperties: false,
            },
            minItems: 1,
            maxItems: 3,
          },
        },
        required: ["date", "currency", "items"],
        additionalProperties: false,
      }),
    },
    {
      name: "A tree",
      prompt: "Draw up the family tree of a royal house.",
      source: schema({
        $ref: "#/$defs/person",
        $defs: {
          person: {
            type: "object",
            properties: {
              name: { type: "string", pattern: "^[A-Z][a-z]+( [IVX]+)?$" },
              children: { type: "array", items: { $ref: "#/$defs/person" }, maxItems: 2 },
            },
            required: ["name", "children"],
            additionalProperties: false,
          },
        },
      }),
    },
  ],
  regex: [
    { name: "A date", prompt: "When did the first human walk on the Moon?", source: "(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])" },
    { name: "No letter e", prompt: "Write a sentence about a cat.", source: "(?!.*[eE])[A-Z][a-z ,]{20,60}\\." },
  ],
  grammar: [
    {
      name: "Arithmetic",
      prompt: "Write a sum that gives 42.",
      source: 'root   ::= sum " = " number\nsum    ::= term (" " [-+] " " term){1,3}\nterm   ::= factor (" * " factor)?\nfactor ::= number | "(" sum ")"\nnumber ::= [1-9] [0-9]{0,2}\n',
    },
    {
      name: "A list",
      prompt: "What do I need to bake bread?",
      source: 'root ::= "You need:\\n" item{2,5}\nitem ::= "- " [a-z]+ (" " [a-z]+){0,2} "\\n"\n',
    },
  ],
  choice: [{ name: "A feeling", prompt: "How does this sound: “I waited for two hours and the soup was cold.”", source: "delighted\nindifferent\ndisappointed\nangry" }],
  none: [{ name: "Free text", prompt: "Say hello.", source: "" }],
};
