"""What users' clients do: the `openai` package and `instructor`, against a running server with the real model.

    clients.py URL

Run by run.py in an environment of its own. Every answer under a schema is held against an independent validator.
"""

import json
import sys
import time
from typing import Literal

import instructor
import jsonschema
import openai
from pydantic import BaseModel, Field

URL = sys.argv[1].rstrip("/") + "/v1"
client = openai.OpenAI(base_url=URL, api_key="any", max_retries=0, timeout=90)
MODEL = client.models.list().data[0].id


class Person(BaseModel):
    name: str = Field(max_length=16)
    age: int = Field(ge=0, le=120)
    mood: Literal["glad", "sad"]


WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 12}, "unit": {"$ref": "#/$defs/unit"}},
            "required": ["city", "unit"],
            "additionalProperties": False,
            "$defs": {"unit": {"enum": ["C", "F"]}},
        },
    },
}
TIME = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}, "additionalProperties": False}}}


def ask(text, **more):
    return client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], **{"max_tokens": 48, "temperature": 0.7, "seed": 3, **more}
    )


def parse():
    done = client.chat.completions.parse(
        model=MODEL, messages=[{"role": "user", "content": "Describe a person."}], response_format=Person, max_tokens=48, seed=1
    )
    person = done.choices[0].message.parsed
    assert isinstance(person, Person) and done.choices[0].finish_reason == "stop", done
    assert done.usage.completion_tokens > 3


def stream():
    schema = Person.model_json_schema()
    chunks = list(
        ask(
            "Describe a person.",
            response_format={"type": "json_schema", "json_schema": {"name": "person", "schema": schema, "strict": True}},
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    jsonschema.validate(json.loads(text), schema)
    assert chunks[-1].usage.total_tokens > 0 and not chunks[-1].choices
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    with client.chat.completions.stream(
        model=MODEL, messages=[{"role": "user", "content": "Describe a person."}], response_format=Person, max_tokens=48
    ) as events:
        for _ in events:
            pass
        assert isinstance(events.get_final_completion().choices[0].message.parsed, Person)


def call_of(message):
    (call,) = message.tool_calls
    arguments = json.loads(call.function.arguments)
    tool = WEATHER if call.function.name == "get_weather" else TIME
    jsonschema.validate(arguments, tool["function"]["parameters"])
    return call


def tools():
    named = {"type": "function", "function": {"name": "get_weather"}}
    done = ask("Weather in Oslo?", tools=[TIME, WEATHER], tool_choice=named)
    call = call_of(done.choices[0].message)
    assert call.function.name == "get_weather" and done.choices[0].message.content is None
    done = ask("What time is it?", tools=[TIME, WEATHER], tool_choice="required")
    call_of(done.choices[0].message)
    assert done.choices[0].finish_reason == "tool_calls"
    # A conversation with a call and its result in it.
    history = [
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "tool_calls": [call.to_dict()]},
        {"role": "tool", "tool_call_id": call.id, "content": "rain"},
    ]
    client.chat.completions.create(model=MODEL, messages=history, tools=[WEATHER], tool_choice="none", max_tokens=8)
    name, arguments = "", ""
    for chunk in ask("Weather in Oslo?", tools=[WEATHER], tool_choice="required", stream=True):
        for piece in chunk.choices[0].delta.tool_calls or []:
            name += piece.function.name or ""
            arguments += piece.function.arguments or ""
    assert name == "get_weather"
    jsonschema.validate(json.loads(arguments), WEATHER["function"]["parameters"])


def auto_tools():
    # The model may call or not; if it begins a call, it is held to the schema. Here it is made to begin one.
    opening = "Answer with <tool_call> and nothing else. <tool_call> <tool_call> <tool_call>"
    seen = set()
    for seed in range(2):
        done = ask(opening, tools=[WEATHER], seed=seed).choices[0]
        if done.message.tool_calls and done.finish_reason == "tool_calls":
            call_of(done.message)
        seen.add(bool(done.message.tool_calls))
        assert "<tool_call>" not in (done.message.content or "")
    print(f"clients: auto: {'calls' if True in seen else 'no call'} in 2 tries")


def with_instructor():
    patched = instructor.from_openai(client)
    person = patched.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Describe a person."}], response_model=Person, max_tokens=64, max_retries=1
    )
    assert isinstance(person, Person)
    patched = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
    person = patched.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Describe a person."}], response_model=Person, max_tokens=64, max_retries=1
    )
    assert isinstance(person, Person)


