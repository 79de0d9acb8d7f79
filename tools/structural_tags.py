"""Writes the data that the tests of structural tags are held against (crates/structural-tag/tests/data).

What is written are answers of xgrammar 0.2.8 and of vLLM's registry of structural tags, both Apache-2.0:

    pip install xgrammar==0.2.8
    python tools/structural_tags.py texts styles
    python tools/structural_tags.py vllm      # where vllm 0.33.0 is installed too

`texts` are random formats, with all short texts that they have; `styles` are texts of schemas in each style; `vllm` are structural tags
that only vLLM makes. Formats and schemas of which docs/structural-tags.md says that they are read in another way are left out.
"""

import itertools
import json
import pathlib
import random
import sys

import xgrammar

DATA = pathlib.Path(__file__).parent.parent / "crates/structural-tag/tests/data"
COMPILER = xgrammar.GrammarCompiler(
    xgrammar.TokenizerInfo(["<end>", "a", "b", "<"], stop_token_ids=[0]), cache_enabled=False
)


def compiled(form):
    return COMPILER.compile_structural_tag({"type": "structural_tag", "format": form})


def accepts(grammar, text):
    matcher = xgrammar.GrammarMatcher(grammar, terminate_without_stop_token=True)
    return (not text or matcher.accept_string(text)) and matcher.is_completed()


def write(name, rows):
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    (DATA / name).write_text("[\n" + ",\n".join(lines) + "\n]\n")


# Random formats over three characters.

ALPHABET = "ab<"
LONGEST = 6


class Formats:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def word(self, low, high):
        return "".join(self.random.choice(ALPHABET) for _ in range(self.random.randint(low, high)))

    def some(self, share):
        return self.random.random() < share

    def tag(self, depth, begin=None):
        begin = self.word(0, 2) if begin is None else begin
        end = self.word(1, 2) if self.some(0.8) else [self.word(1, 2), self.word(0, 2)]
        return {"begin": begin, "content": self.format(depth - 1), "end": end}

    def leaf(self):
        kind = self.random.randrange(4)
        if kind == 0:
            return {"type": "const_string", "value": self.word(0, 2)}
        if kind == 1:
            return {"type": "any_text"}
        if kind == 2:
            return {"type": "any_text", "excludes": [self.word(1, 3) for _ in range(self.random.randint(1, 2))]}
        return {"type": "regex", "pattern": self.random.choice(["a+", "b?<", "(ab)*", "[ab]", "a|<b"])}

    def triggered(self, depth):
        triggers = sorted({self.word(1, 2) for _ in range(self.random.randint(1, 2))})
        begins = [trigger + self.word(0, 2) for trigger in triggers for _ in range(self.random.randint(1, 2))]
        return {
            "type": "triggered_tags",
            "triggers": triggers,
            "tags": [self.tag(depth, begin) for begin in begins],
            "at_least_one": self.some(0.3),
            "stop_after_first": self.some(0.3),
            "excludes": [self.word(1, 2)] if self.some(0.3) else [],
        }

    def format(self, depth):
        if depth == 0:
            return self.leaf()
        kind = self.random.randrange(14)
        several = [self.random.randint(1, 3), self.random.randint(1, 2)]
        if kind < 4:
            return self.leaf()
        if kind < 6:
            name = ["sequence", "or"][kind - 4]
            return {"type": name, "elements": [self.format(depth - 1) for _ in range(several[0])]}
        if kind == 6:
            return {"type": self.random.choice(["optional", "plus", "star"]), "content": self.format(depth - 1)}
        if kind == 7:
            least, most = self.random.randint(0, 2), self.random.choice([-1, 2, 3])
            return {"type": "repeat", "min": least, "max": most, "content": self.format(depth - 1)}
        if kind < 10:
            return {"type": "tag", **self.tag(depth)}
        if kind < 12:
            return self.triggered(depth)
        if kind == 12:
            tags = [self.tag(depth) for _ in range(several[1])]
            flags = {"at_least_one": self.some(0.5), "stop_after_first": self.some(0.3)}
            return {"type": "tags_with_separator", "tags": tags, "separator": self.word(0, 1), **flags}
        rules = [[self.word(1, 2), self.format(depth - 1)] for _ in range(several[1])]
        excludes = [self.word(2, 3)] if self.some(0.3) else []
        return {"type": "dispatch", "rules": rules, "loop": self.some(0.6), "excludes": excludes}


