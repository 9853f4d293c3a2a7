"""A browser under the WebDriver protocol, as far as these tests need it: chromedriver's JSON over HTTP and nothing else."""

import base64
import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Tab": "\ue004", "Home": "\ue011", "End": "\ue010"}
PATIENCE = 20  # seconds


class WebDriverError(Exception):
    pass


def free_port():
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, condition, seconds=PATIENCE):
    """The first true value of `condition`; an error that names what was waited for."""
    end = time.monotonic() + seconds
    last = None
    while time.monotonic() < end:
        try:
            value = condition()
            if value:
                return value
        except WebDriverError as error:  # an element that was replaced while it was looked at
            last = error
        time.sleep(0.03)
    raise AssertionError(f"waited {seconds} s in vain for {what}" + (f": {last}" if last else ""))


class Browser:
    def __init__(self):
        driver = shutil.which("chromedriver")
        if not driver:
            raise AssertionError("no chromedriver: scripts/setup.sh tests installs Debian's chromium and chromium-driver")
        self.folder = tempfile.mkdtemp(prefix="wari-browser-")
        self.port = free_port()
        self.process = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            wait_for("chromedriver", self._ready)
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
                         "--no-first-run", f"--user-data-dir={self.folder}/profile"]
            wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = f"/session/{answer['sessionId']}"
        except BaseException:
            self.process.terminate()
            self.process.wait()
            raise
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.folder)
        self.open("about:blank")
        self.log("performance")  # what the browser's own first page asked for

    def close(self):
        try:
            self._send("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _ready(self):
        try:
            return self._send("GET", "/status")["ready"]
        except OSError:
            return False

    def _send(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, None if method == "GET" else json.dumps(body or {}), {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise WebDriverError(f"{value['error']}: {value['message'].splitlines()[0]}")
        return value

    def _do(self, method, path, body=None):
        return self._send(method, self.session + path, body)

    # Pages

    def open(self, address):
        self._do("POST", "/url", {"url": address})

    def tab(self):
        """The one that is driven now."""
        return self._do("GET", "/window")

    def new_tab(self):
        return self._do("POST", "/window/new", {"type": "tab"})["handle"]

    def switch(self, tab):
        self._do("POST", "/window", {"handle": tab})

    def close_tab(self):
        self._do("DELETE", "/window")

    def reload(self):
        self._do("POST", "/refresh")

    def run(self, script, *arguments):
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self._do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, **features):
        """media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")"""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def screenshot(self, path, height):
        width, seen = self.run("return [innerWidth, innerHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=height > seen, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def log(self, kind):
        return self._do("POST", "/se/log", {"type": kind})

    # Elements, by CSS selector

    def all(self, selector):
        return [found[ELEMENT] for found in self._do("POST", "/elements", {"using": "css selector", "value": selector})]

    def one(self, selector):
        return wait_for(selector, lambda: self.all(selector))[0]

    def click(self, selector):
        wait_for(f"a click on {selector}", lambda: self._click(selector))

    def _click(self, selector):
        found = self.all(selector)
        if found:
            self.click_element({ELEMENT: found[0]})
        return bool(found)

    def click_element(self, element):
        self._do("POST", f"/element/{element[ELEMENT]}/click")

    def type(self, selector, text):
        self._do("POST", f"/element/{self.one(selector)}/value", {"text": text})

    def clear(self, selector):
        self._do("POST", f"/element/{self.one(selector)}/clear")

    def press(self, *keys):
        """Keys for whatever has the focus: letters, or names from KEYS."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self._do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def attribute(self, selector, name):
        return self.run("return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null", selector, name)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)
