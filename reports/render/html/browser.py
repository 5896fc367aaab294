# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium for tests, controlled through chromedriver's HTTP interface. Implements only the commands that
the tests of the HTML report need, with the standard library."""
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = os.environ.get("ASSAY_CHROMEDRIVER") or shutil.which("chromedriver")
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": "\ue00d"}
AXE = os.environ.get("ASSAY_AXE", "")
DEADLINE = 120.0


class Browser:
    """One session. Every wait polls a condition with a deadline; there are no fixed delays."""

    def __init__(self, dark=False, script=True, width=1400, height=1000):
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
        self.address = f"http://127.0.0.1:{self._port()}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}", "--hide-scrollbars"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        options = {"binary": CHROMIUM, "args": arguments,
                   "perfLoggingPrefs": {"enableNetwork": True, "enablePage": False}}
        if not script:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "timeouts": {"script": int(DEADLINE * 1000)},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{answer['sessionId']}"
        if width < 500:  # Chromium makes no narrower window
            screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self._ask("POST", self.session + "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": screen})

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise RuntimeError("chromedriver did not start")

    def _ask(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        with contextlib.suppress(Exception):
            self._ask("DELETE", self.session)
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()

    def open(self, address):
        self._ask("POST", self.session + "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs a JavaScript function body and returns its result."""
        return self._ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """Like run(), for asynchronous code: the script passes its result to its last argument."""
        return self._ask("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments):
        """Waits until a JavaScript expression is true. Returns its value."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            value = self.run(f"return {script}", *arguments)
            if value:
                return value
        raise AssertionError(f"never true: {script}")

    def violations(self):
        """The findings of axe-core about the page, one text each. ASSAY_AXE names the file."""
        # The browser's driver injects the script, because the page's security policy refuses a script element.
        with open(AXE, encoding="utf-8") as file:
            self.run(file.read() + ";window.axe = axe")
        found = self.run_async("axe.run().then(arguments[0])")
        return [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0]['failureSummary']}"
                for v in found["violations"]]

    def keys(self, *names):
        """Presses and releases each key in the focused element. A key is a name of KEYS or a character."""
        actions = []
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, selector):
        """Clicks at the position of the element on the screen, as a user does."""
        found = self._ask("POST", self.session + "/element", {"using": "css selector", "value": selector})
        self._ask("POST", f"{self.session}/element/{next(iter(found.values()))}/click", {})

    def log(self, kind):
        return self._ask("POST", self.session + "/se/log", {"type": kind})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("GET", self.session + "/screenshot")))

    def print_pdf(self):
        return base64.b64decode(self._ask("POST", self.session + "/print", {}))
