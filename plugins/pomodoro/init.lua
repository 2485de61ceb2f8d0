local function ticking(task)
  while true do
    task:sleep(1)
    task:dispatch("pomodoro.tick")
  end
end

local function pausing(task)
  task:sleep(5 * 60)
  task:dispatch("pomodoro.stop")
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("phase",  enum { "idle", "work", "rest" }),
    field("left",   int { min = 0 }),          -- seconds left in this round
    field("task",   optional(int())),          -- tasks.items[id=…] being worked on
    field("rounds", list(int())),              -- length of each finished round, in minutes
    field("length", int { min = 0 }),
  },

  actions = {
    { name = "start", args = {
        field("minutes", int { min = 1, max = 180, default = 25 }),
        field("task", optional(int())) } },
    { name = "tick", quiet = true },          -- runs of it fold into one `log` line
    { name = "stop" },
  },

  reducers = {
    start = function(s, a)
      s.phase, s.left, s.task, s.length = "work", a.minutes * 60, a.task, a.minutes
    end,
    tick = function(s)
      if s.phase ~= "work" then return end
      s.left = s.left - 1
      if s.left == 0 then
        s.phase = "rest"
        s.rounds[#s.rounds + 1] = s.length
      end
    end,
    stop = function(s)
      s.phase, s.left, s.task = "idle", 0, nil
    end,
    ["tasks.remove"] = function(s, a)          -- another module's action, own slice only
      if s.task == a.id then s.task = nil end
    end,
  },

  middleware = {
    {
      name = "clock",
      supervise = function(state)              -- the tasks that should exist in this state
        local phase = state.pomodoro.phase
        if phase == "work" then return { ticks = ticking } end
        if phase == "rest" then return { pause = pausing } end
      end,
    },
    {
      name = "finisher",
      on = { "tick" },
      before = function(_, ctx)                -- sees the state before the reducers
        return ctx.state.pomodoro.phase
      end,
      after = function(_, ctx, was)            -- sees the state after; `was` came from before
        local now = ctx.state.pomodoro
        if was == "work" and now.phase == "rest" and now.task then
          ctx:dispatch("tasks.complete", { id = now.task })
        end
      end,
    },
  },

  projections = {
    { name = "face", type = text(), fn = function(state)
        local p = state.pomodoro
        return string.format("%s %02d:%02d", p.phase, p.left // 60, p.left % 60)
      end },
    { name = "focus", type = optional(text()), fn = function(state)
        for _, t in ipairs(state.tasks.items) do
          if t.id == state.pomodoro.task then return t.title end
        end
      end },
  },

  commands = {
    { name = "status", summary = "one line: phase, time left, to-do",
      run = function(_, cmd)
        local on = cmd:project("pomodoro.focus")
        return cmd:project("pomodoro.face") .. (on and " on " .. on or "")
      end },
  },
}