def differs(form, around=()):
    """Whether a trigger ends with another one, or an excluded text is in one or ends with one."""
    if isinstance(form, list):
        return any(differs(part, around) for part in form)
    if not isinstance(form, dict):
        return False
    triggers = form.get("triggers") or [rule[0] for rule in form.get("rules", [])]
    excludes = form.get("excludes", []) + (list(around) if "triggers" in form else [])
    if any(a != b and a.endswith(b) for a in triggers for b in triggers):
        return True
    for excluded, trigger in itertools.product(excludes, triggers):
        if excluded and (excluded in trigger or excluded.endswith(trigger)):
            return True
    if "end" in form:
        around = [form["end"]] if isinstance(form["end"], str) else form["end"]
    return any(differs(part, around) for part in form.values())


def texts(count=260):
    formats, rows = Formats(7), []
    every = ["".join(text) for n in range(LONGEST + 1) for text in itertools.product(ALPHABET, repeat=n)]
    while len(rows) < count:
        form = formats.format(2)
        if differs(form):
            continue
        try:
            grammar = compiled(form)
        except Exception:
            continue
        bits = [accepts(grammar, text) for text in every]
        digits = [sum(bit << at for at, bit in enumerate(bits[i : i + 4])) for i in range(0, len(bits), 4)]
        rows.append({"format": form, "accepted": "".join(f"{digit:x}" for digit in digits)})
    write("texts.json", rows)


# Values of schemas in the styles.

STRING, INTEGER, BOOLEAN, NULL = ({"type": name} for name in ["string", "integer", "boolean", "null"])


def thing(properties, required=None, **more):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        **more,
    }


SCHEMAS = [
    thing({"q": STRING}),
    thing({"q": STRING, "n": INTEGER, "b": BOOLEAN}, ["q"]),
    thing({"e": {"enum": ["x", "y z", 3, None, True]}, "c": {"const": "k"}}),
    thing({"u": {"anyOf": [STRING, INTEGER]}, "v": {"type": ["string", "null"]}}),
    thing(
        {
            "a": {"type": "array", "items": STRING, "minItems": 1, "maxItems": 2},
            "d": thing({"x": STRING, "y": INTEGER}, ["x"]),
        },
        ["a"],
    ),
    thing({"p": {"type": "string", "pattern": "^a+$"}, "l": {"type": "string", "minLength": 1, "maxLength": 3}}),
    thing({"a": BOOLEAN}, ["a"], additionalProperties=INTEGER),
    {"anyOf": [thing({"a": BOOLEAN}), thing({"b": STRING, "c": NULL}, ["b"])]},
    thing({}, []),
    thing({"m": {"type": "number"}, "t": {}}, []),
    {"$defs": {"T": thing({"x": {"$ref": "#/$defs/T"}, "i": INTEGER}, ["i"])}, **thing({"t": {"$ref": "#/$defs/T"}})},
    thing({'k"&<k': BOOLEAN}, []),
]
STYLES = "json qwen_xml minimax_xml minimax_m3_xml deepseek_xml deepseek_v4_1_xml glm_xml cohere_xml kimi_k3_xml".split()
# Styles and schemas whose kinds of values are read in another way.
OTHERWISE = [("kimi_k3_xml", 3), ("kimi_k3_xml", 9), ("minimax_m3_xml", 11)]

