#!/usr/bin/env python3
"""Benchmark cases for a vocabulary: texts in, token ids out. Called by `cargo xtask bench`.

    cases.py texts TOKENIZER.json IN.jsonl OUT.jsonl [FOLDER]
        IN has {"id", "kind", "file", "texts"} or {"id", "schema", "texts"} a line, OUT "source" and "tests" in place of
        "file" and "texts". The file is beside IN, or in FOLDER.
    cases.py vocab TOKENIZER FROM-VOCAB.jsonl CASES.jsonl FOLDER [LIMIT]
        Takes the texts of CASES (tokens of FROM-VOCAB) apart into tokens of TOKENIZER, a `tokenizer.json` or tiktoken
        ranks, and writes FOLDER/vocab.jsonl, FOLDER/cases.jsonl and FOLDER/tokenizer.json. Of ranks the latter is made
        here, for engines that read nothing else: merges are all pairs of tokens that are a token together, in the order
        of its rank, which is what tiktoken merges by; it must take all texts apart in the same way.
    cases.py rest TOKENIZER.json MASKBENCH CASES.jsonl OUT.jsonl
        The schemas in the folder MASKBENCH (`*.jsonl.gz`) that are not in CASES, with their instances as tokens.

Texts are encoded by the packages `tokenizers` and `tiktoken`. Where that does not give the text back byte by byte, because
of a normalizer, the longest tokens that fit are taken instead; how often is printed.
"""

import base64
import gzip
import json
import shutil
import sys
from pathlib import Path

# How o200k splits a text before it is encoded.
WORD_END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = "|".join([
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{WORD_END}",
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{WORD_END}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
])
O200K_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}

# Tokens after which a text is over, by the names that the vocabularies here have.
ENDS = ["<|eot_id|>", "<|im_end|>", "<end_of_turn>", "<|endoftext|>"]


