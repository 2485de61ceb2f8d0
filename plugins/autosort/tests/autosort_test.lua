local function add(t, ...)
  for _, title in ipairs { ... } do t:dispatch("tasks.add", { title = title }) end
end

local function titles(t) return t:get("tasks.items[*].title") end

test("a new task goes where it belongs", function(t)
  add(t, "milk", "bread", "tea", "coffee", "apples")
  t:equals(titles(t), { "apples", "bread", "coffee", "milk", "tea" })
  t:equals(t:get("tasks.items[*].id"), { 5, 2, 4, 1, 3 })
  t:equals(t:get("tasks.nextId"), 6)
end)

test("capitals make no difference, and of equals the first stays first", function(t)
  add(t, "b", "B", "a", "A", "b")
  t:equals(t:get("tasks.items[*].id"), { 3, 4, 1, 2, 5 })
end)

test("what is done goes below what is open", function(t)
  add(t, "a", "b", "c", "d")
  t:dispatch("tasks.complete", { id = 3 })
  t:dispatch("tasks.complete", { id = 1 })
  t:equals(titles(t), { "b", "d", "a", "c" })
  t:equals(t:get("tasks.items[*].done"), { false, false, true, true })
  add(t, "e")
  t:equals(titles(t), { "b", "d", "e", "a", "c" })
end)

test("what is not there is not moved", function(t)
  add(t, "b", "a")
  t:fails("failed", function() t:dispatch("tasks.complete", { id = 9 }) end)
  t:dispatch("tasks.remove", { id = 1 })
  t:equals(titles(t), { "a" })
end)

test("the list can be sorted another way, until the next task", function(t)
  add(t, "c", "b", "a")
  t:dispatch("tasks.sort", { by = "id" })
  t:equals(titles(t), { "c", "b", "a" })
  t:dispatch("tasks.sort")
  t:equals(titles(t), { "a", "b", "c" })
end)

test("what was sorted another way is put in order by the next change", function(t)
  add(t, "c", "a", "b")
  t:dispatch("tasks.complete", { id = 2 })
  t:dispatch("tasks.sort", { by = "id" })
  add(t, "bb")
  t:equals(titles(t), { "b", "bb", "c", "a" })
  t:dispatch("tasks.sort", { by = "id" })
  t:dispatch("tasks.complete", { id = 1 })
  t:equals(titles(t), { "b", "bb", "a", "c" })
end)

test("hundreds of tasks stay in order", function(t)
  for i = 1, 300 do add(t, string.format("%03d", i * 7 % 300)) end
  local found = titles(t)
  for i = 2, #found do t:ok(found[i - 1] <= found[i], "item " .. i) end
  t:equals(#found, 300)
end)
