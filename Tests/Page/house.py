"""A host with a door, and the page's program before it, in a folder that goes with them."""

import contextlib
import json
import os
import pty
import select
import shutil
import signal
import socket
import socketserver
import subprocess
import tempfile
import threading
import time

STSH = os.environ["STSH"]
ORDER_BOOK = os.environ.get("STSH_ORDER_BOOK")
INSPECTOR = os.environ["STSH_INSPECTOR"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

EXAMPLE = """\
plugin load pomodoro
dispatch tasks.add "Buy milk"
dispatch tasks.add "Write report"
dispatch tasks.add "Water the plants"
dispatch tasks.complete id=1
dispatch counter.increment by=4
"""


def show(door):
    """Starts the page of a door.

    Returns its process and its address."""
    process = subprocess.Popen([INSPECTOR, door], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


class House:
    def __init__(self, script=EXAMPLE, allow=(), store=False):
        self.folder = tempfile.mkdtemp(prefix="stsh-house-")
        self.door = f"{self.folder}/door"
        self.allow = [word for right in allow for word in ("--allow", right)]
        self.store = ["--store", f"{self.folder}/store.db"] if store else []
        self.script = f"{self.folder}/example.stsh"
        with open(self.script, "w") as file:
            file.write(script)
        self.errors = open(f"{self.folder}/errors", "w+")
        self.environment = dict(os.environ, XDG_STATE_HOME=self.folder, XDG_CONFIG_HOME=self.folder)
        try:
            self.start([self.script])
            actions = sum(line.split(" ")[0] in ("plugin", "dispatch") for line in script.splitlines())
            while self.ask('{"time":true}')["head"] < actions:
                time.sleep(0.05)
        except BaseException:
            self.host.kill()
            self.host.wait()
            raise
        self.show()

    def show(self):
        """Starts the page."""
        self.inspector, self.address = show(self.door)
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.token = self.address.split("#")[1]

    def start(self, more=()):
        self.host = subprocess.Popen(
            [STSH, "serve", "--listen", self.door, "--grant", "pomodoro", *self.allow, *self.store, *more],
            stdout=subprocess.DEVNULL, stderr=self.errors, cwd=ROOT, env=self.environment)
        self.hear()

    def hear(self):
        """Waits until the host answers at its door."""
        until = time.monotonic() + 60
        while True:
            try:
                return self.ask('{"time":true}')
            except OSError:
                if time.monotonic() > until or self.host.poll() is not None:
                    self.errors.seek(0)
                    raise RuntimeError(f"the host does not serve: {self.errors.read()}")
                time.sleep(0.05)

    def stop(self, kill=False):
        self.host.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        self.host.wait(30)

    def close(self):
        for process in (self.inspector, self.host):
            if process.poll() is None:
                process.terminate()
            process.wait(30)
        self.inspector.stdout.close()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, request):
        """Another client's request, and its answer."""
        with Client(self.door) as client:
            return client.ask(request)

    def run(self, statement):
        return self.ask(json.dumps({"run": statement, "form": "json"}))


class OrderBook(House):
    """The example OrderBook, whose traders keep it busy."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="stsh-house-")
        os.mkdir(f"{self.folder}/stsh", 0o700)
        self.door = f"{self.folder}/stsh/orderbook"
        self.errors = open(f"{self.folder}/errors", "w+")
        self.host = subprocess.Popen(
            [ORDER_BOOK, "5000"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.errors, cwd=ROOT,
            env=dict(os.environ, XDG_RUNTIME_DIR=self.folder, XDG_STATE_HOME=self.folder, XDG_CONFIG_HOME=self.folder))
        self.hear()
        self.show()

    def close(self):
        # Its prompt ends with its input.
        self.host.stdin.close()
        super().close()


class Client:
    def __init__(self, door):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        try:
            self.socket.connect(door)
        except OSError:
            self.socket.close()
            raise
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.greeting = json.loads(self.lines.readline() or "{}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def ask(self, request):
        self.socket.sendall(request.encode() + b"\n")
        line = self.lines.readline()
        if not line:
            raise OSError("the door has ended the conversation")
        return json.loads(line)


class Prompt:
    """A person at a terminal who is attached to a house."""

    def __init__(self, house, name):
        self.terminal, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [STSH, "--attach", house.door], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
            env=dict(house.environment, STSH_WHO=name, TERM="xterm"))
        os.close(terminal)
        self.shown = ""
        self.wait("stsh> ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.terminal)
        self.process.wait(30)

    def type(self, line):
        os.write(self.terminal, f"{line}\r".encode())

    def wait(self, *texts, seconds=60):
        """Waits until all of some texts are on the screen."""
        until = time.monotonic() + seconds
        while not all(text in self.shown for text in texts):
            ready, _, _ = select.select([self.terminal], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise RuntimeError(f"waited for {texts}: {self.shown[-700:]}")
            self.shown += os.read(self.terminal, 1 << 16).decode(errors="replace")


class FakeHost:
    """A door at which every name is one text, and the names of actions and of parts of the state are another."""

    def __init__(self, name, long):
        self.name, self.long = name, long
        self.folder = tempfile.mkdtemp(prefix="stsh-house-")
        self.door = f"{self.folder}/door"
        fake = self

        class Conversation(socketserver.StreamRequestHandler):
            def handle(self):
                self.tell({"door": 1, "program": name, "process": 1, "allow": ["all", name], "prompt": name, "head": 2, "user": name, "who": name})
                # A page that goes may reset its connection.
                with contextlib.suppress(ConnectionError):
                    for line in self.rfile:
                        self.answer(json.loads(line))

            def answer(self, request):
                self.tell({"id": request["id"], **fake.answer(request)})
                if request.get("follow"):
                    self.tell({"event": "actions", "id": request["id"], "head": 3, "folded": 0, "entries": [fake.entry(3)]})

            def tell(self, line):
                # A page that goes does not read the rest.
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(json.dumps(line).encode() + b"\n")

        self.server = socketserver.ThreadingUnixStreamServer(self.door, Conversation)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.inspector, self.address = show(self.door)

    def close(self):
        self.inspector.terminate()
        self.inspector.wait(30)
        self.inspector.stdout.close()
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def entry(self, number):
        name = self.name
        return {
            "id": number, "at": 1, "action": self.long, "args": {name: name}, "failure": name, "reason": f"{name}\n{self.long}",
            "source": {"file": name, "line": 1, "function": name, "kind": name, "info": name, "who": name, "user": name},
            "changes": [{"path": name, "op": "replace", "from": self.long, "to": {name: name}}]}

    def answer(self, request):
        name = self.name
        if "who" in request:
            return {"user": name, "who": name}
        if "time" in request:
            return {"time": 1, "oldest": 0, "head": 2}
        if "follow" in request:
            return {"head": 2}
        if "log" in request:
            return {"entries": [self.entry(number) for number in range(request["log"], min(request.get("to", 3), 3) + 1)]}
        if "parts" in request:
            return {"type": name, "count": 1, "parts": [{"name": self.long, "path": name, "type": name, "value": {name: name}, "opens": True, "count": 1}]}
        if "read" in request:
            return {"value": name, "count": 1}
        if "run" in request:
            statement = request["run"]
            one = {
                "show shell.middleware": {"name": name, "origin": name, "gate": "on", "seen": 1, "held": 0, "dropped": 0},
                "show shell.effects": {"id": name, "age": name, "wakes": name, "startedBy": name},
                "show shell.plugins": {"name": name, "version": name, "state": name},
                "show shell.permissions": {"plugin": name, "permission": name, "required": False, "uses": 1},
                "show shell.faults": {"action": 2, "plugin": name, "unit": name, "effect": name, "code": name, "message": self.long},
                "describe": {"module": name},
            }.get(statement)
            data = [one] if one else {"module": name, "actions": [
                {"name": name, "doc": name, "arguments": [{"name": name, "type": name, "doc": name}]}]}
            if request.get("form") == "json":
                return {"results": [{"ok": True, "line": 1, "data": data}], "status": 0}
            return {"output": [{"out": name, "style": name}, {"err": name}], "status": 0, "prompt": name}
        return {"candidates": [], "from": 0, "form": name}
