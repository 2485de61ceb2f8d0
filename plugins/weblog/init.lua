-- What a web server's log tells, from `ingest access.log --as weblog.hit --match combined`: requests and errors by path and by
-- minute, and an alert once more than one in twenty answers of a path have failed within a minute.
local count = int { min = 0, default = 0 }
local function counts(name, ...) return record(name, { field("hits", count), field("errors", count), ... }) end

local function add(map, key, failed)
  local entry = map[key]
  if not entry then map[key] = { hits = 1, errors = failed } return map[key], 1 end
  local hits = entry.hits + 1
  entry.hits = hits
  if failed > 0 then entry.errors = entry.errors + failed end
  return entry, hits
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("hits", count),
    field("paths", map(counts("Path", field("bytes", count)))),
    field("minutes", map(counts("Minute"))),
    field("rates", map(map(counts("Rate", field("told", bool { default = false }))))),     -- by minute and path
    field("alerts", list(counts("Alert", field("minute", text()), field("path", text())))),
  },
  actions = {
    { name = "hit", quiet = true, doc = "A request, as a log in the combined or common form has it.", args = {
        field("time", text()), field("path", text()), field("status", int { min = 100, max = 599 }), field("bytes", count) } },
  },
  reducers = {
    hit = function(s, a)
      local minute, failed = a.time:sub(1, 17), a.status >= 500 and 1 or 0
      s.hits = s.hits + 1
      local path = add(s.paths, a.path, failed)
      path.bytes = path.bytes + a.bytes
      add(s.minutes, minute, failed)
      local rates = s.rates[minute]
      if not rates then s.rates[minute] = {} rates = s.rates[minute] end
      local rate, hits = add(rates, a.path, failed)
      if hits >= 20 and rate.errors * 20 > hits and not rate.told then
        rate.told = true
        s.alerts[#s.alerts + 1] = { minute = minute, path = a.path, hits = hits, errors = rate.errors }
      end
    end,
  },
}
