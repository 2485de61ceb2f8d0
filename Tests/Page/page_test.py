"""The page in a real browser: what it shows, by pointer and by keyboard, and what it refuses."""

import base64
import contextlib
import http.client
import json
import os
import pwd
import signal
import socket
import struct
import tempfile
import time
import unittest

from browser import Browser
from house import EXAMPLE, FakeHost, House, OrderBook, Prompt

PICTURES = os.environ.get("STSH_PICTURES", tempfile.gettempdir())
LIVE = "document.querySelector('#status').className === 'live' && document.querySelectorAll('#actions .row:not([hidden]) .name').length > 0"

browser = None


def setUpModule():
    global browser
    browser = Browser()


def tearDownModule():
    browser.close()


class PageCase(unittest.TestCase):
    script = EXAMPLE
    allow = ()
    store = False

    def setUp(self):
        self.house = House(self.script, self.allow, self.store)
        self.addCleanup(self.house.close)
        self.tabs = []

    def open(self, width=1280, height=800, dark=False, address=None):
        tab = browser.open(address or self.house.address, width, height, dark)
        self.addCleanup(tab.close)
        self.tabs.append(tab)
        return tab

    def page(self, **how):
        tab = self.open(**how)
        tab.wait(LIVE)
        return tab

    def see(self, tab, selector, text, seconds=60):
        tab.wait(f"(document.querySelector({json.dumps(selector)})?.innerText ?? '').includes({json.dumps(text)})", seconds)

    @staticmethod
    def row_of(name):
        return ("[...document.querySelectorAll('#actions .row:not([hidden])')]"
                ".find(row => row.querySelector('.name').textContent.endsWith(%s))" % json.dumps(name))

    @staticmethod
    def part_of(name, selector="b"):
        return ("[...document.querySelectorAll('#tree .row:not([hidden])')].find(row => row.querySelector('b').textContent === %s)"
                "?.querySelector(%s)" % (json.dumps(name), json.dumps(selector)))

    def row(self, tab, name):
        """Clicks the row of an action."""
        tab.click(None, self.row_of(name))

    def part(self, tab, name, selector="b"):
        """Clicks a part of the state, or something in its row."""
        if selector != "b":
            # A button of a row is there while the pointer is.
            tab.point("mouseMoved", tab.wait(
                "(() => { const box = %s?.getBoundingClientRect(); return box && {x: box.x + 5, y: box.y + box.height / 2} })()" % self.part_of(name)))
        tab.click(None, self.part_of(name, selector))

    def quiet(self, tab):
        self.assertEqual(tab.complaints(), [])


class PointerTests(PageCase):
    """Every part of the page, by the pointer."""

    def test_actions_and_one_action(self):
        tab = self.page()
        self.see(tab, "#actions", "tasks.complete id=1")
        self.see(tab, "#total", "6 actions")
        self.row(tab, "tasks.complete")
        self.see(tab, "#action", "tasks.items[id=1].done")
        self.assertIn("false", tab.text("#action .old"))
        self.assertIn("true", tab.text("#action .new"))
        self.assertIn("example.stsh:5", tab.text("#action"))
        tab.click("#filter")
        tab.type("changed:tasks.items by:example")
        tab.wait("document.querySelectorAll('#actions .row:not([hidden]) .n').length && !document.querySelector('#actions').innerText.includes('counter')")
        self.see(tab, "#actions", "tasks.add")
        # Words of the arguments are found too.
        names = "[...document.querySelectorAll('#actions .row:not([hidden])')].filter(row => row.querySelector('.n').textContent).map(row => row.querySelector('.args').textContent.trim())"
        for words, found in (("PLANTS", ['title="Water the plants"']), ('"write rep" add', ['title="Write report"']), ("id=1", ["id=1"]), ("by=4", ["by=4"])):
            tab.click("#filter")
            tab.key("a", modifiers=2)
            tab.type(words)
            tab.key("Enter")
            tab.wait(f"JSON.stringify({names}) === {json.dumps(json.dumps(found, separators=(',', ':')))}")
        self.see(tab, "#unfilter", "clear, 1 found")
        tab.click("#filter")
        tab.key("a", modifiers=2)
        tab.type("nothing like it")
        tab.key("Enter")
        self.see(tab, "#actions-empty", "No action up to #6 fits the filter")
        # A filter that is none says so where the actions were.
        tab.click("#filter")
        tab.key("a", modifiers=2)
        tab.type("changed:[")
        tab.key("Enter")
        self.see(tab, "#actions-empty", "This filter cannot be read")
        tab.wait("document.querySelector('#filter').getAttribute('aria-invalid') === 'true'")
        tab.click("#filter")
        tab.key("a", modifiers=2)
        tab.type("#99")
        tab.key("Enter")
        self.see(tab, "#action", "There is no action of this number yet; the last is #6")
        # Escape takes the filter away.
        tab.click("#filter")
        tab.key("Escape")
        self.see(tab, "#actions", "tasks.complete id=1")
        tab.wait("document.querySelector('#unfilter').hidden")
        self.quiet(tab)

    def test_causes_are_a_tree(self):
        self.house.run("dispatch pomodoro.start minutes=1 task=2")
        tab = self.page()
        tab.wait("[...document.querySelectorAll('#actions .name')].some(name => name.textContent === 'pomodoro.tick')")
        self.row(tab, "pomodoro.tick")
        self.see(tab, "#action .chain", "pomodoro.start")
        self.row(tab, "pomodoro.start")
        # What it causes from now on comes there too.
        caused = "Number(/^caused (\\d+)/.exec([...document.querySelectorAll('#action h4')].map(head => head.textContent).find(text => /^caused \\d/.test(text)))?.[1])"
        now = tab.wait(caused)
        tab.wait(f"{caused} > {now}")
        self.quiet(tab)

    def test_state_slider_and_chart(self):
        tab = self.page()
        self.part(tab, "tasks")
        self.part(tab, "items")
        self.see(tab, "#tree", 'title "Buy milk", done true')
        self.part(tab, "nextId", ".pin")
        tab.wait("document.querySelector('.pinned-chart .line')")
        self.see(tab, "#pins", "tasks.nextId")
        self.house.run('dispatch tasks.add "Sing"')
        self.see(tab, "#tree", "Sing")
        tab.wait("document.querySelector('.pinned-chart .strong').textContent === '5'")
        self.part(tab, "nextId", ".why")
        tab.wait("document.querySelector('#filter').value === 'changed:tasks.nextId'")
        tab.wait("(names => names.length === 4 && names.every(name => name.textContent === 'tasks.add'))"
                 "([...document.querySelectorAll('#actions .row:not([hidden]) .name')].filter(name => name.textContent))")
        # The chart leads to the action of a change, by the pointer and by keys.
        tab.click(".pinned-chart svg", x=3)
        self.see(tab, "#mode", "look only")
        first = tab.text("#point")
        tab.key("ArrowRight")
        tab.wait(f"document.querySelector('#point').innerText !== {json.dumps(first)}")
        tab.wait("document.querySelector('#action h3')?.textContent === 'tasks.add'")
        tab.wait("document.querySelector('#title-action').textContent === document.querySelector('#point').textContent")
        tab.click("#live")
        # The slider looks, and the store is not touched.
        tab.click("#slider", x=12)
        self.see(tab, "#state-point", "look only")
        tab.wait("!document.querySelector('#tree').innerText.includes('Sing')")
        self.assertIn("past", tab.run("document.body.className"))
        self.assertEqual(self.house.ask('{"time":true}')["head"], 7)
        tab.click("#live")
        self.see(tab, "#tree", "Sing")
        tab.click("#find")
        tab.type("plants")
        tab.wait("!document.querySelector('#tree').innerText.includes('counter')")
        self.see(tab, "#tree", "Water the plants")
        # What is found is opened whole.
        tab.click(None, "[...document.querySelectorAll('#tree .row:not([hidden])')].find(row => row.querySelector('.value').textContent.includes('Water'))")
        tab.wait(self.part_of("done"))
        self.quiet(tab)

    def test_a_pin_tells_the_value_at_the_point(self):
        self.house.run("dispatch pomodoro.start minutes=25 task=2")
        tab = self.page()
        self.part(tab, "pomodoro")
        self.part(tab, "phase", ".pin")
        tab.wait("document.querySelector('.pinned-chart .strong').textContent === '\"work\"'")
        self.row(tab, "counter.increment")
        tab.click("#action-buttons button:nth-child(2)")
        tab.wait("document.querySelector('.pinned-chart .strong').textContent === '\"idle\"'")
        tab.click("#live")
        tab.wait("document.querySelector('.pinned-chart .strong').textContent === '\"work\"'")
        self.quiet(tab)

    def test_the_store_returns_to_a_point(self):
        tab = self.page()
        tab.click("#back")
        self.see(tab, "#point", "#5")
        # It asks first, and a no is no.
        tab.click("#changes button")
        self.see(tab, "#confirm", "all 1 actions after #5")
        tab.key("Escape")
        tab.wait("!document.querySelector('#confirm').open")
        tab.click("#changes button")
        tab.click("#confirm-yes")
        tab.wait("document.querySelector('#total').textContent === '7 actions'")
        self.assertEqual(self.house.ask('{"read":"counter.value"}')["value"], 0)
        tab.wait("document.querySelector('#mode').textContent === 'live'")
        self.quiet(tab)

    def test_dispatch_and_undo(self):
        tab = self.page()
        # It has done nothing that could be taken back.
        tab.wait("document.querySelectorAll('#changes [aria-disabled=true]').length === 2")
        tab.click("#changes button")
        tab.wait("document.querySelectorAll('#dispatch-action option').length > 3")
        tab.run("(() => { const list = document.querySelector('#dispatch-action'); list.value = 'tasks.add'; list.dispatchEvent(new Event('change')) })()")
        tab.click("#dispatch button.main")
        self.see(tab, "#argument-title-error", "tasks.add needs 'title'")
        tab.type('a "quoted" title\\')
        tab.click("#dispatch button.main")
        self.see(tab, "#dispatch output", "#7")
        self.assertEqual(self.house.ask('{"read":"tasks.items[-1].title"}')["value"], 'a "quoted" title\\')
        tab.click("#changes button:not([aria-disabled=true])")
        tab.wait("document.querySelector('#total').textContent === '8 actions'")
        self.assertEqual(self.house.ask('{"read":"tasks.items"}')["count"], 3)
        self.quiet(tab)

    def test_units(self):
        self.house.run("dispatch pomodoro.start minutes=25 task=2")
        tab = self.page()
        self.see(tab, "#effects", "pomodoro/clock/ticks")
        self.see(tab, "#plugins", "read:tasks")
        tab.click("#effects .act button")
        self.see(tab, "#effects", "No effect runs")
        tab.click("[id='gate-logger']")
        self.see(tab, "#actions", "shell.setGate")
        tab.wait("document.getElementById('gate-logger').checked")
        tab.click("#plugins button")
        self.see(tab, "#actions", "shell.reloadPlugin")
        self.quiet(tab)

    def test_console(self):
        tab = self.page()
        tab.click("#console")
        tab.type("dispatch tasks.c")
        tab.key("Tab")
        tab.wait("document.querySelector('#console').value === 'dispatch tasks.complete '")
        self.see(tab, "#hint", "id:Int")
        tab.type("id=2")
        tab.key("Enter")
        self.see(tab, "#console-log", "tasks.items[id=2].done  false -> true")
        tab.type("lua for i = 1, 3 do")
        tab.key("Enter")
        self.see(tab, "#prompt", "lua>")
        tab.type("dispatch('counter.increment') end")
        tab.key("Enter")
        tab.wait("document.querySelector('#total').textContent === '10 actions'")
        tab.type("show tasks")
        tab.key("Enter")
        self.see(tab, "#console-log", "Write report      true")
        tab.type("show taks")
        tab.key("Enter")
        self.see(tab, "#console-log", "did you mean 'tasks'?")
        self.quiet(tab)

    def test_borders(self):
        for width, of in ((1280, ("action", "parts")), (2400, ("action", "state", "parts"))):
            tab = self.page(width=width)
            for name in of:
                place = f"Math.round(document.querySelector('#pane-{name}').getBoundingClientRect().x)"
                border = f"#pane-{name} > .border.vertical"
                before = tab.run(place)
                at = tab.press(border, x=3)
                away = {"x": at["x"] - 90, "y": at["y"]}
                tab.drag(away)
                tab.wait(f"Math.abs({place} - {before} + 90) <= 2")
                tab.release(away)
                # By keys too; the border keeps the focus.
                tab.key("ArrowRight")
                tab.wait(f"Math.abs({place} - {before} + 66) <= 2")
            if width == 1280:
                height = "Math.round(document.querySelector('#pane-state').getBoundingClientRect().y)"
                before = tab.run(height)
                tab.run("document.querySelector('#pane-state > .border.horizontal').focus()")
                tab.key("ArrowUp")
                tab.wait(f"Math.abs({height} - {before} + 24) <= 2")
                at = tab.press("#pane-state > .border.horizontal")
                tab.release(at)
                tab.point("mousePressed", at, 2)
                tab.release(at, 2)
                tab.wait(f"Math.abs({height} - {before}) <= 2")
            # A tab keeps its sizes.
            kept = tab.run(place)
            tab.call("Page.reload")
            tab.wait(f"{LIVE} && Math.abs({place} - {kept}) <= 2")
            self.quiet(tab)

    def test_times(self):
        tab = self.page()
        tab.click("#measure")
        tab.answered("trace on --times")
        self.house.run("dispatch counter.increment")
        tab.wait("document.querySelector('#actions .took').textContent !== ''")
        self.row(tab, "counter.increment")
        tab.wait("document.querySelectorAll('#action .phase').length > 0")
        self.quiet(tab)


