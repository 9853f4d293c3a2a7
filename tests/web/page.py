"""What every browser test starts from: a server over the run that the fixture made, a browser, and the page as a person sees it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from webdriver import Browser, free_port, wait_for

WARI = os.environ["WARI_BINARY"]
RUN = os.environ["WARI_TEST_RUN"]
SHOTS = os.environ["WARI_SCREENSHOTS"]
LETTERS = "ABCDEFabcdef"


if not shutil.which("chromedriver") and os.environ.get("WARI_REQUIRE_BROWSER") != "1":
    print("skipped: no chromedriver (scripts/setup.sh tests installs it)")
    sys.exit(77)


class Server:
    def __init__(self, run=RUN):
        self.port = free_port()
        self.run = run
        self.log = tempfile.NamedTemporaryFile(mode="w+", suffix=".log")
        self.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen([WARI, "serve", "--run", self.run, "--port", str(self.port)], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_for("the server", self.answers)

    def answers(self):
        if self.process.poll() is not None:
            with open(self.log.name) as log:
                raise AssertionError(f"wari serve ended with {self.process.returncode}: {log.read()}")
        try:
            return self.get("about")
        except OSError:
            return False

    def get(self, path):
        with urllib.request.urlopen(f"{self.address}/api/{path}", timeout=10) as answer:
            return json.load(answer)

    def post(self, path, body):
        request = urllib.request.Request(f"{self.address}/api/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)


class PageTest(unittest.TestCase):
    """One server and one browser for the tests of a file; each test begins with an empty browser storage, and opens the page itself."""

    expected_console = ()  # parts of console messages that a test provokes on purpose

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.size(1280, 900)
        self.still()
        self.forget()

    def tearDown(self):
        messages = [entry["message"] for entry in self.browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual([message for message in messages if not any(part in message for part in self.expected_console)], [], "the console must stay empty")
        for entry in self.browser.log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] != "Network.requestWillBeSent":
                continue
            url = event["params"]["request"]["url"]
            self.assertTrue(url.startswith((self.server.address + "/", f"blob:{self.server.address}/", "about:", "data:")), f"a request left the server: {url}")

    def forget(self):
        self.browser.open("about:blank")
        self.browser.devtools("Storage.clearDataForOrigin", origin=self.server.address, storageTypes="local_storage")

    def still(self):
        self.browser.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")

    def open(self, view="play"):
        self.browser.open("about:blank")  # so that the same address loads again
        self.browser.open(f"{self.server.address}/#{view}")
        self.browser.one(f"#{view} h1")

    def game(self, **changes):
        """Opens the page with a game that stands in the browser's storage."""
        setup = {"rules": "abapa", "start": None, "moves": "", "players": {"S": "you", "N": "you"}, "strength": None, "agreed": None, "quietUntil": 0, "tags": {}, **changes}
        script = f"if (location.protocol === 'http:') localStorage.setItem('wari.game', {json.dumps(json.dumps(setup))})"
        added = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.open()
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **added)
        self.settled()

    def stored(self):
        return json.loads(self.browser.run("return localStorage.getItem('wari.game')") or '{"moves": ""}')

    def settled(self):
        """Waits until the board shows a game that waits for somebody."""
        return wait_for("a board that waits", lambda: self.label("A") and self.status() not in ("", "Setting up the board") and "thinking" not in self.status())

    def status(self):
        return self.browser.text("#play .status")

    def label(self, letter):
        return self.browser.attribute(f'#play button.pit[data-pit="{letter}"]', "aria-label")

    def labels(self):
        """Name of each pit, A..F, a..f."""
        return self.browser.run("return [...arguments[0]].map((letter) => document.querySelector(`#play button.pit[data-pit=\"${letter}\"]`).getAttribute('aria-label'))", LETTERS)

    def seeds(self):
        """Pits A..F, a..f, then the stores, as a screen reader hears them."""
        stores = self.browser.run("return [...document.querySelectorAll('#play .store')].map((store) => store.getAttribute('aria-label')).sort((a, b) => (a < b ? 1 : -1))")
        return [float(label.split(", ")[1].split()[0]) for label in self.labels() + stores]

    def legal(self):
        return [letter for letter, label in zip(LETTERS, self.labels()) if ", legal" in label]

    def pit(self, letter):
        self.browser.click(f'#play button.pit[data-pit="{letter}"]')

    def moves(self):
        return self.stored()["moves"]

    def wait_moves(self, line):
        """Until these moves are played and the board has the server's answer to the last one."""
        plies = len(line.replace("-", ""))
        wait_for(f"the moves {line} (there are {self.moves()})", lambda: self.moves() == line and self.browser.count("#play .move") == plies)

    def button(self, name):
        """A click on the visible button of that name."""
        def press():
            found = self.browser.run(
                "return [...document.querySelectorAll('button')].find((b) => (b.textContent.trim() === arguments[0] || b.getAttribute('aria-label') === arguments[0])"
                " && b.offsetParent !== null && !b.disabled) ?? null", name)
            if found:
                self.browser.click_element(found)
            return bool(found)
        wait_for(f"the button '{name}'", press)

    def wait_status(self, part):
        return wait_for(f"the status '{part}' (it is '{self.status()}')", lambda: part in self.status())
