-- What a web server's log tells, from `ingest access.log --as weblog.hit --match combined`: requests, errors and bytes by path and by
-- minute, and an alert where more than one in twenty answers of a path failed within a minute.

local count = int { min = 0 }
local counts = record("Counts", { field("hits", count), field("errors", count) })

local function add(entry, failed)
  entry.hits, entry.errors = entry.hits + 1, entry.errors + failed
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("hits", count),
    field("paths", map(record("Path", { field("hits", count), field("errors", count), field("bytes", count) }))),
    field("minutes", list(record("Minute", { field("minute", text()), field("hits", count), field("errors", count) }))),
    field("minute", text()),                  -- the one that goes on, 24/Nov/2026:10:00
    field("now", map(counts)),                -- its counts by path
    field("last", map(counts)),               -- those of the minute before
    field("alerts", list(record("Alert", {
      field("minute", text()), field("path", text()), field("hits", count), field("errors", count) }))),
  },

  actions = {
    { name = "hit", quiet = true, doc = "A request, as a log in the combined or common form has it.", args = {
        field("time", text()), field("path", text()), field("status", int { min = 100, max = 599 }),
        field("bytes", int { min = 0, default = 0 }) } },
    { name = "close", doc = "A minute is over.", args = { field("minute", text()) } },
    { name = "alert", doc = "Too many requests of a path failed within a minute.", args = {
        field("minute", text()), field("path", text()), field("hits", count), field("errors", count) } },
  },

  reducers = {
    hit = function(s, a)
      local minute, failed = a.time:sub(1, 17), a.status >= 500 and 1 or 0
      s.hits = s.hits + 1
      if s.minute ~= minute then
        s.minute, s.last, s.now = minute, s.now, {}
        s.minutes[#s.minutes + 1] = { minute = minute, hits = 0, errors = 0 }
      end
      add(s.minutes[#s.minutes], failed)
      local path = s.paths[a.path]
      if path then
        add(path, failed)
        path.bytes = path.bytes + a.bytes
      else
        s.paths[a.path] = { hits = 1, errors = failed, bytes = a.bytes }
      end
      local now = s.now[a.path]
      if now then add(now, failed) else s.now[a.path] = { hits = 1, errors = failed } end
    end,
    alert = function(s, a)
      s.alerts[#s.alerts + 1] = { minute = a.minute, path = a.path, hits = a.hits, errors = a.errors }
    end,
  },

  transitions = {
    { at = "weblog.minute", from = function(minute) return minute ~= "" end, dispatch = "weblog.close",
      carry = function(before) return { minute = before } end },
  },

  middleware = {
    { name = "alarm", on = { "close" }, after = function(action, ctx)
        for path, n in pairs(ctx.state.weblog.last) do
          if n.hits >= 20 and n.errors * 20 > n.hits then
            log.warn(string.format("%s %s: %d of %d failed", action.args.minute, path, n.errors, n.hits))
            ctx:dispatch("alert", { minute = action.args.minute, path = path, hits = n.hits, errors = n.errors })
          end
        end
      end },
  },

  projections = {
    -- The ten paths with the most requests.
    { name = "top",
      type = list(record("Top", { field("path", text()), field("hits", count), field("errors", count) })),
      fn = function(state)
        local rows = {}
        for path, p in pairs(state.weblog.paths) do
          rows[#rows + 1] = { path = path, hits = p.hits, errors = p.errors }
        end
        table.sort(rows, function(a, b) if a.hits ~= b.hits then return a.hits > b.hits end return a.path < b.path end)
        return table.move(rows, 1, math.min(10, #rows), 1, {})
      end },
  },
}
