-- An activity feed: a middleware sees the actions of other modules and dispatches a sentence about each. The feed is
-- state like all other: shown, watched, undone and replayed. It keeps the newest lines only.

local told = require("lib.sentences")

-- A report may come from anywhere, and its time be none of a session.
local function clock(at)
  local seconds = math.tointeger(at // 1)
  if not seconds or seconds < 0 then return "--:--:--" end
  return string.format("%02d:%02d:%02d", seconds // 3600, seconds // 60 % 60, seconds % 60)
end

local function row(entry)
  return { at = clock(entry.at), text = entry.text }
end

local function shorten(s)
  local excess = #s.feed - s.limit
  if excess <= 0 then return end
  if excess == 1 then return table.remove(s.feed, 1) end
  s.feed = { table.unpack(s.feed, excess + 1) }
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("feed", list(record("Entry", {
      field("at",     number()),      -- seconds since the session began
      field("action", text()),
      field("text",   text()),
    }))),
    field("limit", int { min = 1, max = 1000, default = 100 }),
  },

  actions = {
    { name = "report", quiet = true, doc = "Adds a line to the feed.", args = {
        field("at", number(), "when it happened, in seconds since the session began"),
        field("action", text(), "the name of the action that it is about"), field("text", text()) } },
    { name = "keep", doc = "Says how many lines the feed holds.", args = {
        field("lines", int { min = 1, max = 1000 }) } },
    { name = "clear", doc = "Empties the feed." },
  },

  reducers = {
    report = function(s, a)
      s.feed[#s.feed + 1] = { at = a.at, action = a.action, text = a.text }
      shorten(s)
    end,
    keep = function(s, a)
      s.limit = a.lines
      shorten(s)
    end,
    clear = function(s)
      s.feed = {}
    end,
  },

  middleware = {
    {
      name = "reporter",
      on = { "tasks.*", "counter.*" },
      before = function(action, ctx)
        local glimpse = told.glimpses[action.name]
        return glimpse and glimpse(action.args, ctx.state)
      end,
      after = function(action, ctx, was)
        local sentence = told.sentences[action.name]
        local line = sentence and sentence(action.args, ctx.state, was)
        if line then ctx:dispatch("report", { at = action.at, action = action.name, text = line }) end
      end,
    },
  },

  projections = {
    { name = "latest", type = optional(text()), fn = function(state)
        local feed = state.journalist.feed
        return #feed > 0 and feed[#feed].text or nil
      end },
    { name = "tally",
      type = list(record("Count", { field("action", text()), field("lines", int()) })),
      fn = function(state)
        local counts, rows = {}, {}
        for _, e in ipairs(state.journalist.feed) do counts[e.action] = (counts[e.action] or 0) + 1 end
        for action, lines in pairs(counts) do rows[#rows + 1] = { action = action, lines = lines } end
        return rows
      end },
  },

  commands = {
    { name = "feed", args = { field("lines", int { min = 1, default = 10 }) },
      summary = "the newest lines, oldest first", examples = { "journalist feed", "journalist feed 3 --json" },
      run = function(args, cmd)
        local feed, rows = cmd.state.journalist.feed, {}
        for i = math.max(1, #feed - args.lines + 1), #feed do rows[#rows + 1] = row(feed[i]) end
        return rows
      end },
    { name = "search", args = { field("text", text()) },
      summary = "the lines that hold a text", examples = { "journalist search milk" },
      run = function(args, cmd)
        local rows = {}
        for _, e in ipairs(cmd.state.journalist.feed) do
          if e.text:lower():find(args.text:lower(), 1, true) then rows[#rows + 1] = row(e) end
        end
        return rows
      end },
  },
}