def choices_and_logprobs():
    done = ask("Tea or coffee?", n=2, logprobs=True, top_logprobs=3, extra_body={"structured_outputs": {"choice": ["tea", "coffee"]}})
    assert {choice.message.content for choice in done.choices} <= {"tea", "coffee"}
    for choice in done.choices:
        assert "".join(token.token for token in choice.logprobs.content).startswith(choice.message.content)
        assert all(len(token.top_logprobs) == 3 for token in choice.logprobs.content)
    same = [ask("Say a number.", seed=5, temperature=1.0, extra_body={"guided_regex": "[0-9]{3}"}).choices[0].message.content for _ in range(2)]
    assert same[0] == same[1] and len(same[0]) == 3, same
    done = ask("Count.", extra_body={"guided_grammar": 'root ::= "1" ", 2" ", 3"'}, stop=[", 3"])
    assert done.choices[0].message.content == "1, 2", done
    done = ask("x", n=2, logprobs=True, extra_body={"guided_choice": ["nothing else"]})
    assert [choice.message.content for choice in done.choices] == ["nothing else"] * 2
    biased = client.completions.create(model=MODEL, prompt="The", max_tokens=3, logit_bias={"0": -100}, frequency_penalty=0.5, temperature=0)
    assert biased.choices[0].finish_reason in ("length", "stop")


def several_prompts():
    ask_all = lambda prompts, **more: client.completions.create(model=MODEL, prompt=prompts, max_tokens=6, temperature=0, **more)
    prompts = ["1, 2, 3,", "The capital of France is"]
    alone = [ask_all(prompt) for prompt in prompts]
    done = ask_all(prompts, n=2, echo=True)
    assert [choice.index for choice in done.choices] == [0, 1, 2, 3], done
    expected = [prompt + one.choices[0].text for prompt, one in zip(prompts, alone) for _ in range(2)]
    assert [choice.text for choice in done.choices] == expected, done
    assert done.usage.prompt_tokens == sum(one.usage.prompt_tokens for one in alone), done.usage
    assert done.usage.completion_tokens == 2 * sum(one.usage.completion_tokens for one in alone), done.usage
    texts = [""] * 2
    for chunk in ask_all(prompts, stream=True):
        for choice in chunk.choices:
            texts[choice.index] += choice.text
    assert texts == [one.choices[0].text for one in alone], texts
    assert [len(ask_all(tokens).choices) for tokens in ([1, 2], [[1, 2]], [[1, 2], [3]])] == [1, 1, 2]
    drawn = client.completions.create(model=MODEL, prompt=["Once"] * 3, max_tokens=8, temperature=2, seed=1).choices
    assert len({choice.text for choice in drawn}) == 3, drawn
    for wrong in ([], ["a", 1], [[]], [["a"]], ["a"] * 10_000):
        try:
            ask_all(wrong)
        except openai.BadRequestError as error:
            assert "prompt" in str(error.body), error.body
        else:
            raise AssertionError(f"{wrong} was not refused")


def responses():
    done = client.responses.parse(model=MODEL, input="Describe a person.", text_format=Person, max_output_tokens=48)
    assert isinstance(done.output_parsed, Person) and done.status == "completed"
    tool = {"type": "function", **WEATHER["function"], "strict": False}
    with client.responses.stream(model=MODEL, input="Weather in Oslo?", tools=[tool], tool_choice="required", max_output_tokens=64) as events:
        for _ in events:
            pass
        (call,) = events.get_final_response().output
    assert call.name == "get_weather"
    jsonschema.validate(json.loads(call.arguments), WEATHER["function"]["parameters"])


def refusals():
    def refused(part, **more):
        try:
            ask("x", **more)
        except openai.BadRequestError as error:
            assert part in str(error.body), error.body
            return
        raise AssertionError(f"{more} was not refused")

    broken = {"type": "object", "properties": {"a": {"type": "strin"}}}
    refused("/properties/a/type", response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": broken}})
    refused("guided_lark", extra_body={"guided_lark": "x"})
    refused("structured_outputs", extra_body={"structured_outputs": {"json": {}, "flavour": 1}})
    refused("not supported yet", extra_body={"structured_outputs": {"structural_tag": {}}})
    refused("guided_json", extra_body={"guided_json": {"type": "string", "enum": [1]}})
    try:
        client.chat.completions.create(model="other", messages=[{"role": "user", "content": "x"}])
    except openai.NotFoundError:
        pass
    else:
        raise AssertionError("another model was not refused")


for test in [parse, stream, tools, auto_tools, with_instructor, choices_and_logprobs, several_prompts, responses, refusals]:
    begun = time.monotonic()
    test()
    print(f"clients: {test.__name__.replace('_', ' ')} ({time.monotonic() - begun:.1f} s)", flush=True)