RAW = ["hello", "", "a < b", "7", "null", "x\ny", "</param", "[1]", "aaa", "aa", "ab", "y z", "x", "k"]
JSON = """1|-7|0|true|false|null|3|2.5|[]|{}|["a"]|["a","b"]|["a","b","c"]|{"x":"v"}|{"x":"v","y":3}|{"i":1}|{"x":{"i":2},"i":1}
|{"y":3}""".replace("\n", "").split("|")
KEYS = "q n b e c u v a d p l m t zz x 1k".split()
ENTITIES = {
    "kimi_k3_xml": [("&", "&amp;"), ('"', "&quot;")],
    "cohere_xml": [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")],
}


def kind(value):
    """What kind of value a JSON text is, by its first character."""
    kinds = {"t": "boolean", "f": "boolean", "n": "null", "[": "array", "{": "object"}
    return kinds.get(value[0], "number")


def element(value):
    """A value in the style minimax_m3_xml."""
    mark = "]<]minimax[>["
    if isinstance(value, dict):
        return "".join(f"{mark}<{key}>{element(inner)}{mark}</{key}>" for key, inner in value.items())
    if isinstance(value, list):
        return "".join(f"{mark}<item>{element(inner)}{mark}</item>" for inner in value)
    return value if isinstance(value, str) else json.dumps(value)


def cofl(value):
    """A value in the style cohere_xml, from its type on."""
    if isinstance(value, str):
        return f' type="raw">{value}</cofl:value>'
    if isinstance(value, dict):
        inner = "".join(f'<cofl:value name="{key}"{cofl(part)}' for key, part in value.items())
        return f' type="dict">{inner}</cofl:value>'
    if isinstance(value, list):
        return ' type="list">' + "".join(f"<cofl:value{cofl(part)}" for part in value) + "</cofl:value>"
    return f' type="json">{json.dumps(value)}</cofl:value>'


class Texts:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *options):
        return self.random.choice(options)

    def member(self, style, key, value, raw):
        for char, entity in ENTITIES.get(style, []):
            key = key.replace(char, entity)
        blank = self.pick("", "", "", "\n", " ") if not raw or self.random.random() < 0.3 else ""
        padded = blank + value + blank
        is_string = "true" if raw else "false"
        if style == "qwen_xml":
            return f"<parameter={key}>{padded}</parameter>"
        if style == "minimax_xml":
            return f'<parameter name="{key}">{padded}</parameter>'
        if style in ("deepseek_xml", "deepseek_v4_1_xml"):
            word = "parameter" if style == "deepseek_xml" else " parameter"
            return f'<｜DSML｜{word} name="{key}" string="{is_string}">{padded}</｜DSML｜{word}>'
        if style == "glm_xml":
            return f"<arg_key>{key}</arg_key>{blank}<arg_value>{padded}</arg_value>"
        if style == "kimi_k3_xml":
            name = "string" if raw else kind(value)
            return f'<|open|>argument key="{key}" type="{name}"<|sep|>{padded}<|close|>argument<|sep|>'
        parsed = value if raw else json.loads(value)
        if style == "cohere_xml":
            return f'<cofl:value name="{key}"{cofl(parsed)}'
        return f"]<]minimax[>[<{key}>{element(parsed)}]<]minimax[>[</{key}>"

    def value(self, schema):
        """A value that a schema may have, or any: its text, and whether it is a string."""
        name = schema.get("type")
        if self.random.random() < 0.2 or not isinstance(name, str) and not {"enum", "const", "$ref"} & schema.keys():
            raw = self.random.random() < 0.5
            return self.random.choice(RAW if raw else JSON), raw
        if "enum" in schema:
            return self.pick(("x", True), ("y z", True), ("3", False), ("null", False), ("true", False))
        if "const" in schema:
            return "k", True
        if "$ref" in schema:
            return self.pick('{"i":1}', '{"x":{"i":2},"i":1}'), False
        if "pattern" in schema:
            return self.pick("a", "aa", "aaa"), True
        if "maxLength" in schema:
            return self.pick("ab", "a", "abcd"), True
        if name == "string":
            return self.random.choice(RAW), True
        return self.random.choice([text for text in JSON if kind(text) == {"integer": "number"}.get(name, name)]), False

    def members(self, schema):
        """Keys, with their values."""
        properties = schema.get("properties", {"a": BOOLEAN, "b": STRING, "c": NULL})
        keys = [key for key in properties if self.random.random() < 0.85]
        if self.random.random() < 0.15:
            keys.append(self.random.choice(KEYS))
        if self.random.random() < 0.1:
            self.random.shuffle(keys)
        if self.random.random() < 0.05:
            keys += keys[:1]
        return [(key, *self.value(properties.get(key, {}))) for key in keys]

    def text(self, style, schema):
        members = self.members(schema)
        if style == "json":
            # Strings with a length are counted without escapes.
            plain = [(key, value.replace("\n", " "), raw) for key, value, raw in members]
            written = [
                json.dumps(key) + self.pick(":", ": ", " :") + (json.dumps(value) if raw else value)
                for key, value, raw in plain
            ]
            blank = self.pick("", "", "\n  ") if written else ""
            return "{" + blank + self.pick(",", ", ", ",\n").join(written) + blank + "}"
        text = "".join(self.pick("", "", "\n") + self.member(style, *member) for member in members)
        text += self.pick("", "", "\n") if members else ""
        if self.random.random() < 0.12 and text:
            at = self.random.randrange(len(text))
            text = text[:at] + text[at + 1 :]
        return text


