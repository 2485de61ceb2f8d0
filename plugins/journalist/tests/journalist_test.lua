local function texts(t) return t:get("journalist.feed[*].text") end

test("what happens to tasks is told", function(t)
  t:dispatch("tasks.add", { title = "Buy milk" })
  t:dispatch("tasks.complete", { id = 1 })
  t:dispatch("tasks.remove", { id = 1 })
  t:equals(texts(t), { 'added "Buy milk"', 'completed "Buy milk"', 'removed "Buy milk"' })
  t:equals(t:get("journalist.latest"), 'removed "Buy milk"')
end)

test("what is refused or changes nothing is not told", function(t)
  t:fails("failed", function() t:dispatch("tasks.complete", { id = 7 }) end)
  t:fails("failed", function() t:dispatch("tasks.remove", { id = 7 }) end)
  t:dispatch("counter.reset")
  t:dispatch("tasks.add", { title = "once" })
  t:dispatch("tasks.complete", { id = 1 })
  t:dispatch("tasks.complete", { id = 1 })
  t:equals(texts(t), { 'added "once"', 'completed "once"' })
  t:equals(t:get("journalist.tally"), {
    { action = "tasks.add", lines = 1 }, { action = "tasks.complete", lines = 1 } })
end)

test("the counter is told from where to where", function(t)
  t:dispatch("counter.setStep", { to = 5 })
  t:dispatch("counter.increment")
  t:dispatch("counter.decrement", { by = 2 })
  t:equals(texts(t), {
    "the counter's step is 5", "the counter went from 0 to 5", "the counter went from 5 to 3" })
end)

test("the feed keeps the newest lines", function(t)
  t:dispatch("keep", { lines = 2 })
  for i = 1, 5 do t:dispatch("tasks.add", { title = "task " .. i }) end
  t:equals(texts(t), { 'added "task 4"', 'added "task 5"' })
  t:dispatch("keep", { lines = 1 })
  t:equals(texts(t), { 'added "task 5"' })
  t:dispatch("clear")
  t:equals(t:get("journalist.feed"), {})
  t:equals(t:get("journalist.latest"), nil)
end)

test("a feed has at least one line", function(t)
  t:fails("out-of-range", function() t:dispatch("keep", { lines = 0 }) end)
end)

test("the commands show it, with the time", function(t)
  t:dispatch("tasks.add", { title = "Buy milk" })
  t:advance(3661)
  t:dispatch("counter.increment")
  t:dispatch("counter.increment")
  t:equals(t:run("journalist feed 2"),
    "at        text\n01:01:01  the counter went from 0 to 1\n01:01:01  the counter went from 1 to 2")
  t:equals(t:run("journalist feed"),
    'at        text\n00:00:00  added "Buy milk"\n' ..
    "01:01:01  the counter went from 0 to 1\n01:01:01  the counter went from 1 to 2")
  t:equals(t:run("journalist search MILK"), 'at        text\n00:00:00  added "Buy milk"')
end)

test("what the commands show is data as well", function(t)
  t:equals(t:run("journalist feed"), "0 items")
  t:equals(t:run("journalist feed --json"), "[]")
  t:dispatch("counter.increment")
  local line = '[{"at":"00:00:00","text":"the counter went from 0 to 1"}]'
  t:equals(t:run("journalist feed --json"), line)
  t:equals(t:run("journalist search COUNTER --json"), line)
  t:equals(t:run("journalist search tasks --json"), "[]")
end)

test("a time that is none of a session is shown as none", function(t)
  for _, at in ipairs { 1e300, -1, math.huge, 0 / 0 } do
    t:dispatch("report", { at = at, action = "x", text = "y" })
  end
  t:dispatch("report", { at = 1e7, action = "x", text = "y" })
  t:equals(t:run("journalist feed"),
    "at          text\n" .. ("--:--:--    y\n"):rep(4) .. "2777:46:40  y")
end)

test("a closed gate is silence", function(t)
  t:gate("reporter", "off")
  t:dispatch("tasks.add", { title = "secret" })
  t:equals(t:get("journalist.feed"), {})
end)

test("an entry is one line, whatever its title holds", function(t)
  t:dispatch("tasks.add", { title = "Buy\nmilk" })
  t:equals(t:run("journalist feed"), 'at        text\n00:00:00  added "Buy\\nmilk"')
end)
