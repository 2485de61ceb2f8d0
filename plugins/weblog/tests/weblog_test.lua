local function hit(t, minute, path, status)
  t:dispatch("weblog.hit", { time = "24/Nov/2026:" .. minute .. ":07 +0000", path = path, status = status, bytes = 10 })
end

test("requests are counted by path and by minute", function(t)
  hit(t, "10:00", "/a", 200)
  hit(t, "10:00", "/a", 503)
  hit(t, "10:01", "/b", 404)
  t:equals(t:get("weblog.hits"), 3)
  t:equals(t:get('weblog.paths["/a"]'), { hits = 2, errors = 1, bytes = 20 })
  t:equals(t:get("weblog.minutes"), {
    ["24/Nov/2026:10:00"] = { hits = 2, errors = 1 }, ["24/Nov/2026:10:01"] = { hits = 1, errors = 0 } })
end)

test("lines that come late count for their minute", function(t)
  for _, minute in ipairs { "10:00", "10:01", "10:00" } do hit(t, minute, "/a", 200) end
  t:equals(t:get('weblog.minutes["24/Nov/2026:10:00"].hits'), 2)
end)

test("a bad minute is told of once, when it is one", function(t)
  for n = 1, 40 do hit(t, "10:00", "/a", n > 35 and 500 or 200) end
  t:equals(t:get("weblog.alerts"), { { minute = "24/Nov/2026:10:00", path = "/a", hits = 37, errors = 2 } })
end)

test("one failure in twenty, or a few requests, are no alert", function(t)
  for n = 1, 40 do hit(t, "10:00", "/a", n % 20 == 0 and 500 or 200) end
  for _ = 1, 19 do hit(t, "10:00", "/b", 500) end
  hit(t, "10:01", "/a", 200)
  t:equals(t:get("weblog.alerts"), {})
end)

test("a status that is none is refused", function(t)
  t:fails("out-of-range", function() hit(t, "10:00", "/a", 42) end)
end)