def styles(count=30):
    texts, rows = Texts(11), []
    for style, (number, schema) in itertools.product(STYLES, enumerate(SCHEMAS)):
        if (style, number) in OTHERWISE:
            continue
        row = {"style": style, "schema": schema}
        try:
            grammar = compiled({"type": "json_schema", "json_schema": schema, "style": style})
        except Exception:
            rows.append({**row, "refused": True})
            continue
        found = {text: accepts(grammar, text) for text in sorted({texts.text(style, schema) for _ in range(count)})}
        row["texts"] = [text for text, accepted in found.items() if accepted]
        row["not"] = [text for text, accepted in found.items() if not accepted]
        rows.append(row)
    write("styles.json", rows)


# Structural tags that only vLLM makes.


def function(name, parameters=None, **more):
    parameters = {} if parameters is None else {"parameters": parameters}
    return {"type": "function", "function": {"name": name, **parameters, **more}}


TOOLS = {
    "search": function("search", thing({"q": STRING})),
    "wide": function("wide", thing({"a": STRING, "b": INTEGER, "c": BOOLEAN}, ["b", "z"])),
    "loose": function("loose", thing({"q": STRING}), strict=False),
    "missing": function("missing"),
    "one_optional": function("one_optional", {"type": "object", "properties": {"x": STRING}}),
}


def vllm():
    from vllm.tool_parsers import structural_tag_registry as registry

    lists = [["search", "wide"], ["missing"], ["one_optional"], ["loose"]]
    cases, seen = [], set()
    for model, names, forced, reasoning, parallel in itertools.product(
        ["longcat", "plamo3", "hy_v4"], lists, ["auto", "required", "named"], [False, True], [True, False]
    ):
        choice = {"type": "function", "function": {"name": names[0]}} if forced == "named" else forced
        suffix = ":x" if model == "hy_v4" and "search" in names else ""
        tools = xgrammar.normalize_tool_choice([TOOLS[name] for name in names], choice)
        tag = registry._VLLM_STRUCTURAL_TAG_REGISTRY[model](*tools, reasoning, suffix)
        if not parallel:
            tag = registry.limit_to_single_tool_call(tag)
        expected = tag.model_dump_json()
        if expected in seen:
            continue
        seen.add(expected)
        case = {"model": model, "tools": names, "tool_choice": choice, "reasoning": reasoning, "parallel": parallel}
        cases.append({**case, "suffix": suffix, "expected": json.loads(expected)})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
    tools = json.dumps(TOOLS, separators=(",", ":"))
    (DATA / "vllm.json").write_text(f'{{"tools":{tools},\n"cases":[\n{lines}\n]}}\n')


if __name__ == "__main__":
    for name in sys.argv[1:]:
        {"texts": texts, "styles": styles, "vllm": vllm}[name]()