def byte_alphabet():
    """The letters that byte-level tokenizers write bytes as."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {chr(byte): byte for byte in plain}
    letters.update({chr(256 + index): byte for index, byte in enumerate(others)})
    return letters


class Tokenizer:
    """Bytes of every id, names of special tokens, and an encoder."""

    def __init__(self, path):
        self.tokens, self.special = {}, {}
        if path.suffix == ".tiktoken":
            self.read_ranks(path)
        else:
            self.read_json(path)
        self.ids = {}
        for token, text in sorted(self.tokens.items(), reverse=True):
            self.ids[text] = token
        self.longest = max(map(len, self.ids))
        self.greedy = 0

    def read_ranks(self, path):
        import tiktoken

        ranks = {}
        for line in path.read_text().splitlines():
            text, rank = line.split()
            ranks[base64.b64decode(text)] = int(rank)
        self.tokens = {rank: text for text, rank in ranks.items()}
        self.special = {token: name for name, token in O200K_SPECIAL.items()}
        encoding = tiktoken.Encoding(path.stem, pat_str=O200K, mergeable_ranks=ranks, special_tokens=O200K_SPECIAL)
        self.encoder = encoding.encode_ordinary

    def read_json(self, path):
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(str(path))
        self.encoder = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
        data = json.loads(path.read_text())
        letters = byte_alphabet()
        vocab = data["model"]["vocab"]
        is_byte_level = "ByteLevel" in json.dumps([data.get("pre_tokenizer"), data.get("decoder")])
        for name, token in vocab.items():
            if is_byte_level and all(letter in letters for letter in name):
                self.tokens[token] = bytes(letters[letter] for letter in name)
            elif is_byte_level:
                self.tokens[token] = name.encode()
            elif len(name) == 6 and name.startswith("<0x"):
                self.tokens[token] = bytes([int(name[3:5], 16)])
            else:
                self.tokens[token] = name.replace("\u2581", " ").encode()
        for added in data["added_tokens"]:
            token, name = added["id"], added["content"]
            self.tokens.pop(token, None)
            if added["special"] or name.startswith("<unused"):
                self.special[token] = name
            else:
                self.tokens[token] = name.encode()

    def encode(self, text):
        ids = self.encoder(text)
        if b"".join(self.tokens.get(token, b"") for token in ids) == text.encode():
            return ids
        self.greedy += 1
        rest, ids = text.encode(), []
        while rest:
            length = next(n for n in range(min(self.longest, len(rest)), 0, -1) if rest[:n] in self.ids)
            ids.append(self.ids[rest[:length]])
            rest = rest[length:]
        return ids

    def write(self, out, name):
        size = max([*self.tokens, *self.special]) + 1
        ends = [token for end in ENDS for token, known in self.special.items() if known == end]
        header = {"name": name, "n_vocab": size, "eos": ends[0], "stop": ends, "bos": ends[0], "special": sorted(self.special)}
        print(json.dumps(header), file=out)
        for token in range(size):
            text = self.special[token].encode() if token in self.special else self.tokens.get(token, b"")
            line = {"id": token, "b64": base64.b64encode(text).decode()}
            if token in self.special:
                line["special"] = True
            print(json.dumps(line), file=out)


def merges(ranks, letters):
    """All ways in which two tokens make a third, the lowest rank first."""
    for text, _ in sorted(ranks.items(), key=lambda item: item[1]):
        pairs = [(text[:at], text[at:]) for at in range(1, len(text))]
        pairs = [(ranks[a], ranks[b], a, b) for a, b in pairs if a in ranks and b in ranks]
        for _, _, first, second in sorted(pairs):
            yield [letters(first), letters(second)]


def tokenizer_json(tokenizer):
    """A `tokenizer.json` of the ranks of o200k. Ids that no token has get one that nothing is encoded as."""
    names = {byte: letter for letter, byte in byte_alphabet().items()}
    letters = lambda text: "".join(names[byte] for byte in text)
    ranks = {text: token for token, text in tokenizer.tokens.items()}
    size = max([*tokenizer.tokens, *tokenizer.special]) + 1
    free = [token for token in range(size) if token not in tokenizer.tokens]
    added = {token: tokenizer.special.get(token, f"<|none {token}|>") for token in free}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    split = {"type": "Split", "pattern": {"Regex": O200K}, "behavior": "Isolated", "invert": False}
    bytes_as_letters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    vocab = {letters(text): token for text, token in ranks.items()}
    return {
        "version": "1.0",
        "added_tokens": [{"id": token, "content": name, **flags} for token, name in added.items()],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, bytes_as_letters]},
        "decoder": bytes_as_letters,
        "model": {"type": "BPE", "ignore_merges": True, "vocab": vocab, "merges": [*merges(ranks, letters)]},
    }


def texts(tokenizer, cases, out, folder="."):
    tokenizer = Tokenizer(Path(tokenizer))
    with open(out, "w") as file:
        for line in open(cases):
            case = json.loads(line)
            if "file" in case:
                name = case.pop("file")
                places = [Path(cases).parent / name, Path(folder) / name]
                case["source"] = next(place for place in places if place.exists()).read_text()
            case["split"] = "texts"
            case["tests"] = [{"valid": True, "tokens": tokenizer.encode(text)} for text in case.pop("texts")]
            print(json.dumps(case), file=file)


def vocab(fixture, from_vocab, cases, folder, limit=None):
    fixture, folder = Path(fixture), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(fixture)
    with open(folder / "vocab.jsonl", "w") as out:
        tokenizer.write(out, fixture.name)
    if fixture.suffix == ".json":
        shutil.copyfile(fixture, folder / "tokenizer.json")
        other = None
    else:
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(tokenizer), ensure_ascii=False))
        other = Tokenizer(folder / "tokenizer.json")
    old = {}
    for line in open(from_vocab).read().splitlines()[1:]:
        token = json.loads(line)
        old[token["id"]] = base64.b64decode(token["b64"])
    count, unlike = 0, 0
    with open(folder / "cases.jsonl", "w") as out:
        for line in open(cases).read().splitlines()[: int(limit) if limit else None]:
            case = json.loads(line)
            for test in case["tests"]:
                text = b"".join(old[token] for token in test["tokens"]).decode()
                test["tokens"] = tokenizer.encode(text)
                count += 1
                unlike += other is not None and other.encode(text) != test["tokens"]
            print(json.dumps(case), file=out)
    print(f"{fixture.name}: {count} texts, {tokenizer.greedy} of them by the longest tokens")
    if unlike:
        sys.exit(f"{unlike} of them are otherwise by the tokenizer.json that is made here")


def rest(tokenizer, maskbench, cases, out):
    tokenizer = Tokenizer(Path(tokenizer))
    known = [json.loads(line) for line in open(cases)]
    known = {case[key] for case in known for key in ("id", "schema")}
    with open(out, "w") as file:
        for path in sorted(Path(maskbench).glob("*.jsonl.gz")):
            for line in gzip.open(path, "rt"):
                case = json.loads(line)
                name, schema = case["name"], json.dumps(case["schema"])
                if name in known or schema in known:
                    continue
                data = [(test["valid"], json.dumps(test["data"], ensure_ascii=False)) for test in case["tests"]]
                tests = [{"valid": valid, "tokens": tokenizer.encode(text)} for valid, text in data]
                print(json.dumps({"id": name, "split": path.stem, "schema": schema, "tests": tests}), file=file)


if __name__ == "__main__":
    {"texts": texts, "vocab": vocab, "rest": rest}[sys.argv[1]](*sys.argv[2:])
