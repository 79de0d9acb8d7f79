#!/usr/bin/env python3
"""Computes log probabilities of a llama model without any rounding but that of 64-bit arithmetic.

    pip install numpy
    tools/exact_logits.py MODEL.gguf crates/runtime/tests/data/llama-cpp.json > crates/runtime/tests/data/exact.json

The weights are taken for exactly what the blocks of the file stand for, and activations are never quantized. So this
is what both llama.cpp and crates/runtime approximate, and it shares no code with either. It is slow, short, and knows
only what the default model needs: architecture `llama`, F32, F16, Q4_0, Q4_1, Q8_0 and Q6_K, output weights that may be
those of the embedding.

For each prompt of the second file, by its tokens there: the log probabilities after it of the tokens that llama.cpp
finds likeliest, and how far llama.cpp is from them.
"""

import json
import struct
import sys

import numpy as np

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
# Number of an element type: values in a block, bytes in a block.
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 8: (32, 34), 14: (256, 210)}


class Gguf:
    """The metadata and the tensors of a file."""

    def __init__(self, path):
        self.data = np.memmap(path, np.uint8, "r")
        self.at = 4
        assert self.data[:4].tobytes() == b"GGUF"
        self.scalar("I")
        tensors, keys = self.scalar("Q"), self.scalar("Q")
        self.keys = {}
        for _ in range(keys):
            name = self.text()
            self.keys[name] = self.value(self.scalar("I"))
        self.entries = {}
        for _ in range(tensors):
            name = self.text()
            dims = [self.scalar("Q") for _ in range(self.scalar("I"))]
            self.entries[name] = dims[::-1], self.scalar("I"), self.scalar("Q")
        alignment = self.keys.get("general.alignment", 32)
        self.start = -(-self.at // alignment) * alignment

    def scalar(self, code):
        size = struct.calcsize("<" + code)
        self.at += size
        return struct.unpack("<" + code, self.data[self.at - size:self.at].tobytes())[0]

    def text(self):
        size = self.scalar("Q")
        self.at += size
        return self.data[self.at - size:self.at].tobytes().decode("utf-8", "replace")

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            kind, count = self.scalar("I"), self.scalar("Q")
            return [self.value(kind) for _ in range(count)]
        return self.scalar(SCALARS[kind])

    def tensor(self, name):
        dims, kind, offset = self.entries[name]
        values, size = BLOCKS[kind]
        count = int(np.prod(dims)) // values
        begin = self.start + offset
        blocks = np.array(self.data[begin:begin + count * size]).reshape(count, size)
        return numbers(kind, blocks).reshape(dims)


def half(blocks, at):
    return blocks[:, at:at + 2].copy().view("<f2").astype(np.float64)


def nibbles(packed):
    """The low halves of the bytes, then the high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def numbers(kind, blocks):
    """What blocks stand for."""
    if kind == 0:
        return blocks.view("<f4").astype(np.float64)
    if kind == 1:
        return blocks.view("<f2").astype(np.float64)
    if kind == 2:
        return half(blocks, 0) * (nibbles(blocks[:, 2:]).astype(np.float64) - 8)
    if kind == 3:
        return half(blocks, 0) * nibbles(blocks[:, 4:]) + half(blocks, 2)
    if kind == 8:
        return half(blocks, 0) * blocks[:, 2:].view(np.int8)
    # Q6_K: in each half of 128, four groups of 32; the low 4 bits and the high 2 bits lie apart.
    low = nibbles(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    high = blocks[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(4, 1) & 3
    quants = (low | high << 4).astype(np.float64) - 32
    scales = blocks[:, 192:208].copy().view(np.int8).reshape(-1, 16, 1)
    return half(blocks, 208) * (scales * quants.reshape(-1, 16, 16)).reshape(-1, 256)


class Model:
    def __init__(self, path):
        self.file = file = Gguf(path)
        key = lambda name: file.keys["llama." + name]
        assert file.keys["general.architecture"] == "llama" and "rope_freqs.weight" not in file.entries
        assert not any(name.startswith("llama.rope.scaling") for name in file.keys)
        self.layers, self.heads = key("block_count"), key("attention.head_count")
        self.kv_heads, self.epsilon = key("attention.head_count_kv"), key("attention.layer_norm_rms_epsilon")
        self.base = file.keys.get("llama.rope.freq_base", 10_000.0)
        self.weights = {name: file.tensor(name) for name in file.entries}
        self.head = self.weights["token_embd.weight"].shape[1] // self.heads

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon) * self.weights[name + ".weight"]

    def turn(self, x):
        """Turns neighbours in a head, `[tokens, heads, head]`, by an angle that grows with the position."""
        angles = np.arange(len(x))[:, None, None] * self.base ** (-np.arange(0, self.head, 2) / self.head)
        turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
        return np.stack([turned.real, turned.imag], -1).reshape(x.shape)

    def attend(self, x, layer):
        part = lambda name, heads: (x @ self.weights[layer + name + ".weight"].T).reshape(len(x), heads, self.head)
        queries, keys = self.turn(part("attn_q", self.heads)), self.turn(part("attn_k", self.kv_heads))
        shared = self.heads // self.kv_heads
        keys, values = np.repeat(keys, shared, 1), np.repeat(part("attn_v", self.kv_heads), shared, 1)
        scores = np.einsum("qhd,khd->hqk", queries, keys) / np.sqrt(self.head)
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
        parts = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = np.einsum("hqk,khd->qhd", parts / parts.sum(-1, keepdims=True), values)
        return mixed.reshape(len(x), -1) @ self.weights[layer + "attn_output.weight"].T

    def log_probabilities(self, tokens):
        """Of the token after `tokens`."""
        x = self.weights["token_embd.weight"][tokens]
        for index in range(self.layers):
            layer = f"blk.{index}."
            weight = lambda name: self.weights[layer + name + ".weight"].T
            x = x + self.attend(self.norm(x, layer + "attn_norm"), layer)
            y = self.norm(x, layer + "ffn_norm")
            gate = y @ weight("ffn_gate")
            x = x + (gate / (1 + np.exp(-gate)) * (y @ weight("ffn_up"))) @ weight("ffn_down")
        output = self.weights.get("output.weight", self.weights["token_embd.weight"])
        logits = output @ self.norm(x[-1], "output_norm")
        return logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())


def main():
    model = Model(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        prompts = json.load(file)["prompts"]
    result = []
    for case in prompts:
        exact = model.log_probabilities(case["tokens"])
        errors = [abs(exact[token] - theirs) for token, theirs in case["top"]]
        result.append({
            "prompt": case["prompt"],
            "likeliest": int(exact.argmax()),
            "top": [[token, round(float(exact[token]), 4)] for token, _ in case["top"]],
            "llama_cpp": {"mean": round(float(np.mean(errors)), 4), "most": round(float(max(errors)), 4)},
        })
    json.dump(result, sys.stdout, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
