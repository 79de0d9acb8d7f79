#!/usr/bin/env python3
"""Writes down what llama.cpp makes of a few prompts, for the tests of crates/runtime to compare with.

    pip install xllamacpp==2026.10.11549        llama.cpp in a package, built
    tools/reference_logits.py MODEL.gguf > crates/runtime/tests/data/llama-cpp.json

For each prompt: its tokens, the likeliest next tokens with their log probabilities, and the likeliest continuation.
For each text: its tokens.
"""

import json
import sys
import urllib.request

import xllamacpp

PROMPTS = [
    "The capital of France is",
    "1, 2, 3, 4,",
    '{"name": "Ada", "born": "18',
    "<|im_start|>system\nYou answer in one word.<|im_end|>\n<|im_start|>user\nIs ice cold?<|im_end|>\n<|im_start|>assistant\n",
    "Once upon a time, in a village by the sea, there lived an old fisherman who had three daughters. The eldest",
]

TEXTS = [
    "Hello, world!",
    "  two  spaces, a\ttab\n\n  and lines \r\n",
    "It's 2024-05-17, 12:30; we'll pay 1234567.89 €.",
    "naïve café, Größe, Ελληνικά, русский, 日本語, 한국어, עברית",
    '{"key": [1, 2.5e-3, null], "text": "a \\"quoted\\" part"}',
    "fn main() { println!(\"{}\", x_1 + y2); } // 👍🏽 emoji",
    "CamelCaseWORDS and ALL CAPS I'LL don't",
    "<|im_start|> is text here",
]


def ask(address, path, body):
    request = urllib.request.Request(address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def tokens(address, text, special):
    return ask(address, "/tokenize", {"content": text, "add_special": False, "parse_special": special})["tokens"]


def next_tokens(address, prompt):
    answer = ask(address, "/completion", {
        "prompt": tokens(address, prompt, True), "n_predict": 12, "temperature": 0.0, "n_probs": 20,
        "post_sampling_probs": False, "cache_prompt": False, "return_tokens": True,
    })
    first = answer["completion_probabilities"][0]
    return {
        "prompt": prompt,
        "tokens": tokens(address, prompt, True),
        "top": [[top["id"], round(top["logprob"], 4)] for top in first["top_logprobs"]],
        "continuation": answer["tokens"],
    }


def main():
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.n_ctx = 512
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    running = xllamacpp.Server(params)
    address = running.listening_address
    result = {
        "prompts": [next_tokens(address, prompt) for prompt in PROMPTS],
        "texts": [[text, tokens(address, text, False)] for text in TEXTS],
    }
    json.dump(result, sys.stdout, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
