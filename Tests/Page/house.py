"""A host with a door, and the page's program before it, in a folder that goes with them."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

STSH = os.environ["STSH"]
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
        self.inspector = subprocess.Popen([INSPECTOR, self.door], stdout=subprocess.PIPE, text=True)
        self.address = self.inspector.stdout.readline().strip()
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.token = self.address.split("#")[1]

    def start(self, more=()):
        self.host = subprocess.Popen(
            [STSH, "serve", "--listen", self.door, "--grant", "pomodoro", *self.allow, *self.store, *more],
            stdout=subprocess.DEVNULL, stderr=self.errors, cwd=ROOT, env=self.environment)
        until = time.monotonic() + 60
        while True:
            try:
                return self.ask('{"time":true}')
            except OSError:
                if time.monotonic() > until or self.host.poll() is not None:
                    self.errors.seek(0)
                    raise RuntimeError(f"stsh does not serve: {self.errors.read()}")
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
