#!/usr/bin/env python3
"""Tests the server as its users meet it: a real model, real clients, a real browser.

    tools/serve/run.py TOKENSTILE          the command to test
    tools/serve/run.py TOKENSTILE --picture docs/playground.png

Starts the server on a free port, runs hostile.py, clients.py (in an environment of its own, which is made here) and
browser.mjs against it, and stops it. A browser is installed only by root on Debian; without one its test is skipped. What cannot
be fetched is a failure only in CI (`CI=true`): then the exit status is 1, otherwise 3.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / ".cache"
REQUIREMENTS = ["openai==3.3.0", "instructor==1.17.0", "pydantic==2.14.3", "jsonschema==4.26.0"]
PLAYWRIGHT = "playwright-core@1.65.0"
TIMEOUT_S = 400

skipped = []


def say(words):
    print(words, flush=True)


def skip(words):
    skipped.append(words)
    say(f"SKIPPED: {words}")


def clients_python():
    """The Python of an environment with the clients; none if it cannot be made."""
    environment = CACHE / "clients"
    python = environment / "bin" / "python"
    marker = environment / "requirements.txt"
    if not (python.exists() and marker.is_file() and marker.read_text() == "\n".join(REQUIREMENTS)):
        try:
            venv.create(environment, with_pip=True, clear=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *REQUIREMENTS], check=True, timeout=TIMEOUT_S)
        except (subprocess.SubprocessError, OSError) as problem:
            skip(f"the clients could not be installed: {problem}")
            return None
        marker.write_text("\n".join(REQUIREMENTS))
    return python


def chromium():
    """A browser; none if there is none and none can be installed."""
    for name in ["chromium", "chromium-browser", "google-chrome"]:
        if found := shutil.which(name):
            return found
    apt = shutil.which("apt-get")
    if apt and hasattr(os, "geteuid") and os.geteuid() == 0:
        say("installing chromium")
        quiet = {"check": False, "timeout": TIMEOUT_S, "stdout": subprocess.DEVNULL}
        subprocess.run([apt, "update", "-qq"], **quiet)
        subprocess.run([apt, "install", "-y", "-qq", "--no-install-recommends", "chromium"], **quiet)
    return shutil.which("chromium")


def playwright():
    """A folder with what drives the browser; none if it cannot be had."""
    folder = CACHE / "browser"
    marker = folder / "package.txt"
    if not (marker.is_file() and marker.read_text() == PLAYWRIGHT):
        npm = shutil.which("npm")
        if not npm:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PLAYWRIGHT]
        if subprocess.run(install, timeout=TIMEOUT_S).returncode != 0:
            return None
        marker.write_text(PLAYWRIGHT)
    return folder


class Server:
    """The server, from its start to its end."""

    def __init__(self, command, *flags):
        arguments = [command, "serve", "--port", "0", "--quiet", *flags]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            self.process.kill()
            raise SystemExit(f"the server did not start: {line!r}")
        self.url = found[0]

    def stop(self):
        """Asks it to end while a request runs, which must be finished."""
        answers = []

        def ask():
            body = json.dumps({"prompt": "a", "max_tokens": 12, "structured_outputs": {"regex": "[a-z]{30,40}"}}).encode()
            request = urllib.request.Request(self.url + "/v1/completions", body, {"content-type": "application/json"})
            answers.append(json.load(urllib.request.urlopen(request, timeout=60))["choices"][0])

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.15)
        self.process.send_signal(signal.SIGTERM)
        thread.join(60)
        status = self.process.wait(60)
        assert answers and answers[0]["text"], "the running request was not finished"
        assert status == 0, f"the server ended with status {status}"
        say("server: stopped cleanly, the running request was finished")


def limits(command):
    """A server with narrow bounds: who has no key, comes too late or asks too much is turned away, in so many words."""
    flags = ["--queue", "1", "--max-batch", "1", "--api-key", "k", "--timeout", "3", "--body-kb", "64", "--constraint-kb", "4"]
    server = Server(command, *flags)
    try:
        def ask(body, key="k"):
            headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
            request = urllib.request.Request(server.url + "/v1/completions", json.dumps(body).encode(), headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return answer.status, answer.headers, json.load(answer)
            except urllib.error.HTTPError as error:
                return error.code, error.headers, json.load(error)["error"]

        assert ask({"prompt": "a"}, key="x")[0] == 401
        assert ask({"prompt": "a" * 70_000})[0] == 413
        status, _, error = ask({"prompt": "a", "guided_regex": "a" * 5_000})
        assert (status, error["param"]) == (400, "guided_regex"), error
        status, _, error = ask({"prompt": "a", "max_tokens": 2, "guided_regex": "[a-z]{500}"})
        assert (status, error["code"]) == (400, "cannot_complete"), error
        found = []
        long = {"prompt": "a", "max_tokens": 1500, "logit_bias": {"0": -100, "2": -100}}
        threads = [threading.Thread(target=lambda: found.append(ask(long))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        statuses = sorted(status for status, _, _ in found)
        assert statuses[0] == 429 and statuses[-1] == 504, statuses
        assert all(headers["Retry-After"] == "1" for status, headers, _ in found if status == 429)
        assert ask({"prompt": "a", "max_tokens": 1})[0] == 200
        say(f"limits: key, body, constraint, queue and time are held to {statuses}")
    finally:
        server.process.kill()


def browser(url, picture):
    folder, program = playwright(), chromium()
    if not folder or not program or not shutil.which("node"):
        return skip("no browser, or nothing to drive it with")
    command = ["node", str(HERE / "browser.mjs"), url + "/", program, str(folder), *([picture] if picture else [])]
    subprocess.run(command, check=True, timeout=TIMEOUT_S)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--picture", help="photograph the playground for the README")
    options = parser.parse_args()
    python = clients_python()
    server = Server(options.command)
    try:
        timed("browser", lambda: browser(server.url, options.picture))
        if python:
            timed("clients", lambda: subprocess.run([python, HERE / "clients.py", server.url], check=True, timeout=TIMEOUT_S))
        hostile = [sys.executable, HERE / "hostile.py", server.url, str(server.process.pid)]
        timed("hostile", lambda: subprocess.run(hostile, check=True, timeout=TIMEOUT_S))
        server.stop()
        timed("limits", lambda: limits(options.command))
    except (subprocess.SubprocessError, AssertionError) as problem:
        say(f"FAILED: {problem}")
        sys.exit(1)
    finally:
        server.process.kill()
    if skipped:
        sys.exit(1 if os.environ.get("CI") in ("true", "1") else 3)


def timed(name, run):
    begun = time.monotonic()
    run()
    say(f"{name}: {time.monotonic() - begun:.1f} s")


main()
