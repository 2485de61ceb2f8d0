"""Measures the page in the browser (row D5): a store of a million actions, a list of 100,000 records, 10,000 actions a second."""

import contextlib
import json
import os
import tempfile
import threading
import time

from browser import Browser
from house import Client, House

# The time between frames while something happens, and the tasks of the page that took more than 50 ms, which the browser counts.
WATCH = """(() => {
  window.tasks = []; window.observer?.disconnect();
  window.observer = new PerformanceObserver(list => tasks.push(...list.getEntries().map(entry => entry.duration)));
  observer.observe({type: 'longtask'});
  window.gaps = []; let last = performance.now(); window.watching = true;
  const step = () => { const now = performance.now(); gaps.push(now - last); last = now; if (watching) requestAnimationFrame(step); };
  requestAnimationFrame(step);
})()"""


def gaps(tab):
    found, tasks = tab.run("watching = false, [gaps.slice(1), tasks]")
    return (f"{len(found)} frames, {1000 * len(found) / max(1, sum(found)):.0f} a second, the longest {max(found, default=0):.0f} ms; "
            f"{len(tasks)} tasks above 50 ms, the longest {max(tasks, default=0):.0f} ms")


def a_million(browser):
    house = House("", store=True)
    try:
        begun = time.monotonic()
        for _ in range(100):
            house.run("lua for i = 1, 10000 do dispatch('counter.increment') end")
        print(f"a million actions made in {time.monotonic() - begun:.0f} s", flush=True)
        tab = browser.open("about:blank")
        # No one else's browser tells of each request.
        for domain in ("Network", "Log"):
            tab.call(f"{domain}.disable")
        # Since the navigation began, in the frame in which the rows are there.
        tab.call("Page.addScriptToEvaluateOnNewDocument", source="""(() => { const look = () => {
          if (document.querySelector('#actions .name')?.textContent === 'counter.increment') window.firstRows = performance.now();
          else requestAnimationFrame(look) }; look() })()""")
        times = []
        for _ in range(7):
            tab.go("about:blank")
            tab.wait("location.href === 'about:blank'")
            tab.go(house.address)
            # To ask whether they are there would take processor time from the page.
            time.sleep(1)
            times.append(tab.wait("window.firstRows"))
        print("first rows after", ", ".join(f"{found:.0f}" for found in times), f"ms, median {sorted(times)[3]:.0f}")
        tab.click("#tree .row:nth-child(1)")
        tab.wait("document.querySelector('#tree').innerText.includes('step')")
        head = tab.run("Number(document.querySelector('#slider').max)")
        slider = []
        for part in (0.5, 0.1, 0.9, 0.0001, 0.73, 0.31, 0.999):
            number = int(head * part)
            slider.append(tab.run("""new Promise(done => {
              const slider = document.querySelector('#slider'); const from = performance.now();
              slider.value = %d; slider.dispatchEvent(new Event('input'));
              const look = () => document.querySelector('#tree').innerText.match(/value\\s*%d\\b/) ? done(performance.now() - from) : requestAnimationFrame(look);
              look() })""" % (number, number)))
        print("slider to a point", ", ".join(f"{found:.0f}" for found in slider), "ms")
        tab.key(".")
        tab.run(WATCH)
        for _ in range(40):
            tab.run("document.querySelector('#actions').scrollTop += 190000")
            time.sleep(0.05)
        print("scrolling through a million:", gaps(tab))
        tab.key("/")
        tab.type("counter.reset")
        tab.run(WATCH)
        begun = time.monotonic()
        tab.key("Enter")
        tab.wait("document.querySelector('#actions-empty').innerText.includes('fits the filter')")
        print(f"a filter that nothing fits, after {time.monotonic() - begun:.1f} s: {gaps(tab)}")
    finally:
        house.close()