class KeyboardTests(PageCase):
    """Every part of the page, without a pointer."""

    def focus(self, tab, selector, most=60):
        """Goes on by Tab until something has the focus."""
        for _ in range(most):
            tab.key("Tab")
            if tab.run(f"document.activeElement?.matches({json.dumps(selector)})"):
                return
        self.fail(f"Tab does not lead to {selector}")

    def test_everything(self):
        tab = self.page()
        tab.key("a")
        tab.wait("document.activeElement.id === 'actions'")
        tab.key("ArrowDown")
        tab.key("ArrowDown")
        self.see(tab, "#action h3", "tasks.complete")
        self.assertEqual(tab.run("document.getElementById(document.querySelector('#actions').getAttribute('aria-activedescendant')).getAttribute('aria-selected')"), "true")
        tab.key("Enter")
        self.see(tab, "#mode", "look only")
        tab.key("[")
        self.see(tab, "#point", "#4")
        tab.key(".")
        self.see(tab, "#mode", "live")
        tab.key("/")
        tab.wait("document.activeElement.id === 'filter'")
        tab.type("counter.*")
        tab.key("Enter")
        tab.wait("document.activeElement.id === 'actions' && document.querySelectorAll('#actions .row:not([hidden]) .name').length > 0")
        self.see(tab, "#action h3", "counter.increment")
        tab.key("s")
        tab.wait("document.activeElement.id === 'tree'")
        tab.key("Home")
        tab.key("ArrowDown")
        tab.key("ArrowRight")
        tab.wait("[...document.querySelectorAll('#tree .row:not([hidden]) b')].some(name => name.textContent === 'nextId')")
        tab.key("ArrowDown")
        tab.key("p")
        tab.wait("document.querySelector('.pinned-chart .line')")
        tab.key("ArrowLeft")
        tab.key("ArrowLeft")
        tab.wait("![...document.querySelectorAll('#tree .row:not([hidden]) b')].some(name => name.textContent === 'nextId')")
        tab.key("d")
        tab.wait("document.activeElement.id === 'dispatch-action'")
        tab.type("")
        self.focus(tab, "#argument-by")
        tab.type("x")
        tab.key("Enter")
        self.see(tab, "#argument-by-error", "must be Int")
        tab.key("a", modifiers=2)
        tab.type("5")
        tab.key("Enter")
        self.see(tab, "#dispatch output", "#7")
        self.focus(tab, "[id='gate-logger']")
        tab.key("Space")
        tab.wait("document.getElementById('gate-logger').checked")
        self.focus(tab, "#plugins button")
        tab.key("Enter")
        tab.wait("document.querySelector('#total').textContent === '9 actions'")
        self.focus(tab, "#slider")
        tab.key("Home")
        self.see(tab, "#mode", "look only")
        tab.key("End")
        self.see(tab, "#mode", "live")
        self.focus(tab, "#changes button")
        tab.key("Enter")
        tab.wait("document.querySelector('#total').textContent === '10 actions'")
        tab.key("c")
        tab.wait("document.activeElement.id === 'console'")
        tab.type("echo hello")
        tab.key("Enter")
        tab.wait("document.querySelector('#stop').hidden && document.querySelector('#console-log').innerText.split('hello').length === 3")
        tab.key("Escape")
        tab.key("?")
        tab.wait("document.querySelector('#keys').open")
        tab.key("Escape")
        self.quiet(tab)

    def test_the_parts_of_each_pane(self):
        self.house.run("dispatch pomodoro.start minutes=25 task=2")
        tab = self.page(height=1200)
        tab.wait("[...document.querySelectorAll('#actions .times')].some(times => times.textContent.includes('×3'))")
        # The list: runs unfolded, times, and from an effect to what caused it.
        tab.key("/")
        self.focus(tab, "#fold")
        tab.key("Space")
        tab.wait("[...document.querySelectorAll('#actions .name')].filter(name => name.textContent === 'pomodoro.tick').length > 2")
        self.focus(tab, "#measure")
        tab.key("Space")
        tab.answered("trace on --times")
        tab.wait("document.querySelector('#actions .took').textContent !== ''")
        # The newest action stands on top, though all have one cause.
        tab.wait("[...document.querySelectorAll('#actions .row:not([hidden])')].find(row => row.dataset.position === '0')"
                 ".querySelector('.n').textContent.slice(1) === document.querySelector('#total').textContent.split(' ')[0]")
        tab.key("Space")
        tab.answered("trace off")
        tab.key("a")
        tab.key("ArrowDown")
        self.see(tab, "#action h3", "pomodoro.tick")
        tab.wait("document.querySelector('#action .chain button')")
        self.focus(tab, "#action .chain button")
        tab.key("Enter")
        self.see(tab, "#action h3", "pomodoro.start")
        # The code of the action, and of the plugin.
        self.focus(tab, "[title='Read the plugin\\'s code of this action']")
        tab.key("Enter")
        self.see(tab, "#code .named", "start")
        tab.key("Escape")
        tab.wait("!document.querySelector('#code').open")
        # The state: a search, and a chart whose changes are gone through.
        tab.key("f")
        tab.type("plants")
        tab.wait("!document.querySelector('#tree').innerText.includes('counter')")
        self.see(tab, "#tree", "Water the plants")
        tab.key("ArrowDown")
        tab.wait("document.activeElement.id === 'tree'")
        # The first Escape empties the field, the second leaves it.
        tab.key("f")
        tab.key("Escape")
        self.see(tab, "#tree", "counter")
        tab.key("Escape")
        tab.key("s")
        tab.key("Home")
        tab.key("ArrowDown")
        tab.key("ArrowRight")
        tab.wait(self.part_of("nextId"))
        tab.key("ArrowDown")
        tab.key("p")
        tab.wait("document.querySelector('.pinned-chart .line')")
        self.focus(tab, ".pinned-chart svg", most=90)
        tab.key("ArrowLeft")
        tab.key("ArrowLeft")
        self.see(tab, "#mode", "look only")
        tab.wait("document.querySelector('#action h3')?.textContent === 'tasks.add'")
        # The store returns to a point, which is asked about.
        tab.key(".")
        self.see(tab, "#mode", "live")
        self.focus(tab, "#effects .act button", most=90)
        tab.key("Enter")
        self.see(tab, "#effects", "No effect runs")
        tab.key("[")
        self.see(tab, "#mode", "look only")
        self.focus(tab, "#changes button", most=90)
        tab.key("Enter")
        tab.wait("document.querySelector('#confirm').open")
        self.focus(tab, "#confirm-yes")
        tab.key("Enter")
        self.see(tab, "#actions", "shell.restore")
        self.see(tab, "#mode", "live")
        # The console completes.
        tab.key("c")
        tab.type("dispatch tasks.c")
        tab.key("Tab")
        tab.wait("document.querySelector('#console').value === 'dispatch tasks.complete '")
        self.quiet(tab)

    def test_tabs_of_a_narrow_screen(self):
        tab = self.page(width=400)
        tab.run("document.querySelector('#tab-actions').focus()")
        for name in ("action", "state", "parts"):
            tab.key("ArrowRight")
            tab.wait(f"document.querySelector('#pane-{name}').getBoundingClientRect().width > 300")
        self.quiet(tab)


