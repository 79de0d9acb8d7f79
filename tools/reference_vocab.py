"""Dumps what an independent library makes of every token of a vocabulary.

    reference_vocab.py FIXTURE OUT

Run by `tools/fixtures.py --reference` in an environment that has the libraries. Shares no code with the
engine. One line a token: `id TAB kind TAB hex of its bytes`, where the kind is what the library or the file's
own flags say (t text, s special, u unused); the bytes of special and unused tokens are their names. Ids that
do not exist have no line.
"""

import re
import sys
from pathlib import Path

BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def byte_alphabet():
    """Character -> byte, asked of the tokenizers library byte by byte."""
    from tokenizers import pre_tokenizers

    split = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = {}
    for code in [*range(0x800), *range(0x800, 0x110000, 0x40)]:
        if 0xD800 <= code < 0xE000:
            continue
        text = chr(code)
        ((mapped, _),) = split.pre_tokenize_str(text)
        alphabet.update(zip(mapped, text.encode(), strict=True))
    # Bytes that no text contains cannot be asked for; they print in Latin-1 and stand for themselves.
    for byte in set(range(256)) - set(alphabet.values()):
        alphabet[chr(byte)] = byte
    assert len(alphabet) == 256 and set(alphabet) == set(split.alphabet())
    return alphabet


def byte_level(alphabet, token):
    if all(c in alphabet for c in token):
        return bytes(alphabet[c] for c in token)
    return token.encode()


def hugging_face(path):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    added = tokenizer.get_added_tokens_decoder()
    alphabet = byte_alphabet()
    is_byte_level = "ByteLevel" in repr(tokenizer.decoder)
    for id in sorted(tokenizer.get_vocab(with_added_tokens=True).values()):
        token = tokenizer.id_to_token(id)
        if id in added and added[id].special:
            yield id, "s", token.encode()
            continue
        decoded = tokenizer.decoder.decode([token])
        if is_byte_level:
            data = byte_level(alphabet, token)
            assert data.decode("utf-8", "replace") == decoded, (id, token, decoded)
        elif match := BYTE_PIECE.fullmatch(token):
            data = bytes.fromhex(match[1])
            assert data.decode("utf-8", "replace") == decoded, (id, token, decoded)
        else:
            data = decoded.encode()
        yield id, "t", data


def special_tokens(name):
    """Special tokens of tiktoken vocabularies, which their files do not hold."""
    if name == "o200k_base":
        return {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
    if name == "qwen3.6":
        named = "endoftext im_start im_end object_ref_start object_ref_end box_start box_end quad_start quad_end"
        named += " vision_start vision_end vision_pad image_pad video_pad"
        names = [f"<|{name}|>" for name in named.split()] + ["<tool_call>", "</tool_call>"]
        named = "fim_prefix fim_middle fim_suffix fim_pad repo_name file_sep"
        names += [f"<|{name}|>" for name in named.split()]
        names += ["<tool_response>", "</tool_response>", "<think>", "</think>", "<|audio_start|>", "<|audio_end|>"]
        names += ["<tts_pad>", "<tts_text_bos>", "<tts_text_eod>", "<tts_text_bos_single>", "<|audio_pad|>"]
        return {name: 248044 + i for i, name in enumerate(names)}
    if name == "llama-4":
        named = "begin_of_text end_of_text fim_prefix fim_middle fim_suffix header_start header_end eom eot step"
        names = [f"<|{name}|>" for name in named.split()]
        # The other 2,038 are reserved or for images; the tests only need them to be there.
        names += [f"<|special_token_{i}|>" for i in range(len(names), 2048)]
        return {name: 200000 + i for i, name in enumerate(names)}
    raise SystemExit(f"the special tokens of {name} are not known")


def tiktoken(path):
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    special = special_tokens(path.stem)
    encoding = tiktoken.Encoding(
        path.stem, pat_str=r"\s+|\S+", mergeable_ranks=load_tiktoken_bpe(str(path)), special_tokens=special
    )
    special = set(special.values())
    for id in range(encoding.max_token_value + 1):
        try:
            data = encoding.decode_single_token_bytes(id)
        except KeyError:
            continue
        yield id, "s" if id in special else "t", data


def tekken(path):
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(str(path))
    for id in range(tokenizer.n_words):
        if tokenizer.is_special(id):
            yield id, "s", tokenizer.id_to_piece(id).encode()
        else:
            yield id, "t", tokenizer.id_to_byte_piece(id, SpecialTokenPolicy.RAISE)


def sentencepiece(path):
    from sentencepiece import SentencePieceProcessor

    model = SentencePieceProcessor(model_file=str(path))
    for id in range(model.get_piece_size()):
        piece = model.id_to_piece(id)
        if model.is_control(id) or model.is_unknown(id):
            yield id, "s", piece.encode()
        elif model.is_unused(id):
            yield id, "u", piece.encode()
        elif model.is_byte(id):
            yield id, "t", bytes.fromhex(BYTE_PIECE.fullmatch(piece)[1])
        else:
            yield id, "t", piece.replace("\u2581", " ").encode()


def gguf(path):
    import numpy
    from gguf import GGUFReader
    from gguf.constants import TokenType

    # The reader takes a slice for each string, of which there are half a million: from a plain array that is many times faster.
    numpy.memmap = lambda path, mode: numpy.fromfile(path, dtype=numpy.uint8)
    fields = GGUFReader(str(path)).fields
    value = lambda key: fields[f"tokenizer.ggml.{key}"].contents()
    alphabet = byte_alphabet() if value("model") == "gpt2" else None
    for id, (token, kind) in enumerate(zip(value("tokens"), value("token_type"), strict=True)):
        if kind in (TokenType.CONTROL, TokenType.UNKNOWN):
            yield id, "s", token.encode()
        elif kind == TokenType.UNUSED:
            yield id, "u", token.encode()
        elif kind == TokenType.BYTE:
            yield id, "t", bytes.fromhex(BYTE_PIECE.fullmatch(token)[1])
        elif alphabet is None:
            yield id, "t", token.replace("\u2581", " ").encode()
        elif kind == TokenType.USER_DEFINED:
            yield id, "t", token.encode()
        else:
            yield id, "t", byte_level(alphabet, token)


def main():
    path, out = Path(sys.argv[1]), Path(sys.argv[2])
    readers = {
        ".tokenizer.json": hugging_face,
        "tekken.json": tekken,
        ".tiktoken": tiktoken,
        ".model": sentencepiece,
        ".gguf": gguf,
    }
    reader = next(read for ending, read in readers.items() if path.name.endswith(ending))
    with open(out, "w", encoding="ascii") as file:
        for id, kind, data in reader(path):
            file.write(f"{id}\t{kind}\t{data.hex()}\n")


if __name__ == "__main__":
    main()
