"""An agent with a network of its own that tries to get out of it, and then improves its bot by the model.

Its arguments are the workspace, a port of the machine, and the name of an abstract socket there.
What it got stands in its bot.
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

workspace, port, abstract = Path(sys.argv[1]), int(sys.argv[2]), "\0" + sys.argv[3]
loot, tried = [], 0


@contextlib.contextmanager
def attempt():
    global tried
    tried += 1
    with contextlib.suppress(OSError):
        yield


def connect(family, address):
    with attempt(), socket.socket(family) as connection:
        connection.settimeout(1)
        connection.connect(address)
        loot.append(["connected", str(address)])


for host in ("127.0.0.1", "127.0.0.2", socket.gethostname(), "10.0.0.1", "8.8.8.8"):
    connect(socket.AF_INET, (host, port))
connect(socket.AF_INET6, ("::1", port))
for address in (abstract, "/dev/log", "/run/dbus/system_bus_socket"):
    connect(socket.AF_UNIX, address)
for family, kind in (
    (socket.AF_PACKET, socket.SOCK_RAW),
    (socket.AF_INET, socket.SOCK_RAW),
    (40, 1),
):
    with attempt():
        socket.socket(family, kind)
        loot.append(["socket", family])
for path in (
    workspace / "bots/bob",
    workspace / "tournament.toml",
    workspace.parent / "key",
    Path("/etc/passwd"),
):
    with attempt():
        loot.append([str(path), path.read_text()])
    with attempt():
        path.chmod(0o666)
        loot.append(["chmod", str(path)])
    with attempt():
        os.truncate(path, 0)
        loot.append(["truncated", str(path)])
for number in range(64):
    with attempt():
        os.open(f"/dev/pts/{number}", os.O_RDWR)
        loot.append(["terminal", number])
subprocess.Popen(
    ["sleep", "1000"],
    start_new_session=True,
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)

where = urlsplit(os.environ["OPENAI_BASE_URL"])


def raw(data):
    endpoint = where.hostname, where.port
    with socket.create_connection(endpoint, timeout=20) as connection, contextlib.suppress(OSError):
        connection.sendall(data)
        return connection.recv(100).decode(errors="replace")
    return ""


answers = [
    raw(b"GET /v1/models HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
    raw(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
    raw(b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n"),
    raw(b"x" * 100_000),
    raw(b"\r\n\r\n"),
]
crowd = [socket.create_connection((where.hostname, where.port)) for _ in range(20)]
for connection in crowd:
    connection.sendall(b"GET /v1/mod")  # and nothing more


def ask(method, path, body=None):
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    headers = {"Authorization": "Bearer mine"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    return response.status, response.read().decode()


said = [
    ask("GET", "/v1/models"),
    ask("GET", "/etc/passwd"),
    ask("POST", "/v1/files", {"file": "x"}),
    ask("POST", "/v1/../admin", {}),
    ask("POST", "/v1/chat/completions", []),
    ask("POST", "/v1/messages/count_tokens", {"messages": []}),
]
tools = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
question = {"model": "any", "messages": [{"role": "user", "content": "How?"}], "tools": tools}
said.append(ask("POST", "/v1/chat/completions", question | {"stream": True}))
question = {
    "model": "any",
    "max_tokens": 100,
    "messages": question["messages"],
    "tools": [{"name": "Bash"}],
}
said.append(ask("POST", "/v1/messages", question | {"stream": True}))
question = {"model": "any", "input": "How?", "tools": [{"type": "function", "name": "bash"}]}
said.append(ask("POST", "/v1/responses", question | {"stream": True}))
said.append(ask("POST", "/v1/responses", question | {"tools": [{"type": "web_search"}]}))
said.append(ask("POST", f"http://127.0.0.1:{port}/v1/files", {"file": "x"}))
bot = Path("ada")
notes = {
    "tried": tried,
    "loot": loot,
    "answers": answers,
    "said": said,
    "variables": dict(os.environ),
    "readme": Path(os.environ["ARENA_FEEDBACK"], "README.md").read_text(),
}
print("all of this is kept")
bot.write_text(bot.read_text().replace("SKILL=-4", "SKILL=2") + f"# {json.dumps(notes)}\n")
