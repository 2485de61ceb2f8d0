"""A headless Chromium, driven over the pipe of its DevTools protocol: needs nothing but the browser and Python."""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time


class BrowserError(Exception):
    pass


class Browser:
    """A browser with a profile of its own, which goes with it."""

    def __init__(self):
        program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
        if program is None:
            raise BrowserError("there is no chromium; scripts/test-page installs it")
        self.profile = tempfile.mkdtemp(prefix="stsh-page-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def place_pipes():
            # The browser reads requests from descriptor 3 and writes answers to 4.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b""
        self.number = 0
        self.events = []

    def close(self):
        try:
            self.call("Browser.close")
        except (BrowserError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self, until):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.input], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise BrowserError("the browser does not answer")
            block = os.read(self.input, 1 << 16)
            if not block:
                raise BrowserError("the browser has gone")
            self.rest += block
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, session=None, timeout=120, **params):
        self.number += 1
        number = self.number
        request = {"id": number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        until = time.monotonic() + timeout
        while True:
            message = self._message(until)
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def open(self, address, width=1280, height=800, dark=False):
        return Tab(self, address, width, height, dark)


class Tab:
    """A page in a context of its own, so that tabs share no storage."""

    def __init__(self, browser, address, width, height, dark):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        self.target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.look(width, height, dark)
        self.go(address)

    def call(self, method, **params):
        return self.browser.call(method, session=self.session, **params)

    def close(self):
        """Closes the page; a second time nothing happens."""
        if self.context:
            self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
            self.context = None

    def look(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def go(self, address):
        self.call("Page.navigate", url=address)

    def run(self, script):
        """The value of a script; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, condition, seconds=60):
        """Waits until a script gives something true, and returns that."""
        until = time.monotonic() + seconds
        while True:
            try:
                # What is no value, such as an element, is true.
                value = self.run(f"(() => {{ const found = {condition}; return found instanceof Node ? true : found }})()")
            except BrowserError:
                value = None
            if value:
                return value
            if time.monotonic() > until:
                raise BrowserError(f"waited for: {condition}\n{' '.join(self.text().split())[:700]}")
            time.sleep(0.03)

    def text(self, selector="body"):
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def press(self, selector, found=None, x=None):
        """Presses the pointer on what a selector finds, or a script, so far from its left; what moves away before the press gets there is aimed at again."""
        found = found or f"document.querySelector({json.dumps(selector)})"
        until = time.monotonic() + 60
        while True:
            at = self.wait(
                "(() => { const find = () => %s; const found = find(); if (!found) return null;"
                "found.scrollIntoView({block: 'nearest', inline: 'nearest'}); const box = found.getBoundingClientRect();"
                "const at = {x: box.x + (%s ?? Math.min(box.width / 2, 60)), y: box.y + box.height / 2};"
                "if (!box.width || !found.contains(document.elementFromPoint(at.x, at.y))) return null;"
                "addEventListener('mousedown', (event) => { window.isAimed = find()?.contains(event.target) }, {capture: true, once: true});"
                "return at })()" % (found, json.dumps(x)))
            self.point("mouseMoved", at)
            self.point("mousePressed", at)
            if self.run("window.isAimed"):
                return at
            if time.monotonic() > until:
                raise BrowserError(f"the pointer does not reach {found}")
            # Released elsewhere, this press does nothing.
            self.point("mouseMoved", {"x": 1, "y": 1})
            self.point("mouseReleased", {"x": 1, "y": 1})

    def point(self, kind, at, count=1):
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": count}
        self.call("Input.dispatchMouseEvent", type=kind, x=at["x"], y=at["y"], **button)

    def drag(self, to):
        """Moves the pointer while it is pressed."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", button="left", buttons=1, **to)

    def release(self, at, count=1):
        self.point("mouseReleased", at, count)

    def click(self, selector, found=None, x=None):
        """A click of the pointer on what a selector finds, wherever that is drawn."""
        self.release(self.press(selector, found, x))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def key(self, name, modifiers=0):
        self.key_down(name, modifiers)
        self.key_up(name, modifiers)

    @staticmethod
    def _key(name, modifiers):
        text = name if len(name) == 1 else {"Enter": "\r", "Space": " "}.get(name)
        key = " " if name == "Space" else name
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39,
                 "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33, "Space": 32}
        code = codes.get(name, ord(name.upper()) if len(name) == 1 else 0)
        return text, dict(key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def key_down(self, name, modifiers=0):
        text, params = self._key(name, modifiers)
        if text and not modifiers & 6:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **params)
        else:
            self.call("Input.dispatchKeyEvent", type="rawKeyDown", **params)

    def key_up(self, name, modifiers=0):
        _, params = self._key(name, modifiers)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def accessible(self):
        """The nodes of the accessibility tree that are not ignored, as (role, name, node)."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""), node) for node in nodes if not node.get("ignored")]

    def frames(self):
        """The frames of the page's WebSockets until now: (True if the page sent it, its text)."""
        self.run("0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") == self.session and event["method"] in ("Network.webSocketFrameSent", "Network.webSocketFrameReceived"):
                response = event["params"]["response"]
                data = response["payloadData"]
                text = data if response["opcode"] == 1 else base64.b64decode(data).decode(errors="replace")
                found.append((event["method"].endswith("Sent"), text))
        return found

    def answered(self, request):
        """Waits until a request of the page that holds a text, the last of such, has its answer."""
        until = time.monotonic() + 60
        while True:
            frames = self.frames()
            sent = [json.loads(text)["id"] for isSent, text in frames if isSent and request in text]
            if sent and any(re.search(r'"id":%d\b' % sent[-1], text) for isSent, text in frames if not isSent):
                return
            if time.monotonic() > until:
                raise BrowserError(f"no answer to {request}")
            time.sleep(0.03)

    def complaints(self):
        """What the browser has said of the page: errors of scripts, and what its policy refused."""
        self.run("0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found
