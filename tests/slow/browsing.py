"""A headless browser with its console messages and network requests."""

import json
import shutil

import pytest


class Browser:
    """Chromium; `problems` and `requests` return what is new since the last call."""

    def __init__(self):
        binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not binary or not driver:
            pytest.skip("no browser: apt-get install chromium chromium-driver")
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))

    def open(self, address):
        self.driver.get("about:blank")  # a change of the fragment alone does not load a page
        self.problems()
        self.requests()
        self.driver.get(address)
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, 60).until(lambda _: self._ready(address))

    def _ready(self, address):
        """Whether the page is loaded and its scripts have run."""
        script = "return document.readyState === 'complete' && location.href.split('#')[0]"
        return self.run(script) == address.split("#")[0]

    def problems(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Requested addresses, without the browser's own pages."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return [url for url in urls if not url.startswith(("about:", "chrome:"))]

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def click(self, selector):
        """Click by script, also where another element covers the target."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def choose(self, selector, value):
        self.run(
            "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change', {bubbles: true}))",
            selector,
            value,
        )

    def type(self, selector, value):
        self.run(
            "const i = document.querySelector(arguments[0]); i.value = arguments[1];"
            "for (const n of ['input', 'change'])"
            " i.dispatchEvent(new Event(n, {bubbles: true}))",
            selector,
            value,
        )

    def keys(self, key):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(key).perform()