class PluginTests(PageCase):
    def load(self, name, text, permissions=(), limits=None):
        folder = f"{self.house.folder}/{name}"
        os.mkdir(folder)
        with open(f"{folder}/plugin.json", "w") as file:
            json.dump({"name": name, "version": "1.0.0", "api": 1, "permissions": list(permissions), "limits": limits or {}}, file)
        with open(f"{folder}/init.lua", "w") as file:
            file.write(text)
        if limits:
            self.house.run("set plugin.ceiling.tasks 200")
        for line in (f"plugin grant {folder}", f"plugin load {folder}"):
            self.assertTrue(self.house.run(line)["results"][0]["ok"])

    def test_an_effect_of_any_name_is_cancelled(self):
        self.load("waiter", """return plugin {
  state = { field('n', int()) },
  actions = { { name = 'go', args = { field('what', text()) } } },
  reducers = { go = function(s) s.n = s.n + 1 end },
  middleware = { { name = 'clock', on = { 'go' }, after = function(action, ctx)
    ctx:task(action.args.what, function(task) task:sleep(3600) end)
  end } },
}
""", ["timers"])
        for name in ("one", 'two; dispatch counter.reset "x\\\\', "3 $x # y"):
            text = json.dumps(name).replace("$", "\\$")
            self.assertTrue(self.house.run(f"dispatch waiter.go what={text}")["results"][0]["ok"])
        tab = self.page()
        for left in (2, 1, 0):
            tab.click("#effects tbody tr:last-child .act button")
            tab.wait(f"document.querySelectorAll('#effects tbody tr').length === {left}")
        self.assertEqual(self.house.ask('{"read":"counter.value"}')["value"], 4)
        self.quiet(tab)

    def test_many_effects(self):
        self.load("herd", """return plugin {
  actions = { { name = 'go' } },
  middleware = { { name = 'clock', on = { 'go' }, after = function(action, ctx)
    for i = 1, 150 do ctx:task('t' .. i, function(task) task:sleep(3600) end) end
  end } },
}
""", ["timers"], {"tasks": 150})
        self.house.run("dispatch herd.go")
        tab = self.page()
        self.see(tab, "#effects", "… 50 more: show shell.effects")
        self.assertEqual(tab.run("document.querySelectorAll('#effects tbody tr').length"), 100)
        self.quiet(tab)

    def test_the_rows_of_the_state_stay_and_tell_an_empty_name(self):
        self.load("keys", """return plugin {
  state = { field('held', map(int())) },
  actions = { { name = 'put', args = { field('key', text()), field('to', int()) } } },
  reducers = { put = function(s, a) s.held[a.key] = a.to end },
}
""")
        for key, value in (("", 1), ("a" * 90, 2)):
            self.assertTrue(self.house.run(f'dispatch keys.put key="{key}" to={value}')["results"][0]["ok"])
        tab = self.page()
        self.part(tab, "keys")
        self.see(tab, "#tree", '"" 1')
        self.part(tab, "held")
        tab.wait(self.part_of('""'))
        # A chart that comes or goes moves no row under the pointer.
        top = f"{self.part_of('counter')}.getBoundingClientRect().top"
        before = tab.run(top)
        self.part(tab, '""', ".pin")
        tab.wait("document.querySelector('.pinned-chart')")
        self.assertEqual(tab.run(top), before)
        self.part(tab, '""', ".pin")
        tab.wait("!document.querySelector('.pinned-chart')")
        self.assertEqual(tab.run(top), before)
        # Of the path of a long name the end is seen in the filter.
        self.part(tab, "a" * 90, ".why")
        tab.wait("document.querySelector('#filter').value.startsWith('changed:keys.held')")
        tab.wait("(field => field.scrollLeft > 0 && field.scrollLeft + field.clientWidth >= field.scrollWidth - 2)(document.querySelector('#filter'))")
        # A field of a number takes spaces around it.
        tab.run("(() => { const list = document.querySelector('#dispatch-action'); list.value = 'counter.setStep'; list.dispatchEvent(new Event('change')) })()")
        tab.click("#argument-to")
        tab.type(" 7 ")
        tab.key("Enter")
        self.see(tab, "#dispatch output", "1 change")
        self.assertEqual(self.house.ask('{"read":"counter.step"}')["value"], 7)
        self.quiet(tab)

    def test_an_element_of_a_list_is_told(self):
        self.load("shop", """return plugin {
  state = { field('open', list(record('Order', { field('customer', text()), field('paid', bool()) }))) },
  actions = { { name = 'place', args = { field('customer', text()) } }, { name = 'pay', args = { field('at', int()) } } },
  reducers = {
    place = function(s, a) s.open[#s.open + 1] = { customer = a.customer, paid = false } end,
    pay = function(s, a) s.open[a.at].paid = true end,
  },
}
""")
        for line in ("shop.place Keller", "shop.place Brandt", "shop.pay 2"):
            self.assertTrue(self.house.run(f"dispatch {line}")["results"][0]["ok"])
        tab = self.page()
        self.row(tab, "shop.pay")
        self.see(tab, "#action .change", 'of customer "Brandt", paid true')
        self.quiet(tab)

    def test_the_source_of_a_plugin(self):
        self.load("sweets", """-- Sweets in a jar.
return plugin {
  state = { field('left', int { min = 0 }) },
  actions = { { name = 'fill' }, { name = 'take' } },
  reducers = {
    fill = function(s) s.left = 20 end,
    take = function(s)
\t  s.left = s.left - 1 -- <script>
    end,
  },
}
""" + "-- More.\n" * 200)
        self.house.run("dispatch sweets.fill")
        tab = self.page()
        row = "[...document.querySelectorAll('#code .code > div')].find(line => line.textContent.includes(%s))"
        self.row(tab, "sweets.fill")
        tab.click(None, "[...document.querySelectorAll('#action-buttons button')].find(button => button.textContent === 'code' && !button.hidden)")
        self.see(tab, "#code", "s.left = s.left - 1 -- <script>")
        self.see(tab, "#code-title", "sweets.fill in the plugin sweets")
        # The lines that name the action are marked.
        self.assertEqual(tab.run("[...document.querySelectorAll('#code .named')].map(line => line.textContent.trim())"),
                         ["actions = { { name = 'fill' }, { name = 'take' } },", "fill = function(s) s.left = 20 end,"])
        tab.wait(f"(box => box.top >= 0 && box.bottom <= innerHeight)(({row % json.dumps('s.left = 20')}).getBoundingClientRect())")
        tab.key("Escape")
        tab.wait("!document.querySelector('#code').open")
        # An edited file is not what runs.
        with open(f"{self.house.folder}/sweets/init.lua", "w") as file:
            file.write("return plugin {}")
        tab.run("[...document.querySelectorAll('#plugins button')].find(button => button.ariaLabel === 'code sweets').focus()")
        tab.key("Enter")
        self.see(tab, "#code-title", "plugin sweets")
        self.see(tab, "#code", "-- Sweets in a jar.")
        self.see(tab, "#code", '"name": "sweets"')
        self.quiet(tab)

    def test_elements_without_ids(self):
        self.load("queue", """local items = field('items', list(record('Item', { field('n', int()), field('price', decimal { scale = 2 }) })))
return plugin {
  state = { items }, actions = { { name = 'put', args = { items } } },
  reducers = { put = function(s, a) s.items = a.items end },
}
""")

        def put(*numbers):
            items = ",".join("{n=%d,price='%d.40'}" % (number, number) for number in numbers)
            self.assertTrue(self.house.run("lua dispatch('queue.put', { items = {%s} })" % items)["results"][0]["ok"])

        tab = self.page()
        for numbers in ((1, 2, 3, 4), (1, 5, 3, 4), (5, 3, 4), (3, 4)):
            put(*numbers)
        self.part(tab, "queue")
        self.part(tab, "items")
        # A decimal keeps its digits.
        self.see(tab, "#tree", "n 4, price 4.40")
        self.part(tab, "2")
        self.part(tab, "n", ".pin")
        # Between 5 and 4 another stood there, of which no change tells: the line is broken.
        tab.wait("document.querySelector('.pinned-chart .line')?.getAttribute('d').split('M').length === 3")
        self.part(tab, "n", ".why")
        # What moved the elements is listed, and comes as it does.
        self.see(tab, "#unfilter", "clear, 4 found")
        put(4)
        self.see(tab, "#unfilter", "clear, 5 found")
        put(4, 6)
        self.see(tab, "#unfilter", "clear, 6 found")
        put(4, 6, 7)
        self.see(tab, "#total", "14 actions")
        self.assertEqual(tab.text("#unfilter"), "clear, 6 found")
        self.row(tab, "queue.put")
        self.see(tab, "#action", "price = 6.40")
        self.quiet(tab)

    def test_what_an_action_wrote_is_found(self):
        tab = self.page()
        tab.click("#filter")
        tab.type("45")
        self.see(tab, "#unfilter", "clear, 0 found")
        self.house.run("dispatch counter.increment by=41")
        self.see(tab, "#unfilter", "clear, 1 found")
        tab.key("a", modifiers=2)
        tab.type("45 ")
        self.see(tab, "#unfilter", "clear, 1 found")
        self.quiet(tab)

    def test_a_timer_that_finds_no_room_is_told(self):
        self.load("late", """return plugin {
  actions = { { name = 'go', args = { field('key', text()) } } },
  middleware = { { name = 'clock', on = { 'go' }, after = function(action, ctx)
    ctx:task(action.args.key, function(task) task:sleep(3600) end)
  end } },
}
""", ["timers"])
        for key in range(5):
            self.house.run(f"dispatch late.go key=k{key}")
        tab = self.page()
        self.see(tab, "#actions", "⚠ late: more than 4 tasks")
        self.house.run("lua for key = 5, 12 do dispatch('late.go', { key = 'k' .. key }) end")
        tab.wait("document.querySelectorAll('#plugins .faults li').length === 9")
        tab.click(None, "document.querySelector('#plugins .faults li:last-child button')")
        self.see(tab, "#action", 'key "k4"'.replace(" ", "\n"))
        self.see(tab, "#action", "late/clock/k4 ⚠ late: more than 4 tasks")
        tab.click(None, "[...document.querySelectorAll('#actions .row:not([hidden])')].find(row => row.innerText.includes('k3'))")
        self.see(tab, "#action", "late/clock/k3 goes on in")
        self.quiet(tab)

    def test_the_whole_error_is_shown(self):
        self.load("faulty", """return plugin {
  state = { field('n', int()) },
  actions = { { name = 'go' } },
  reducers = { go = function(s) s.n = nothing.here end },
}
""")
        self.house.run("try dispatch faulty.go")
        reason = self.house.ask('{"log":8}')["entries"][0]["reason"].split("\n")
        self.assertIn("init.lua:4", " ".join(reason))
        tab = self.page()
        tab.wait("[...document.querySelectorAll('#actions .failed')].length === 1")
        self.assertIn(reason[0], tab.text("#actions .failed"))
        self.row(tab, "faulty.go")
        for line in reason:
            self.see(tab, "#action .warning", line)
        # The form says it too.
        tab.wait("document.querySelector('#dispatch-action [value=\"faulty.go\"]')")
        tab.run("(() => { const list = document.querySelector('#dispatch-action'); list.value = 'faulty.go'; list.dispatchEvent(new Event('change')) })()")
        tab.click("#dispatch button.main")
        for line in reason:
            self.see(tab, "#dispatch > .error", line)
        self.quiet(tab)


