#!/usr/bin/env python3
"""Cases of growing size for `cargo xtask bench growth`.

    growth.py SHAPES.py TOKENIZER.json SIZE,SIZE,… OUT.jsonl

SHAPES.py has NAMES of shapes of schemas, KINDS of names that they take as many of as there are, and shape(NAME, SIZE), which
gives a schema and an instance. To these are added arrays of very many different integers and objects of very many members.
Each case gets some instances with one change, valid or not as the package `jsonschema` has it.
"""

import copy
import importlib.util
import json
import random
import sys

import jsonschema
from tokenizers import Tokenizer

# So many instances with a change are added, of so many that are tried.
CHANGED, TRIED = 6, 40
# Longer instances are not changed.
LONG = 20_000


def long_shapes(size):
    """Shapes whose instances are long, which those of SHAPES.py are not."""
    numbers = random.Random(size).sample(range(10_000_000), 100 * size)
    yield "uniqueItems of integers, a hundred times as many", {
        "type": "array", "items": {"type": "integer"}, "uniqueItems": True}, numbers
    names = [f"field_{i}" for i in range(50 * size)]
    yield "members in any order, fifty times as many", {
        "type": "object", "properties": {name: {"type": "integer"} for name in names}, "required": names[::2],
    }, {name: 1 for name in sorted(names)[:200]} | {name: 1 for name in names[::2]}


def places(value, path=()):
    """Where something can be changed in an instance."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def changed(value, chance):
    """An instance with one change: a part left out, given twice, or of another kind."""
    value = copy.deepcopy(value)
    *path, last = chance.choice([path for path in places(value) if path] or [(None,)])
    if last is None:
        return chance.choice([None, 1, "a", [], {}])
    at = value
    for key in path:
        at = at[key]
    what = chance.randrange(4)
    if what == 0:
        del at[last]
    elif what == 1 and isinstance(at, list):
        at.append(at[last])
    elif what == 1:
        at[f"{last}x"] = at.pop(last)
    else:
        at[last] = chance.choice([None, 1, -7, 0.3, "a", "off", True, [], ["a"], {}, {"a": 1}])
    return value


def case(name, size, schema, instance, tokenizer):
    validator = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)(schema)
    assert validator.is_valid(instance), name
    texts, chance = {json.dumps(instance): True}, random.Random(f"{name} {size}")
    if len(json.dumps(instance)) <= LONG:
        for _ in range(TRIED):
            if len(texts) <= CHANGED:
                value = changed(instance, chance)
                valid = validator.is_valid(value)
                # Formats are asserted by engines, and not by the package.
                if not (valid and '"format"' in json.dumps(schema)):
                    texts.setdefault(json.dumps(value), valid)
    encode = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    tests = [{"valid": valid, "tokens": encode(text)} for text, valid in texts.items()]
    return {"id": f"{name}/{size}", "split": "growth", "schema": json.dumps(schema), "tests": tests}


def main(shapes_file, tokenizer_file, sizes, out):
    spec = importlib.util.spec_from_file_location("shapes", shapes_file)
    shapes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shapes)
    sizes = [int(size) for size in sizes.split(",")]
    shapes.KINDS += [f"more{i}" for i in range(len(shapes.KINDS), max(sizes) + 2)]
    tokenizer = Tokenizer.from_file(tokenizer_file)
    with open(out, "w", encoding="utf-8") as file:
        for name in shapes.NAMES:
            for size in sizes:
                try:
                    schema, instance = shapes.shape(name, size)
                except (IndexError, ValueError) as error:
                    print(f"{name} has no size {size}: {error}")
                    continue
                print(json.dumps(case(name, size, schema, instance, tokenizer)), file=file)
        for size in sizes:
            for name, schema, instance in long_shapes(size):
                print(json.dumps(case(name, size, schema, instance, tokenizer)), file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
