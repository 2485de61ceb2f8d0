"""Makes the pictures of README from a real run: one light, one dark, in docs/pictures."""

import os
import sys

from browser import Browser
from house import ROOT, House

SCRIPT = """\
plugin load pomodoro
dispatch tasks.add "Buy milk"
dispatch tasks.add "Write report"
dispatch tasks.add "Water the plants"
dispatch tasks.complete id=1
dispatch counter.increment by=4
dispatch counter.setStep to=2
dispatch counter.increment
dispatch tasks.add "Call Ann back"
dispatch counter.decrement by=3
"""


def take(browser, dark):
    house = House(SCRIPT)
    try:
        house.run("dispatch pomodoro.start minutes=1 task=2")
        tab = browser.open(house.address, 1280, 800, dark)
        tab.wait("document.querySelectorAll('#actions .row:not([hidden]) .name').length > 5")
        # The rest of the page comes behind the list.
        tab.wait("document.querySelectorAll('#tree .row:not([hidden])').length > 1")
        tab.click("#console")
        for line, answer in (("dispatch tasks.complete id=3", "false -> true"), ("show tasks.open", "Call Ann back")):
            tab.type(line)
            tab.key("Enter")
            tab.wait(f"document.querySelector('#console-log').innerText.includes({answer!r})")
        row = "[...document.querySelectorAll('#%s .row:not([hidden])')].find(row => row.querySelector('%s').textContent === '%s')"
        tab.click(None, row % ("tree", "b", "pomodoro"))
        tab.wait(row % ("tree", "b", "left"))
        tab.run(f"({row % ('tree', 'b', 'left')}).querySelector('.pin').click()")
        # So much of the clock's work that a line can be seen.
        tab.wait("[...document.querySelectorAll('#actions .times')].some(times => /[6-9]$/.test(times.textContent))")
        tab.wait("document.querySelector('.pinned-chart .line')")
        tab.click(None, row % ("actions", ".name", "tasks.complete"))
        tab.wait("document.querySelector('#action .change')")
        if dark:
            for _ in range(3):
                tab.click("#back")
            tab.wait("document.querySelector('#mode').innerText === 'look only'")
            tab.wait("document.querySelector('#action .chain li')")
        tab.run("document.activeElement.blur()")
        tab.point("mouseMoved", {"x": 640, "y": 18})
        tab.wait("document.querySelector('#tree').getAttribute('aria-busy') === 'false'")
        tab.picture(f"{ROOT}/docs/pictures/page-{'dark' if dark else 'light'}.png")
    finally:
        house.close()


if __name__ == "__main__":
    os.makedirs(f"{ROOT}/docs/pictures", exist_ok=True)
    browser = Browser()
    try:
        for dark in (False, True):
            take(browser, dark)
    finally:
        browser.close()
    sys.exit(0)