class HeldTests(PageCase):
    """Between a press and its release actions arrive, and what shows them is drawn anew: the press still reaches what it was on."""

    def setUp(self):
        super().setUp()
        self.house.run("dispatch pomodoro.start minutes=25 task=2")
        self.tab = self.page(height=1400)
        self.tab.wait("document.querySelectorAll('#dispatch-action option').length > 3")
        self.see(self.tab, "#effects", "pomodoro/clock/ticks")
        self.see(self.tab, "#plugins", "read:tasks")

    def arrive(self):
        """Lets actions arrive, until the list, the state and the middleware show them."""
        for _ in range(2):
            seen = self.tab.text("#middleware")
            self.house.run("lua for i = 1, 3 do dispatch('counter.increment', { by = 1 }) end")
            self.house.run("dispatch tasks.add more")
            self.house.run("dispatch tasks.complete id=1")
            next_id = self.house.ask('{"read":"tasks.nextId"}')["value"]
            self.tab.wait(f"document.querySelector('#middleware').innerText !== {json.dumps(seen)}")
            self.tab.wait(rf"/nextId\s+{next_id}\b/.test(document.querySelector('#tree').innerText)"
                          "|| document.querySelector('#mode').innerText === 'look only'")

    def fill(self):
        """Fills the form with an action that changes what no other does, so that its page may take it back."""
        self.tab.wait("document.querySelectorAll('#dispatch-action option').length > 3")
        self.tab.run("(() => { const list = document.querySelector('#dispatch-action'); list.value = 'counter.setStep'; list.dispatchEvent(new Event('change')) })()")
        self.tab.click("#argument-to")
        self.tab.type("3")

    def hold(self, selector, found=None):
        at = self.tab.press(selector, found)
        self.arrive()
        self.tab.release(at)

    def test_pointer_on_units(self):
        self.hold("[id='gate-logger']")
        self.see(self.tab, "#actions", "shell.setGate")
        self.hold("#plugins button")
        self.see(self.tab, "#actions", "shell.reloadPlugin")
        self.hold("#effects .act button")
        self.see(self.tab, "#effects", "No effect runs")
        self.quiet(self.tab)

    def test_a_button_that_moves_away(self):
        place = "document.querySelector('#plugins button').getBoundingClientRect().y"
        before = self.tab.run(place)
        at = self.tab.press("#plugins button")
        self.tab.run("(() => { const list = document.querySelector('#dispatch-action'); list.value = 'counter.reset'; list.dispatchEvent(new Event('change')) })()")
        self.assertNotEqual(self.tab.run(place), before)
        self.tab.release(at)
        self.see(self.tab, "#actions", "shell.reloadPlugin")
        # A press from which the pointer goes away does nothing.
        self.tab.press("[id='gate-logger']")
        away = {"x": 700, "y": 300}
        self.tab.point("mouseMoved", away)
        self.tab.release(away)
        self.tab.click("#plugins button")
        self.tab.wait("[...document.querySelectorAll('#actions .name')].filter(name => name.textContent === 'shell.reloadPlugin').length === 2")
        self.assertFalse(self.tab.run("document.getElementById('gate-logger').checked"))

    def test_pointer_on_dispatch_and_timeline(self):
        self.fill()
        self.hold("#dispatch button.main")
        self.see(self.tab, "#dispatch output", "1 change")
        self.hold("#changes button")
        self.tab.wait(self.step_is(1))
        self.hold("#back")
        self.see(self.tab, "#mode", "look only")
        self.hold("#live")
        self.see(self.tab, "#mode", "live")

    def test_pointer_on_actions(self):
        self.hold(None, self.row_of("tasks.complete"))
        self.see(self.tab, "#action h3", "tasks.complete")
        self.assertEqual(self.tab.text("#title-action"), "#5")
        self.hold("#action-buttons button")
        self.tab.wait("document.querySelector('#dispatch-action').value === 'tasks.complete' && document.querySelector('#argument-id').value === '1'")
        for count in (1, 2):
            at = self.tab.press(None, self.row_of("pomodoro.start"))
            self.arrive()
            self.tab.release(at)
            self.see(self.tab, "#action h3", "pomodoro.start")

    def test_a_double_click_is_one_of_the_same_row(self):
        at = self.tab.press(None, self.row_of("pomodoro.start"))
        self.arrive()
        self.tab.release(at)
        self.arrive()
        self.tab.point("mousePressed", at, 2)
        self.arrive()
        self.tab.release(at, 2)
        self.see(self.tab, "#mode", "look only")
        self.see(self.tab, "#point", "#7")

    def test_pointer_on_the_state(self):
        self.hold(None, self.part_of("tasks"))
        self.tab.wait(self.part_of("items"))
        self.part(self.tab, "items")
        self.see(self.tab, "#tree", "Water the plants")
        self.tab.point("mouseMoved", {"x": 700, "y": 900})
        self.part(self.tab, "nextId", ".pin")
        self.tab.wait("document.querySelector('.pinned-chart .line')")
        self.hold("#pins button")
        self.tab.wait("!document.querySelector('#pins button')")

    def test_the_thumb_stays_under_the_pointer(self):
        at = self.tab.press("#slider")
        self.see(self.tab, "#mode", "look only")
        value = self.tab.run("document.querySelector('#slider').value")
        most = self.tab.run("document.querySelector('#slider').max")
        self.arrive()
        self.assertEqual(self.tab.run("document.querySelector('#slider').value"), value)
        self.assertEqual(self.tab.run("document.querySelector('#slider').max"), most)
        self.tab.release(at)
        self.tab.wait(f"Number(document.querySelector('#slider').max) > {most}")
        self.assertEqual(self.tab.run("document.querySelector('#slider').value"), value)

    @staticmethod
    def step_is(step):
        return rf"/step\s+{step}\b/.test(document.querySelector('#tree').innerText)"

    def test_keyboard(self):
        self.fill()
        for selector, seen in (
            ("[id='gate-logger']", "document.getElementById('gate-logger').checked"),
            ("#plugins button", "document.querySelector('#actions').innerText.includes('shell.reloadPlugin')"),
            ("#dispatch button.main", self.step_is(3)),
            ("#changes button", self.step_is(1)),
            ("#back", "document.querySelector('#mode').innerText === 'look only'"),
            ("#live", "document.querySelector('#mode').innerText === 'live'"),
            ("#effects .act button", "document.querySelector('#effects').innerText.includes('No effect runs')"),
        ):
            with self.subTest(selector):
                self.tab.run(f"window.held = document.querySelector({json.dumps(selector)}); held.focus()")
                self.arrive()
                self.assertTrue(self.tab.run("document.activeElement === held && held.isConnected"))
                self.tab.key_down("Space")
                self.arrive()
                self.assertTrue(self.tab.run("document.activeElement === held && held.isConnected"))
                self.tab.key_up("Space")
                self.tab.wait(seen)
        # The focus of a row that goes does not fall back to the start of the page.
        self.tab.wait("document.activeElement.id === 'effects'")

    def test_the_active_rows_stay(self):
        self.tab.key("a")
        self.tab.run("document.activeElement.id === 'actions'")
        self.row(self.tab, "pomodoro.start")
        self.arrive()
        self.see(self.tab, "#title-action", "#7")
        self.tab.key("ArrowDown")
        self.see(self.tab, "#title-action", "#6")
        self.part(self.tab, "tasks")
        self.tab.wait(self.part_of("items"))
        self.part(self.tab, "items")
        self.see(self.tab, "#tree", "Water the plants")
        self.part(self.tab, "nextId")
        self.arrive()
        self.tab.key("p")
        self.see(self.tab, "#pins", "tasks.nextId")


