"""What a server must live through: many at once, clients that hang up, slow readers, garbage. Nothing may leak or hang.

    hostile.py URL PID

Only the standard library is needed. Memory and gauges are looked at before and after.
"""

import http.client
import json
import random
import socket
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

URL, PID = sys.argv[1], int(sys.argv[2])
HOST, PORT = urlsplit(URL).hostname, urlsplit(URL).port
MANY = 200
# Memory that may stay, in MB: caches of constraints and what the allocator keeps.
MAY_STAY = 200


def request(method, path, body=None, timeout=120):
    connection = http.client.HTTPConnection(HOST, PORT, timeout=timeout)
    data = json.dumps(body) if isinstance(body, dict) else body
    connection.request(method, path, data, {"content-type": "application/json"})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, dict(response.getheaders()), content


def gauges():
    lines = request("GET", "/metrics")[2].decode().splitlines()
    return {name: float(value) for name, value in (line.split(" ") for line in lines if not line.startswith("#"))}


def memory():
    status = Path(f"/proc/{PID}/status")
    if not status.exists():
        return 0
    return next(int(line.split()[1]) // 1024 for line in status.read_text().splitlines() if line.startswith("VmRSS"))


def quiet(seconds=20):
    """Waits until nothing runs and nothing waits."""
    names = ["running_sequences", "waiting_requests", "requests_in_flight"]
    until = time.monotonic() + seconds
    while True:
        now = gauges()
        left = {name: now[f"tokenstile_{name}"] for name in names}
        if not any(left.values()):
            return
        assert time.monotonic() < until, f"something is left: {left}"
        time.sleep(0.2)


def together(jobs):
    results = [None] * len(jobs)

    def run(at):
        try:
            results[at] = jobs[at]()
        except Exception as problem:  # told below
            results[at] = problem

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
        assert not thread.is_alive(), "a request hangs"
    return results


def body(at, **more):
    return {"prompt": "a", "max_tokens": 3, "structured_outputs": {"regex": f"[a-c]{{1,{2 + at % 5}}}"}, **more}


def many(count=MANY):
    begun = time.monotonic()
    results = together([lambda at=at: request("POST", "/v1/completions", body(at)) for at in range(count)])
    wrong = [result for result in results if not isinstance(result, tuple) or result[0] != 200]
    assert not wrong, wrong[:3]
    for _, _, content in results:
        text = json.loads(content)["choices"][0]["text"]
        assert text and set(text) <= set("abc"), text
    return f"{count} requests at once in {time.monotonic() - begun:.1f} s"


def raw(data):
    connection = socket.create_connection((HOST, PORT), timeout=30)
    connection.sendall(data)
    return connection


def post(path, value):
    data = json.dumps(value).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


def hang_up():
    """Half of the clients read a little, half nothing; then all are gone."""
    long = {"prompt": "Once", "max_tokens": 2000, "temperature": 1, "stream": True}

    def job(at):
        connection = raw(post("/v1/completions", {**long, "stream": at % 2 == 0}))
        if at % 4 == 0:
            connection.recv(200)
        time.sleep(0.3 + random.random() / 2)
        connection.close()

    before = gauges()["tokenstile_rounds_total"]
    together([lambda at=at: job(at) for at in range(40)])
    quiet()
    rounds = gauges()["tokenstile_rounds_total"] - before
    assert rounds < 400, f"{rounds} rounds for clients that were gone"
    return f"40 clients hung up ({rounds:.0f} rounds)"


def slow_readers():
    """Readers that do not read keep nobody waiting."""
    slow = [raw(post("/v1/completions", {"prompt": "Once", "max_tokens": 40, "stream": True, "logprobs": 5})) for _ in range(6)]
    begun = time.monotonic()
    assert request("POST", "/v1/completions", body(0))[0] == 200
    waited = time.monotonic() - begun
    for connection in slow:
        text = b""
        while b"[DONE]" not in text:
            piece = connection.recv(100_000)
            assert piece, "a slow reader was cut off"
            text += piece
        connection.close()
    return f"6 slow readers, another one was served in {waited:.1f} s"


def garbage():
    random.seed(1)
    bodies = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"prompt":' + b"[" * 5000, b'{"prompt":1}', b'{"prompt":"a","prompt":"b"}']
    bodies += [bytes(random.randrange(256) for _ in range(200)) for _ in range(20)]
    bodies += [json.dumps({"prompt": "a", key: value}).encode() for key, value in [
        ("max_tokens", -1), ("temperature", "hot"), ("n", 10**9), ("stop", [""]), ("logit_bias", {"x": 1}), ("top_p", 7), ("seed", {}),
        ("structured_outputs", {"regex": "("}), ("structured_outputs", {"regex": "(a{1,1000}){1,1000}" * 50, "json": {}}),
        ("structured_outputs", {"grammar": "root ::= root"}), ("guided_json", {"$ref": "#"}), ("guided_json", {"$ref": "x:/y"}),
        ("guided_json", "{" * 3000), ("surprise", 1)]]
    for data in bodies:
        for path in ["/v1/completions", "/v1/chat/completions", "/v1/responses", "/generate", "/playground/check"]:
            status, _, content = request("POST", path, data)
            assert status in (400, 404), (path, data[:80], status, content)
            assert json.loads(content)["error"]["message"], content
    assert request("POST", "/v1/completions", b" " * (5 << 20))[0] == 413
    assert request("GET", "/nothing")[0] == 404 and request("GET", "/generate")[0] == 405
    for data in [b"\x00" * 100, b"GET / HTTP/9.9\r\n\r\n", b"POST /generate HTTP/1.1\r\nContent-Length: 99\r\n\r\n{"]:
        raw(data).close()
    return f"{len(bodies) * 5} bodies of garbage"


def hard_constraints():
    """Compiles that whoever asked does not wait for."""
    deep = {"type": "string", "pattern": "(a|b|ab){1,400}(?=x{5})" * 20}
    data = post("/v1/completions", {"prompt": "a", "max_tokens": 2, "guided_json": deep})
    connections = [raw(data) for _ in range(6)]
    time.sleep(0.2)
    for connection in connections:
        connection.close()
    assert request("POST", "/v1/completions", body(1))[0] == 200
    return "6 hard constraints given up"


def main():
    for _ in range(2):
        assert request("POST", "/v1/completions", body(0))[0] == 200
    # As many as are written at the same time: what that takes stays with the allocator.
    many(32)
    quiet()
    before = memory()
    for test in [many, hang_up, slow_readers, garbage, hard_constraints]:
        words = test()
        quiet()
        print(f"hostile: {words}; {memory()} MB", flush=True)
    for _ in range(10):
        if memory() <= before + MAY_STAY:
            break
        time.sleep(0.5)
    after = memory()
    assert after <= before + MAY_STAY, f"memory went from {before} MB to {after} MB"
    print(f"hostile: memory {before} MB before, {after} MB after")


main()
