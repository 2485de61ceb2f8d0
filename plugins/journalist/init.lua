-- An activity feed: a middleware sees the actions of other modules and dispatches a sentence about each. The feed is
-- state like all other: shown, watched, undone and replayed. It keeps the newest lines only.

local told = require("lib.sentences")

local function clock(at)
  return string.format("%02d:%02d:%02d", at // 3600, at // 60 % 60, math.floor(at) % 60)
end

-- A line of the feed as it is printed. A title may hold anything, line breaks too.
local function row(entry)
  return clock(entry.at) .. "  " .. entry.text:gsub("%c", " ")
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
        field("at", number()), field("action", text()), field("text", text()) } },
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
      summary = "the newest lines, oldest first", examples = { "journalist feed", "journalist feed 3" },
      run = function(args, cmd)
        local feed = cmd.state.journalist.feed
        if #feed == 0 then return "nothing yet" end
        for i = math.max(1, #feed - args.lines + 1), #feed do cmd:print(row(feed[i])) end
      end },
    { name = "search", args = { field("text", text()) },
      summary = "the lines that hold a text", examples = { "journalist search milk" },
      run = function(args, cmd)
        for _, e in ipairs(cmd.state.journalist.feed) do
          if e.text:lower():find(args.text:lower(), 1, true) then cmd:print(row(e)) end
        end
      end },
  },
}
