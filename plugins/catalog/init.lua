local function larger(a, b)
  if a.installedKiB ~= b.installedKiB then return a.installedKiB > b.installedKiB end
  return a.section < b.section
end

local figures = {
  field("packages",     int { min = 0 }),
  field("installedKiB", int { min = 0 }),
  field("depends",      int { min = 0 }),     -- dependencies that the packages list, together
}

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("sections", map(record("Section", figures))),
  },

  actions = {
    { name = "add", quiet = true, doc = "Counts a package.", args = {
        field("name",         text()),
        field("version",      text()),
        field("section",      text()),
        field("priority",     text()),
        field("installedKiB", int { min = 0 }),
        field("depends",      int { min = 0 }) } },
  },

  reducers = {
    add = function(s, a)
      local sections, name = s.sections, a.section
      local section = sections[name]
      if section then
        section.packages = section.packages + 1
        section.installedKiB = section.installedKiB + a.installedKiB
        section.depends = section.depends + a.depends
      else
        sections[name] = { packages = 1, installedKiB = a.installedKiB, depends = a.depends }
      end
    end,
  },

  projections = {
    { name = "largest",
      type = list(record("LargestSection", { field("section", text()), table.unpack(figures) })),
      fn = function(state)
        local rows = {}
        for name, s in pairs(state.catalog.sections) do
          rows[#rows + 1] =
            { section = name, packages = s.packages, installedKiB = s.installedKiB, depends = s.depends }
        end
        table.sort(rows, larger)
        return table.move(rows, 1, math.min(10, #rows), 1, {})
      end },
    { name = "totals",
      type = record("Totals", { field("sections", int()), table.unpack(figures) }),
      fn = function(state)
        local t = { sections = 0, packages = 0, installedKiB = 0, depends = 0 }
        for _, s in pairs(state.catalog.sections) do
          t.sections = t.sections + 1
          t.packages = t.packages + s.packages
          t.installedKiB = t.installedKiB + s.installedKiB
          t.depends = t.depends + s.depends
        end
        return t
      end },
  },
}
