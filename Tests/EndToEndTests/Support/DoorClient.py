"""A client of a door, written from the documentation with the standard library alone.

Usage: DoorClient.py PATH. Prints what it finds, a line each.
"""
import json
import socket
import sys


class Door:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.number = 0
        self.events = []
        self.hello = json.loads(self.lines.readline())

    def ask(self, **request):
        """Sends a request and gives its answer; the parts of a long one are put together."""
        self.number += 1
        self.socket.sendall((json.dumps({"id": self.number, **request}) + "\n").encode())
        output, results = [], []
        while True:
            message = json.loads(self.lines.readline())
            if "event" in message or message.get("id") != self.number:
                self.events.append(message)
                continue
            output += message.get("output", [])
            results += message.get("results", [])
            if set(message) - {"id", "output", "results"}:
                return {**message, "output": output, "results": results}

    def event(self):
        return self.events.pop(0) if self.events else json.loads(self.lines.readline())


def text(answer, kind="out"):
    return "".join(piece.get(kind, "") for piece in answer["output"])


door, other = Door(sys.argv[1]), Door(sys.argv[1])
print(door.hello["door"], door.hello["program"], door.hello["allow"])
print(door.ask(run="dispatch tasks.add \"Buy milk\"", form="json")["results"][0]["data"]["action"])
print(text(door.ask(run="show tasks.summary --as raw")), end="")
failed = door.ask(run="dispatch tasks.nothing")
print(failed["status"], text(failed, "err").splitlines()[0])
print(other.ask(watch="counter.value")["results"][0]["ok"])
door.ask(run="dispatch counter.increment by=3")
seen = other.event()
print(seen["event"], seen["path"], seen["from"], seen["to"])
print(door.ask(read="tasks.items", count=1)["value"][0]["title"])
print(door.ask(read="counter.value", at=1)["value"])
print([entry["action"] for entry in door.ask(log=1)["entries"]])
print([found["text"] for found in door.ask(complete="show tasks.s")["candidates"]])
look = door.ask(decorate="dispatch tasks.add ")
print(look["styles"], look["form"])
other.ask(follow=True)
door.ask(run="dispatch counter.reset")
while (seen := other.event())["event"] != "actions":
    pass
print(seen["entries"][0]["action"], seen["entries"][0]["source"]["kind"])
long = door.ask(run="lua print(('x'):rep(3000000))")
print(len(text(long)))
print(door.ask(run="lua if true then\n", more=True)["open"])
print(text(door.ask(run="print('whole') end\n", more=True)), end="")
print(door.ask(time=True)["head"])
print(door.ask(nonsense=1)["error"]["code"])
print(door.ask(run="quit 4")["quit"], repr(door.lines.readline()))
