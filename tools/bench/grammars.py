#!/usr/bin/env python3
"""The peers over context-free grammars: the harness's loop, with GBNF in place of schemas. Called by `cargo xtask bench`.

    PYTHONPATH=HARNESS grammars.py ENGINE CASES.jsonl OUT.jsonl
        CASES as `cases.py texts` writes them. How each engine is given GBNF is in the harness's `adapters.py`.
"""

import json
import sys
from pathlib import Path

import adapters
import peerbench


def main():
    for engine in adapters.ENGINES.values():
        engine.compile_schema = engine.compile_gbnf
    # The processes that it starts are to do the same.
    peerbench.__file__ = __file__
    if sys.argv[1] != "worker":
        engine, cases, out = sys.argv[1:]
        renamed = Path(out).with_suffix(".cases")
        with open(renamed, "w") as file:
            for line in open(cases):
                case = json.loads(line)
                print(json.dumps({**case, "schema": case["source"]}), file=file)
        sys.argv[1:] = ["run", engine, "--cases", str(renamed), "--out", out]
    peerbench.main()


if __name__ == "__main__":
    main()
