"""Makes the pictures of README from a real run: one light, one dark, in docs/pictures."""

import os
import sys
import time

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
        tab.click("#console")
        for line in ("dispatch tasks.complete id=3", "show tasks.open"):
            tab.type(line)
            tab.key("Enter")
            time.sleep(0.5)
        tab.click("#tree .row:nth-child(3)")
        tab.wait("[...document.querySelectorAll('#tree b')].some(name => name.textContent === 'left')")
        tab.run("[...document.querySelectorAll('#tree .row')].find(row => row.querySelector('b').textContent === 'left').querySelector('.pin').click()")
        tab.wait("document.querySelector('.pinned-chart .line')")
        time.sleep(6)
        tab.run("document.querySelector('#console').blur()")
        at = tab.run("(() => { const row = [...document.querySelectorAll('#actions .row')].find(row => row.querySelector('.name').textContent === 'tasks.complete');"
                     "const box = row.getBoundingClientRect(); return {x: box.x + 60, y: box.y + 10} })()")
        tab.click_at(at["x"], at["y"])
        tab.wait("document.querySelector('#action .change')")
        if dark:
            tab.click("#back")
            tab.click("#back")
            tab.click("#back")
        time.sleep(0.6)
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