class RightsTests(PageCase):
    allow = ("read",)

    def test_what_is_not_allowed_is_not_offered(self):
        tab = self.page()
        self.see(tab, "#dispatch", "This door allows read")
        self.see(tab, "#middleware", "logger")
        self.assertEqual(tab.run("document.querySelectorAll('#dispatch button, #middleware input, #effects .act button, #plugins button, #changes button').length"), 0)
        tab.click("#back")
        self.see(tab, "#mode", "look only")
        self.assertEqual(tab.run("document.querySelectorAll('#changes button').length"), 0)
        self.quiet(tab)


class UnreadTests(PageCase):
    """A door that allows no reading."""

    allow = ("read", "dispatch")

    def test_nothing_is_said_of_what_cannot_be_read(self):
        self.house.stop()
        self.house.allow = ["--allow", "dispatch"]
        self.house.hear = lambda: None
        self.house.start()
        tab = self.open()
        self.see(tab, "#actions-empty", "This door does not allow read")
        self.see(tab, "#tree", "this door does not allow reading")
        for part in ("#middleware", "#effects", "#plugins", "#dispatch"):
            self.see(tab, part, "This door does not allow read")
        self.assertEqual(tab.text("#total"), "")
        tab.click("#console")
        tab.type("dispatch counter.increment --quiet")
        tab.key("Enter")
        tab.wait("document.querySelector('#stop').hidden")
        self.assertNotIn("error", tab.text("#console-log"))
        self.quiet(tab)


class CancelRightsTests(PageCase):
    script = EXAMPLE + "dispatch pomodoro.start minutes=25 task=2\n"
    allow = ("read", "dispatch:shell.cancelEffects")

    def test_what_a_pattern_allows_is_offered(self):
        tab = self.page()
        self.see(tab, "#effects", "pomodoro/clock/ticks")
        self.assertEqual(tab.run("document.querySelectorAll('#dispatch button, #middleware input, #plugins button').length"), 0)
        tab.click("#effects .act button")
        self.see(tab, "#effects", "No effect runs")
        self.quiet(tab)


class SomeRightsTests(PageCase):
    script = CancelRightsTests.script
    allow = ("read", "dispatch:tasks.*")

    def test_only_what_is_allowed_is_offered(self):
        self.house.run("dispatch tasks.add more")
        tab = self.page()
        tab.wait("document.querySelectorAll('#dispatch-action option').length > 0")
        names = tab.run("[...document.querySelectorAll('#dispatch-action option')].map(option => option.value)")
        self.assertIn("tasks.add", names)
        self.assertTrue(all(name.startswith("tasks.") for name in names), names)
        self.see(tab, "#middleware", "logger")
        self.see(tab, "#effects", "pomodoro/clock/ticks")
        self.assertEqual(tab.run("document.querySelectorAll('#middleware input, #effects .act button, #plugins button, #changes button').length"), 0)
        # An action of another's is offered again only where it may be.
        self.row(tab, "counter.increment")
        self.see(tab, "#action-buttons", "look here")
        self.assertNotIn("code", tab.text("#action-buttons"))
        self.assertNotIn("again", tab.text("#action-buttons"))
        self.row(tab, "tasks.complete")
        self.see(tab, "#action-buttons", "again")
        self.quiet(tab)


class HostileTests(PageCase):
    """What comes from elsewhere is refused, and what the store holds is text."""

    def request(self, path, host=None, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.house.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": host or f"127.0.0.1:{self.house.port}", **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read() if response.status != 101 else b""
        self.addCleanup(connection.close)
        return response, body, connection

    def upgrade(self, **headers):
        return self.request(
            "/door", Upgrade="websocket", Connection="Upgrade", Sec_WebSocket_Version="13",
            Sec_WebSocket_Key=base64.b64encode(b"0123456789abcdef").decode(), **headers)

    def test_other_origins_and_names_are_refused(self):
        own = f"http://127.0.0.1:{self.house.port}"
        self.assertEqual(self.request("/")[0].status, 200)
        self.assertEqual(self.request("/", host=f"rebound.example:{self.house.port}")[0].status, 403)
        self.assertEqual(self.request("/", host="127.0.0.1")[0].status, 403)
        self.assertEqual(self.request("/", method="POST")[0].status, 405)
        self.assertEqual(self.request("/../etc/passwd")[0].status, 404)
        self.assertEqual(self.upgrade()[0].status, 403)
        self.assertEqual(self.upgrade(Origin="http://example.com")[0].status, 403)
        self.assertEqual(self.upgrade(Origin="null")[0].status, 403)
        self.assertEqual(self.upgrade(Origin=f"http://127.0.0.1:{self.house.port + 1}")[0].status, 403)
        self.assertEqual(self.upgrade(Origin=own, Content_Length="4")[0].status, 400)
        self.assertEqual(self.upgrade(Origin=own)[0].status, 101)

    def test_the_policy_has_no_exception(self):
        response, body, _ = self.request("/")
        policy = dict(part.strip().split(" ", 1) for part in response.getheader("Content-Security-Policy").split(";"))
        self.assertEqual(policy["default-src"], "'none'")
        for name in ("script-src", "style-src", "connect-src", "img-src"):
            self.assertEqual(policy[name], "'self'")
        self.assertNotIn("unsafe", response.getheader("Content-Security-Policy"))
        self.assertEqual(policy["require-trusted-types-for"], "'script'")
        for file in ("/main.js", "/style.css"):
            self.assertEqual(self.request(file)[0].getheader("X-Content-Type-Options"), "nosniff")
        self.assertNotIn(b"style=", body)
        self.assertNotIn(self.house.token.encode(), body)

    def test_an_old_token_is_refused(self):
        tab = self.open(address=self.house.address[:-4] + "0000")
        self.see(tab, "#lost", "this address is old")
        self.assertEqual(tab.run("location.hash"), "")
        other = self.open(address=self.house.address.split("#")[0])
        self.see(other, "#lost", "no token")

    def test_the_token_leaves_the_address(self):
        tab = self.page()
        self.assertEqual(tab.run("location.href"), f"http://127.0.0.1:{self.house.port}/")
        tab.call("Page.reload")
        tab.wait(LIVE)
        self.quiet(tab)

    def test_frames_that_are_none_end_the_conversation(self):
        own = f"http://127.0.0.1:{self.house.port}"
        for sent in (b"\x81\x84abcd" + bytes(a ^ b for a, b in zip(b"nope", b"abcd")), b"\xf1\x80abcd", b"\x82\x80abcd"):
            _, _, connection = self.upgrade(Origin=own)
            connection.sock.settimeout(20)
            connection.sock.sendall(sent)
            answer = connection.sock.recv(100)
            self.assertEqual(answer[0], 0x88)
            self.assertEqual(struct.unpack(">H", answer[2:4])[0], 4401)

    def send(self, *pieces):
        """Sends the pieces of a request on a connection of its own as far as the page takes them.

        Returns the connection."""
        connection = socket.create_connection(("127.0.0.1", self.house.port), timeout=60)
        self.addCleanup(connection.close)
        with contextlib.suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
        return connection

    @staticmethod
    def answer(connection):
        """What the page says until it closes."""
        said = b""
        with contextlib.suppress(ConnectionError):
            while piece := connection.recv(1 << 16):
                said += piece
        return said

    def test_a_request_has_a_bound(self):
        tab = self.page()
        own = f"Host: 127.0.0.1:{self.house.port}\r\n".encode()
        long = 20 << 20
        for name, status, pieces in (
                ("line", b"431", [b"GET /", b"a" * long]),
                ("header", b"431", [b"GET / HTTP/1.1\r\n", own, b"X: ", b"a" * long]),
                ("headers", b"431", [b"GET / HTTP/1.1\r\n", own, b"A: b\r\n" * 200_000]),
                ("body", b"413", [b"POST / HTTP/1.1\r\n", own, b"Content-Length: %d\r\n\r\n" % long, b"a" * long]),
                ("chunks", b"413", [b"POST / HTTP/1.1\r\n", own, b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\naaaaa\r\n" * 100_000]),
                ("small body", b"405", [b"POST / HTTP/1.1\r\n", own, b"Content-Length: 3\r\n\r\n", b"GET / HTTP/1.1\r\n", own, b"\r\n"]),
                ("no length", b"400", [b"POST / HTTP/1.1\r\n", own, b"Content-Length: -1\r\n\r\n"]),
                ("no head", b"400", [b"\0\r\n\r\n"]),
                ("half", b"", [b"GET /"])):
            with self.subTest(name):
                for connection in [self.send(*pieces) for _ in range(3)]:
                    said = self.answer(connection)
                    self.assertEqual(said[9:12], status)
                    self.assertEqual(said.count(b"HTTP/1.1"), 1 if status else 0)
                self.assertEqual(self.request("/")[0].status, 200)
        # A long address of another origin is the same.
        other = self.open(address=f"http://localhost:{self.house.port}/")
        other.run(f"for (let i = 0; i < 4; i++) fetch('http://127.0.0.1:{self.house.port}/?' + i + 'a'.repeat(1.9e6), {{mode: 'no-cors'}}).catch(() => 0)")
        self.house.run('dispatch tasks.add "Still here"')
        self.see(tab, "#actions", "Still here")

    def test_half_requests_are_closed_for_newer_ones(self):
        tab = self.page()
        halves = [self.send(b"GET /") for _ in range(200)]
        self.assertEqual(self.request("/")[0].status, 200)
        self.assertEqual([self.answer(half) for half in halves], [b""] * len(halves))
        self.house.run('dispatch tasks.add "Still here"')
        self.see(tab, "#actions", "Still here")

    def test_a_frame_of_a_page_has_a_mask_and_a_bound(self):
        mask = b"mask"

        def frame(data, size=None):
            size = len(data) if size is None else size
            return b"\x81\xff" + struct.pack(">Q", size) + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))

        token = frame(self.house.token.encode())
        for sent, code in (
                (token + b"\x81\x0d" + b'{"time":true}', 1002), (token + b"\x09\x80mask", 1002), (token + b"\x89\xfe\x00\x7emask" + b"a" * 126, 1002),
                (token + frame(b"", (8 << 20) + 1), 1009), (token + frame(b"", 1 << 63), 1009),
                (b"\x81\x20" + self.house.token.encode(), 4401), (frame(b"", 1 << 20), 4401)):
            with self.subTest(code=code, length=len(sent)):
                _, _, connection = self.upgrade(Origin=f"http://127.0.0.1:{self.house.port}")
                connection.sock.settimeout(60)
                connection.sock.sendall(sent)
                self.assertEqual(self.answer(connection.sock)[-4:], b"\x88\x02" + struct.pack(">H", code))
        _, _, silent = self.upgrade(Origin=f"http://127.0.0.1:{self.house.port}")
        silent.sock.settimeout(60)
        self.assertEqual(self.answer(silent.sock), b"")
        _, _, connection = self.upgrade(Origin=f"http://127.0.0.1:{self.house.port}")
        connection.sock.settimeout(60)
        text = b'{"id":1,"time":true,"more":"%s"}' % (b"x" * 7_000_000)
        connection.sock.sendall(token + frame(text))
        said = b""
        while b'"id":1' not in said:
            piece = connection.sock.recv(1 << 16)
            self.assertTrue(piece, said)
            said += piece

    def test_what_the_store_holds_is_shown_as_text(self):
        self.house.run('dispatch tasks.add "<script>document.title = 1</script><img src=x onerror=alert(1)>"')
        self.house.run('dispatch tasks.add "turned \u202e around"')
        tab = self.page()
        self.see(tab, "#actions", "<script>document.title = 1</script>")
        self.see(tab, "#actions", "\\u{202e}")
        self.row(tab, "tasks.add")
        self.part(tab, "tasks")
        self.part(tab, "items")
        self.see(tab, "#tree", "<script>")
        self.assertEqual(tab.run("document.querySelectorAll('main script, main img').length"), 0)
        self.quiet(tab)

    def test_every_name_is_shown_as_text(self):
        evil = '<img src=x onerror="document.title = 1"><script>document.title = 2</script>\u202e'
        for long in (evil, evil + "x" * 10_000_000):
            with self.subTest(len(long)):
                fake = FakeHost(evil, long)
                self.addCleanup(fake.close)
                tab = self.open(address=fake.address)
                for selector in ("#name", "#actions .name", "#tree b", "#middleware", "#effects", "#plugins", "#dispatch"):
                    self.see(tab, selector, "<script>document.title")
                tab.click("#actions .row:not([hidden])")
                for selector in ("#action h3", "#action .warning", "#action .path", "#action .new"):
                    self.see(tab, selector, "<script>document.title")
                tab.click("#console")
                tab.type("x")
                tab.key("Enter")
                self.see(tab, "#console-log", "<script>document.title")
                self.assertEqual(tab.run("document.querySelectorAll('body img, body script').length"), 0)
                self.assertTrue(tab.run("document.title").startswith("<img"))
                self.assertNotIn("\u202e", tab.text())
                self.assertLess(len(tab.text()), 500_000)
                self.quiet(tab)
                tab.close()

    def test_a_page_that_does_not_read_is_not_kept_for(self):
        _, _, connection = self.upgrade(Origin=f"http://127.0.0.1:{self.house.port}")
        for text in (self.house.token, '{"id":1,"follow":1}'):
            data = text.encode()
            connection.sock.sendall(bytes([0x81, 0x80 | len(data)]) + b"mask" + bytes(byte ^ b"mask"[place % 4] for place, byte in enumerate(data)))
        self.assertIn(b'"door":1', connection.sock.recv(1 << 16))

        def memory():
            with open(f"/proc/{self.house.inspector.pid}/status") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))

        before = memory()
        self.house.run("lua for i = 1, 30000 do dispatch('counter.increment') end")
        # Entries of about 300 bytes each have come, if any has been kept.
        self.assertLess(memory() - before, 4_000)
        tab = self.page()
        self.see(tab, "#total", "30,006 actions")

    def test_long_texts(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.house.folder, delete=False) as file:
            json.dump({"tasks": {"nextId": 2, "items": [{"id": 1, "title": "x" * 10_000_000, "done": False}]}}, file)
        self.house.run(f"import state {file.name}")
        tab = self.page()
        self.see(tab, "#actions", "shell.import")
        self.part(tab, "tasks")
        self.part(tab, "items")
        self.see(tab, "#tree", "xxx")
        tab.key("a")
        tab.key("Home")
        self.see(tab, "#action", "bytes")
        self.assertLess(tab.run("document.body.innerText.length"), 100_000)
        self.quiet(tab)