def many_records(browser):
    house = House("")
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=house.folder, delete=False) as file:
            items = [{"id": number, "title": f"task {number}", "done": False} for number in range(1, 100_001)]
            json.dump({"tasks": {"nextId": 100_001, "items": items}}, file)
        house.run(f"import state {file.name}")
        house.run("lua for id = 1, 2000 do dispatch('tasks.complete', { id = 50 * id }) end")
        tab = browser.open(house.address)
        tab.wait("document.querySelector('#tree').innerText.includes('tasks')")
        tab.run(WATCH)
        tab.key("s")
        tab.key("Home")
        tab.key("ArrowDown")
        tab.key("ArrowRight")
        tab.wait("document.querySelector('#tree').innerText.includes('100,000 elements')")
        tab.key("ArrowDown")
        tab.key("ArrowDown")
        tab.key("ArrowRight")
        tab.wait("document.querySelector('#tree').innerText.includes('task 1')")
        for _ in range(40):
            tab.run("document.querySelector('#tree').scrollTop += 50000")
            time.sleep(0.05)
        tab.key("End")
        tab.wait("document.querySelector('#tree').innerText.includes('task 100000')")
        tab.key("f")
        tab.type("task 777")
        tab.wait("document.querySelector('#tree').innerText.includes('task 777')")
        time.sleep(1)
        tab.key("Escape")
        tab.wait("document.querySelector('#tree').innerText.includes('counter')")
        tab.key("Escape")
        # The actions that changed a record, and those that a word is in.
        for words in ("changed:tasks.items[id=77750]", "id=775", "tasks.complete"):
            tab.key("/")
            tab.key("a", modifiers=2)
            tab.type(words)
            tab.key("Enter")
            tab.wait("/^clear, [1-9].* found/.test(document.querySelector('#unfilter').innerText)"
                     " && document.querySelector('#actions .args').innerText.includes('id=')")
        print("100,000 records opened, scrolled, searched, filtered:", gaps(tab))
    finally:
        house.close()


def a_burst(browser):
    house = House("")
    try:
        tab = browser.open(house.address)
        tab.wait("document.querySelector('#status').className === 'live'")
        done = threading.Event()
        sent = [0]

        def load():
            with Client(house.door) as client:
                begun = time.monotonic()
                while not done.is_set():
                    client.ask('{"run":"lua for i = 1, 100 do dispatch(\\"counter.increment\\") end","quiet":true,"form":"json"}')
                    sent[0] += 100
                    rest = begun + sent[0] / 10_000 - time.monotonic()
                    if rest > 0:
                        time.sleep(rest)

        thread = threading.Thread(target=load)
        thread.start()
        time.sleep(1)
        tab.run(WATCH)
        from_number, begun = sent[0], time.monotonic()
        time.sleep(6)
        rate = (sent[0] - from_number) / (time.monotonic() - begun)
        print(f"{rate:,.0f} actions a second arrive: {gaps(tab)}; the page shows {tab.text('#total')}")
        done.set()
        thread.join()

        def threads():
            """The processor time of each thread of the host, in nanoseconds."""
            found = {}
            for task in os.scandir(f"/proc/{house.host.pid}/task"):
                with contextlib.suppress(OSError), open(f"{task.path}/schedstat") as file:
                    found[task.name] = int(file.read().split()[0])
            return found

        def rate_of(statement="lua for i = 1, 500000 do dispatch('counter.increment') end"):
            """The actions a second, and those in a second of the processor that the dispatching thread, the busiest, had."""
            before, begun = threads(), time.monotonic()
            house.run(statement)
            seconds, after = time.monotonic() - begun, threads()
            return 500_000 / seconds, 500_000e9 / max(time - before.get(name, 0) for name, time in after.items())

        rows = []
        for _ in range(7):
            # The browser has loaded the page, and ended the one before.
            time.sleep(2)
            seen = rate_of()
            tab.close()
            time.sleep(2)
            alone = rate_of()
            rows.append((seen, alone))
            tab = browser.open(house.address)
            tab.wait("document.querySelector('#status').className === 'live'")
        for place, unit in ((0, "a second"), (1, "in a second of its thread's processor time")):
            share = sorted(seen[place] / alone[place] for seen, alone in rows)
            best = [max(rates[place] for rates in column) for column in zip(*rows)]
            print(f"the host dispatches {best[0]:,.0f} {unit} with the page open, {best[1]:,.0f} alone (the best of 7): "
                  f"{100 * best[0] / best[1]:.0f} %, median of the shares {100 * share[3]:.0f} %", flush=True)
    finally:
        house.close()


if __name__ == "__main__":
    browser = Browser()
    try:
        a_burst(browser)
        many_records(browser)
        a_million(browser)
    finally:
        browser.close()
