local function add(t, section, installedKiB, depends)
  t:dispatch("catalog.add", {
    name = "any", version = "1", section = section, priority = "optional",
    installedKiB = installedKiB, depends = depends,
  })
end

test("a section sums up its packages", function(t)
  add(t, "games", 10, 2)
  add(t, "games", 5, 1)
  t:equals(t:get("catalog.sections"), { games = { packages = 2, installedKiB = 15, depends = 3 } })
end)

test("the largest section comes first", function(t)
  add(t, "admin", 1, 0)
  add(t, "games", 3, 1)
  add(t, "mail", 2, 0)
  t:equals(t:get("catalog.largest[1].section"), "games")
  t:equals(t:get("catalog.largest[2].section"), "mail")
  t:equals(t:get("catalog.largest[3].section"), "admin")
end)

test("sections of one size go by name", function(t)
  for _, section in ipairs { "mail", "admin", "games" } do add(t, section, 7, 0) end
  t:equals(t:get("catalog.largest[*].section"), { "admin", "games", "mail" })
end)

test("no more than ten sections are listed", function(t)
  for number = 1, 11 do add(t, "section" .. number, number, 0) end
  t:equals(#t:get("catalog.largest"), 10)
  t:equals(t:get("catalog.largest[10].section"), "section2")
end)

test("an empty catalogue has no largest section", function(t)
  t:equals(t:get("catalog.largest"), {})
  t:equals(t:get("catalog.totals"), { sections = 0, packages = 0, installedKiB = 0, depends = 0 })
end)

test("a negative size is refused", function(t)
  t:fails("out-of-range", function() add(t, "games", -1, 0) end)
end)

test("a size that is no number is refused", function(t)
  t:fails("type-mismatch", function() add(t, "games", "big", 0) end)
end)