class LifeTests(PageCase):
    store = True

    def test_the_host_is_started_again(self):
        tab = self.page()
        self.row(tab, "tasks.complete")
        self.house.stop()
        self.see(tab, "#status", "lost")
        self.see(tab, "#lost", "no store listens at this door")
        self.house.start()
        self.see(tab, "#lost", "the host was started again")
        self.see(tab, "#action h3", "tasks.complete")
        self.house.run("dispatch counter.increment")
        self.see(tab, "#actions", "counter.increment")
        self.house.stop(kill=True)
        self.see(tab, "#status", "lost")
        self.house.start()
        self.see(tab, "#status", "live")

    def test_two_pages_and_a_prompt_see_each_other(self):
        user = pwd.getpwuid(os.getuid()).pw_name
        one, two = self.page(), self.page()
        for tab, name in ((one, "ann"), (two, "bob@desk")):
            tab.wait(f"document.querySelector('#who').value.startsWith('{user}@page-')")
            tab.click("#who")
            tab.key("a", modifiers=2)
            tab.type("two words")
            tab.key("Enter")
            self.see(tab, "#console-log", "is no name of a conversation")
            tab.key("a", modifiers=2)
            tab.type(name)
            tab.key("Enter")
            tab.wait("document.querySelector('#who').getAttribute('aria-invalid') === 'false'")
        with Prompt(self.house, "cleo@pts/3") as prompt:
            for tab, title in ((one, "one"), (two, "two")):
                tab.click("#console")
                tab.type(f"dispatch tasks.add {title}")
                tab.key("Enter")
                self.see(tab, "#actions", f'title="{title}"')
            tab.type("dispatch counter.increment by=10")
            tab.key("Enter")
            self.see(tab, "#total", "9 actions")
            prompt.type("dispatch tasks.add three")
            for tab in (one, two):
                for name, title in (("ann", "one"), ("bob@desk", "two"), ("cleo@pts/3", "three")):
                    self.see(tab, "#actions", f'title="{title}"')
                    tab.wait("[...document.querySelectorAll('#actions .row:not([hidden])')].some(row => row.innerText.includes(%s)"
                             " && row.querySelector('.who').textContent === %s)" % (json.dumps(title), json.dumps(f"{name} ({user})")))
                    self.see(tab, "#people", name)
            # The prompt sees both.
            prompt.type("log")
            prompt.wait(f"ann ({user})", f"bob@desk ({user})")
        # One action names its doer, and the filter finds what one person did.
        tab.click(None, "[...document.querySelectorAll('#actions .row:not([hidden])')].find(row => row.innerText.includes('two'))")
        self.see(tab, "#action", f"bob@desk ({user})")
        tab.click("#filter")
        tab.type("by:ann")
        tab.key("Enter")
        tab.wait("(rows => rows.length === 1 && rows[0].innerText.includes('one'))([...document.querySelectorAll('#actions .row:not([hidden])')].filter(row => row.querySelector('.n').textContent))")
        # Each takes back its own.
        two.click("#changes button:not([aria-disabled=true])")
        two.wait("document.querySelector('#total').textContent === '11 actions'")
        self.assertEqual(self.house.ask('{"read":"counter.value"}')["value"], 4)
        titles = [item["title"] for item in self.house.ask('{"read":"tasks.items"}')["value"]]
        self.assertEqual(titles[-3:], ["one", "two", "three"])
        self.quiet(one)
        self.quiet(two)

    def test_a_tab_keeps_its_name(self):
        tab = self.page()
        tab.wait("document.querySelector('#who').value")
        name = tab.run("document.querySelector('#who').value")
        self.house.stop()
        self.see(tab, "#status", "lost")
        self.house.start()
        self.see(tab, "#status", "live")
        tab.click("#console")
        tab.type("dispatch counter.increment")
        tab.key("Enter")
        tab.wait(f"document.querySelector('#actions .row:not([hidden]) .who').textContent === {json.dumps(name)}")

    def test_a_page_that_is_not_seen_asks_for_nothing(self):
        tab = self.page()
        # All that it asks for at the beginning has come.
        tab.wait("document.querySelectorAll('#dispatch-action option').length > 0")
        tab.wait("document.querySelector('#middleware tbody tr')")
        tab.run("Object.defineProperty(document, 'hidden', {value: true, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))")
        # Once the door has answered to that, nothing goes to and fro.
        tab.answered('"follow":false')
        frames = len(tab.frames())
        self.house.run("lua for i = 1, 500 do dispatch('counter.increment') end")
        time.sleep(1)
        self.assertEqual(tab.frames()[frames:], [])
        self.assertEqual(tab.text("#total"), "6 actions")
        tab.run("Object.defineProperty(document, 'hidden', {value: false, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))")
        self.see(tab, "#total", "506 actions")
        self.see(tab, "#actions", "#506")

    def test_a_filter_finds_what_came_unseen(self):
        tab = self.page()
        tab.click("#filter")
        tab.type("tasks.add by:door")
        tab.key("Enter")
        self.see(tab, "#actions-empty", "No action up to #6 fits the filter")
        tab.run("Object.defineProperty(document, 'hidden', {value: true, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))")
        tab.answered('"follow":false')
        self.house.run("dispatch tasks.add Sing")
        tab.run("Object.defineProperty(document, 'hidden', {value: false, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))")
        self.see(tab, "#actions", "Sing")
        # So is one in a burst of which the page is told the newest alone.
        self.house.run("lua dispatch('tasks.add', { title = 'Dance' }) for i = 1, 20000 do dispatch('counter.increment') end")
        self.see(tab, "#actions", "Dance")
        self.assertEqual(tab.run("document.querySelectorAll('#actions .row:not([hidden]) .n').length"), 2)
        self.quiet(tab)


    def test_what_comes_is_searched_as_the_door_searches(self):
        tab = self.page()
        # Each is in what JSON writes, and in no text of a value.
        for number, words in enumerate(("[", "null", '\\"', "title"), 7):
            tab.click("#filter")
            tab.key("a", modifiers=2)
            tab.type(f"tasks.add {words}")
            tab.key("Enter")
            self.see(tab, "#unfilter", "clear, 0 found")
            self.house.run("dispatch tasks.add Hum")
            self.see(tab, "#total", f"{number} actions")
            self.assertEqual(tab.text("#unfilter"), "clear, 0 found")
        tab.click("#filter")
        tab.key("a", modifiers=2)
        tab.type("tasks.add hUM")
        tab.key("Enter")
        self.see(tab, "#unfilter", "clear, 4 found")
        self.house.run("dispatch tasks.add Thump")
        self.house.run("dispatch tasks.add Humming")
        self.see(tab, "#unfilter", "clear, 6 found")
        self.quiet(tab)

    def test_a_host_that_stops_to_answer(self):
        tab = self.page()
        tab.wait("document.querySelectorAll('#dispatch-action option').length > 0")
        self.addCleanup(self.house.host.send_signal, signal.SIGCONT)
        self.house.host.send_signal(signal.SIGSTOP)
        os.waitpid(self.house.host.pid, os.WUNTRACED)
        tab.click("#dispatch .main")
        self.see(tab, "#lost", "the store does not answer")
        self.see(tab, "#dispatch output", "the store does not answer")
        self.house.host.send_signal(signal.SIGCONT)
        self.see(tab, "#dispatch output", "#7")
        self.see(tab, "#status", "live")
        tab.wait("document.querySelector('#lost').hidden")
        self.quiet(tab)

    def test_the_host_is_started_again_with_fewer_rights(self):
        self.house.run("dispatch pomodoro.start minutes=25 task=2")
        tab = self.page()
        self.row(tab, "tasks.complete")
        self.see(tab, "#middleware", "logger")
        self.part(tab, "tasks")
        self.part(tab, "nextId", ".pin")
        tab.wait("document.querySelector('.pinned-chart .line')")
        hear = self.house.hear
        self.house.stop()
        self.house.allow = ["--allow", "dispatch:tasks.*"]
        self.house.hear = lambda: None
        self.house.start()
        self.see(tab, "#lost", "does not allow read any more")
        self.see(tab, "#status", "live")
        self.see(tab, "#about", "dispatch:tasks.*")
        self.see(tab, "#actions-empty", "This door does not allow read")
        self.see(tab, "#action", "Select an action")
        for part in ("#tree", "#pins"):
            self.see(tab, part, "this door does not allow reading")
        for part in ("#middleware", "#effects", "#plugins", "#dispatch"):
            self.see(tab, part, "This door does not allow read")
        for text in ("logger", "Buy milk", "example.stsh"):
            self.assertNotIn(text, tab.text())
        self.assertEqual(tab.run("document.querySelectorAll('.pinned-chart .line').length"), 0)
        self.house.stop()
        self.house.allow = []
        self.house.hear = hear
        self.house.start()
        self.see(tab, "#actions", "tasks.complete")
        self.see(tab, "#tree", "nextId 4")
        tab.wait("document.querySelector('.pinned-chart .line')")
        self.quiet(tab)

    def test_half_a_pair_is_sent_as_a_text(self):
        tab = self.page()
        tab.wait("document.querySelectorAll('#dispatch-action option').length > 0")
        half = "var enter = (selector, text, kind) => { const field = document.querySelector(selector);" \
               "field.value = text; field.dispatchEvent(new Event(kind, {bubbles: true})) };"
        tab.run(half + "enter('#dispatch-action', 'tasks.add', 'change')")
        tab.run(half + "enter('#argument-title', 'half \\ud83d end', 'input')")
        tab.click("#dispatch .main")
        self.see(tab, "#dispatch output", "#7")
        self.see(tab, "#actions", "half \ufffd end")
        tab.run(half + "enter('#filter', 'half \\ud83d', 'input')")
        self.see(tab, "#unfilter", "clear, 1 found")
        tab.run(half + "enter('#find', 'half \\ud83d', 'input')")
        self.see(tab, "#tree", "tasks")
        self.quiet(tab)

    def test_an_error_without_a_number_is_that_of_the_oldest_request(self):
        fake = FakeHost("name", "long")
        self.addCleanup(fake.close)
        answer = fake.answer
        fake.answer = lambda request: {"id": None, "error": {"code": "bad-request", "message": "this line is none"}} \
            if request.get("run", "").startswith("dispatch") else answer(request)
        tab = self.open(address=fake.address)
        tab.wait("document.querySelectorAll('#dispatch-action option').length > 0")
        tab.click("#dispatch .main")
        self.see(tab, "#pane-parts", "this line is none")
        tab.click("#console")
        tab.type("x")
        tab.key("Enter")
        tab.wait("document.querySelector('#console-log').innerText.includes('name') && document.querySelector('#stop').hidden")
        self.quiet(tab)


class OtherStoreTests(PageCase):
    def test_another_store_at_the_same_door(self):
        tab = self.page()
        self.row(tab, "tasks.complete")
        self.house.stop()
        self.see(tab, "#status", "lost")
        # Its log is longer, so only what is in it tells that it is another.
        script = f"{self.house.folder}/other.stsh"
        with open(script, "w") as file:
            file.write("dispatch counter.decrement\n" * 9)
        self.house.start([script])
        self.see(tab, "#lost", "another store")
        self.see(tab, "#total", "9 actions")
        tab.wait("(names => names.length === 9 && names.every(name => name.textContent === 'counter.decrement'))"
                 "([...document.querySelectorAll('#actions .row:not([hidden]) .name')].filter(name => name.textContent))")
        self.see(tab, "#action", "Select an action")
        self.quiet(tab)


class NumberTests(PageCase):
    """Numbers at the ends of what a type holds."""

    script = "dispatch counter.setStep to=2\n"
    most = "9223372036854775807"

    def again(self, tab):
        """Dispatches the action that is shown once more."""
        tab.click(None, "[...document.querySelectorAll('#action-buttons button')].find(button => button.textContent === 'again…')")
        tab.wait("document.activeElement?.id.startsWith('argument-')")

    def test_an_integer_keeps_its_digits(self):
        tab = self.page()
        self.part(tab, "counter")
        self.part(tab, "step", ".pin")
        tab.wait("document.querySelector('.pinned-chart .line')")
        for value in ("9007199254740993", self.most, f"-{self.most}"):
            self.house.run(f"dispatch counter.setStep to={value}")
            self.see(tab, "#actions", f"to={value}")
            self.see(tab, "#tree", value)
            tab.wait(f"document.querySelector('.pinned-chart .strong').textContent === {json.dumps(value)}")
        self.house.run(f"dispatch counter.setStep to={self.most[:-1]}6")
        self.see(tab, "#actions", f"to={self.most[:-1]}6")
        self.row(tab, "counter.setStep")
        self.see(tab, "#action .new", f"{self.most[:-1]}6")
        self.again(tab)
        self.assertEqual(tab.run("document.querySelector('#argument-to').value"), f"{self.most[:-1]}6")
        tab.key("Enter")
        self.see(tab, "#dispatch", "changed nothing")
        self.assertEqual(self.house.ask('{"read":"counter.step"}')["value"], int(f"{self.most[:-1]}6"))
        self.quiet(tab)

    def test_doubles_at_both_ends_are_drawn(self):
        folder = f"{self.house.folder}/wide"
        os.mkdir(folder)
        with open(f"{folder}/plugin.json", "w") as file:
            json.dump({"name": "wide", "version": "1.0.0", "api": 1, "permissions": []}, file)
        with open(f"{folder}/init.lua", "w") as file:
            file.write("""return plugin {
  state = { field('d', number()) },
  actions = { { name = 'set', args = { field('to', number()) } } },
  reducers = { set = function(s, a) s.d = a.to end },
}
""")
        for line in (f"plugin grant {folder}", f"plugin load {folder}", *(f"dispatch wide.set {value}" for value in ("-1.5e308", "5e-324", "1.5e308"))):
            self.assertTrue(self.house.run(line)["results"][0]["ok"], line)
        tab = self.page()
        self.part(tab, "wide")
        self.part(tab, "d", ".pin")
        tab.wait("document.querySelector('.pinned-chart .line')")
        self.see(tab, "#pins", "-1.5e+308 to 1.5e+308")
        heights = [float(word.split("V")[1]) for word in tab.run("document.querySelector('.pinned-chart .line').getAttribute('d')").split("H") if "V" in word]
        self.assertEqual(heights[-3:], [45, 24, 3])
        self.quiet(tab)


class SizeTests(PageCase):
    def test_a_history_that_moves_on(self):
        self.house.run("set journal.limit 10000")
        self.house.run("lua for i = 1, 11000 do dispatch('counter.increment') end")
        tab = self.page()
        oldest = tab.wait("Number(document.querySelector('#slider').min)")
        tab.click("#first")
        self.see(tab, "#mode", "look only")
        value = self.house.ask(json.dumps({"read": "counter.value", "at": oldest}))["value"]
        self.see(tab, "#tree", f"value {value}")
        # The point that is looked at goes out of reach: what is not there yet cannot be shown, and the present can.
        self.house.run("lua for i = 1, 2000 do dispatch('counter.increment') end")
        tab.wait(f"Number(document.querySelector('#slider').min) > {oldest}")
        self.part(tab, "tasks")
        self.see(tab, "#tree", "⚠")
        tab.click("#live")
        self.see(tab, "#tree", "value 13004")
        tab.wait("!document.querySelector('#tree').innerText.includes('⚠')")
        # The oldest action that is kept ends the list, and nothing is asked for again and again.
        tab.key("a")
        tab.key("End")
        tab.wait("document.querySelector('#actions').innerText.includes('#' + (Number(document.querySelector('#slider').min) + 1).toLocaleString('en'))")
        self.quiet(tab)

    def test_a_long_answer(self):
        tab = self.page()
        tab.click("#console")
        tab.type("lua for i = 1, 4000 do print(string.rep('x', 99)) end")
        tab.key("Enter")
        self.see(tab, "#console-log", "… 200,000 more characters, which are not shown here")
        tab.type("lua print('hel' .. 'lo')")
        tab.key("Enter")
        self.see(tab, "#console-log", "hello")
        self.assertLess(len(tab.text("#console-log")), 210_000)
        self.quiet(tab)

    def test_a_list_of_many_records(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.house.folder, delete=False) as file:
            items = [{"id": number, "title": f"task {number}", "done": False} for number in range(1, 100_001)]
            json.dump({"tasks": {"nextId": 100_001, "items": items}}, file)
        self.house.run("set journal.limit 32MiB")
        self.house.run(f"import state {file.name}")
        tab = self.open()
        self.see(tab, "#actions-empty", "keeps no action up to #8")
        self.part(tab, "tasks")
        self.see(tab, "#tree", "100,000 elements")
        self.part(tab, "items")
        self.see(tab, "#tree", 'title "task 1"')
        self.assertLess(tab.run("document.querySelectorAll('#tree .row').length"), 120)
        tab.key("s")
        tab.key("End")
        self.see(tab, "#tree", 'title "task 100000"')
        self.quiet(tab)

    def test_what_is_kept_is_bounded(self):
        tab = self.page()
        # Both by the count and by the characters of the entries; what has gone is asked for again.
        for length, count in ((3, 50_000), (100_000, 5_000)):
            found = tab.run("""(async () => {
              const { Log, Matches } = await import('/log.js');
              const asked = [];
              const door = { isOpen: true, ask: async (request) => { asked.push(request.to); return { entries: [], next: null } } };
              const log = new Log(door, () => {});
              const matches = new Matches(door, { request: {}, accepts: () => true, isUnsure: () => false, refines: () => true }, 0, () => {});
              const text = 'x'.repeat(%d);
              for (let id = 1; id <= %d; id++) {
                const entries = [{ id, at: id, action: 'a', args: { text, list: Array(50).fill(text) } }];
                log.add(entries, id);
                matches.add(entries, id);
              }
              const oldest = matches.reached + 1;
              let characters = 0;
              for (let at = 0; at < matches.size; at++) characters += JSON.stringify(matches.row(at).entry).length;
              let held = 0;
              for (let id = 1; id <= log.head; id++) held += JSON.stringify(log.entry(id) ?? '').length;
              return { size: matches.size, oldest, characters, held, asked, first: matches.row(0).first,
                position: matches.position(log.head - 9), hasOldest: matches.has(oldest), hasGone: matches.has(oldest - 1) };
            })()""" % (length, count))
            self.assertEqual(found["first"], count)
            self.assertEqual(found["oldest"], count - found["size"] + 1)
            self.assertEqual((found["position"], found["hasOldest"], found["hasGone"]), (9, True, False))
            self.assertLessEqual(found["size"], 20_500)
            self.assertGreater(found["size"], 400)
            self.assertLess(found["characters"], 50_000_000)
            self.assertLess(found["held"], 50_000_000)
        self.quiet(tab)

    def test_a_long_argument_is_filled_in_whole(self):
        tab = self.page()
        title = "x" * 40_000 + " the end"
        self.house.run(f"dispatch tasks.add {json.dumps(title)}")
        self.see(tab, "#actions", "#7")
        self.row(tab, "tasks.add")
        tab.click(None, "[...document.querySelectorAll('#action-buttons button')].find(button => button.textContent === 'again…')")
        tab.wait(f"document.querySelector('#argument-title')?.value === {json.dumps(title)}")
        self.quiet(tab)

    def test_the_first_rows_wait_for_little(self):
        tab = self.open(address="about:blank")
        tab.call("Page.addScriptToEvaluateOnNewDocument", source="""new MutationObserver((_, observer) => {
          if (!document.querySelector('#actions .name')?.textContent) return;
          window.loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
          observer.disconnect();
        }).observe(document, {childList: true, subtree: true, characterData: true})""")
        tab.go(self.house.address)
        loaded = tab.wait("window.loaded")
        # One wave of a few files, the list of actions alone, and the door's first answers.
        self.assertLessEqual(len(loaded), 14, loaded)
        self.assertNotIn("/main.js", loaded)
        tab.wait(LIVE)
        self.see(tab, "#tree", "tasks")
        frames = [json.loads(text) for sent, text in tab.frames() if sent and text.startswith("{")]
        self.assertEqual([request.get("log") for request in frames[:2]], [1, None])
        self.quiet(tab)

    def test_many_actions(self):
        self.house.run("lua for i = 1, 3000 do dispatch('counter.increment') end")
        tab = self.page()
        self.see(tab, "#actions", "#3,006")
        self.assertLess(tab.run("document.querySelectorAll('#actions .row').length"), 120)
        tab.key("a")
        tab.key("End")
        self.see(tab, "#actions", "tasks.add")
        tab.key("/")
        tab.type("#1500")
        tab.key("Enter")
        self.see(tab, "#action h3", "counter.increment")
        self.see(tab, "#title-action", "#1,500")


class OrderBookTests(unittest.TestCase):
    """A store that four threads keep busy."""

    def test_a_busy_store(self):
        house = OrderBook()
        self.addCleanup(house.close)
        tab = browser.open(house.address)
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        seen = tab.run("Number(document.querySelector('#slider').max)")
        tab.wait(f"Number(document.querySelector('#slider').max) > {seen}")
        tab.click("#actions")
        tab.wait("document.querySelector('#action h3')?.textContent.startsWith('book.')")
        tab.wait("document.querySelector('#action').innerText.includes('Desk.swift:')")
        tab.click("#filter")
        tab.type("book.cancel by:Desk")
        tab.wait("(names => names.length > 3 && names.every(name => name.textContent.endsWith('book.cancel')))"
                 "([...document.querySelectorAll('#actions .row:not([hidden]) .name')])")
        tab.click("#back")
        tab.wait("document.querySelector('#mode').innerText === 'look only'")
        number = int(tab.text("#point").strip("#").replace(",", ""))
        price = house.ask(json.dumps({"read": "book.lastPrice", "at": number}))["value"]
        tab.wait(f"document.querySelector('#tree').innerText.includes('lastPrice {price}')")
        seen = tab.text("#total")
        tab.wait(f"document.querySelector('#total').innerText !== {json.dumps(seen)}")
        self.assertIn(f"lastPrice {price}", tab.text("#tree"))
        self.assertEqual(tab.complaints(), [])


class LookTests(PageCase):
    """How it looks: pictures at three widths, light and dark; nothing is cut off, and every text can be read."""

    contrast = """(() => {
      const channel = (value) => (value /= 255) <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
      const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
      const parse = (text) => text.match(/[\\d.]+/g).map(Number);
      const ground = (node) => {
        for (; node; node = node.parentElement) {
          const color = parse(getComputedStyle(node).backgroundColor);
          if (color.length < 4 || color[3] > 0) return color;
        }
        return [255, 255, 255];
      };
      const poor = [];
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const node = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || !node.checkVisibility() || node.closest('option, :disabled, [aria-disabled=true], .ghost')) continue;
        const [one, other] = [light(parse(getComputedStyle(node).color)), light(ground(node))];
        const ratio = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
        if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${walk.currentNode.data.trim().slice(0, 40)}`);
      }
      return poor;
    })()"""

    def test_sizes_and_colours(self):
        self.house.run("dispatch pomodoro.start minutes=25 task=2")
        self.house.run("try dispatch tasks.complete id=2")
        for width, height in ((400, 800), (1280, 800), (3840, 2160)):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    tab = self.page(width=width, height=height, dark=dark)
                    self.row(tab, "tasks.complete")
                    tab.wait("document.querySelector('#action .change')")
                    tab.wait("document.querySelector('#middleware tbody tr')")
                    self.assertEqual(tab.run("document.documentElement.scrollWidth"), width)
                    self.assertEqual(tab.run(self.contrast), [])
                    tab.picture(f"{PICTURES}/{width}-{'dark' if dark else 'light'}.png")
                    panes = ("actions", "action", "state", "parts") if width < 1100 else ()
                    for name in panes:
                        tab.click(f"#tab-{name}")
                        self.assertEqual(tab.run(self.contrast), [])
                        self.assertLessEqual(tab.run(f"document.querySelector('#pane-{name}').scrollWidth"), width)
                    tab.close()

    def test_a_screen_reader_can_read_it(self):
        tab = self.page()
        self.part(tab, "tasks")
        self.row(tab, "tasks.complete")
        tab.wait("document.querySelector('#middleware tbody tr')")
        tab.click("#console")
        tab.type("echo hello")
        tab.key("Enter")
        self.see(tab, "#console-log", "hello")
        nodes = tab.accessible()
        for role, name, node in nodes:
            if role in ("button", "textbox", "searchbox", "checkbox", "switch", "slider", "combobox", "listbox", "tree", "tab", "log"):
                self.assertTrue(name.strip(), f"a {role} without a name: {node.get('properties')}")
        found = {(role, name) for role, name, _ in nodes}
        for role, name in (
            ("slider", "Point of the history that is looked at"), ("tree", "State"), ("listbox", "Actions, newest first"),
            ("log", "Console"), ("switch", "Gate of logger"), ("heading", "dispatch"), ("button", "undo mine"),
        ):
            self.assertIn((role, name), found)
        items = [node for role, name, node in nodes if role == "treeitem" and "tasks" in name]
        self.assertTrue(any(part["name"] == "expanded" and part["value"]["value"] for node in items for part in node["properties"]))
        self.assertTrue([1 for role, name, _ in nodes if role == "option" and "tasks.complete" in name])

    def test_an_empty_store_says_what_to_type(self):
        house = House("")
        self.addCleanup(house.close)
        tab = self.open(address=house.address)
        self.see(tab, "#actions-empty", "dispatch counter.increment")
        tab.click("#console")
        tab.type("dispatch counter.increment")
        tab.key("Enter")
        self.see(tab, "#actions", "counter.increment")


if __name__ == "__main__":
    unittest.main()
