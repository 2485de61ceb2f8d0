-- Rate limits and budgets. An interceptor stands around every action and drops those that a rule has no room for. The
-- rules and what they have counted are state like all other, set by actions: shown, journaled, and taken back by undo.
-- A rule is for one action, "tasks.add", or for all of a module, "tasks.*"; where several fit, each has to have room.

local function among(rules, name)
  local module = name:match("^[^.]*")
  return coroutine.wrap(function()
    for _, key in ipairs { name, module .. ".*" } do
      if rules[key] then coroutine.yield(key, rules[key]) end
    end
  end)
end

local function cost(budget, args)
  if not budget.of then return 1 end
  local amount = args[budget.of]
  return type(amount) == "number" and math.max(0, amount) or 0
end

-- What was let through and is not counted in the state yet: how often by a limit, how much by a budget. What is
-- dispatched here waits behind the actions that wait already, and the guard is asked about those first. It is no count
-- of its own: whenever nothing waits it is empty, but for what was dropped with its queue.
local pending = { passed = {}, spent = {} }

local function await(name, args)
  local sums = pending[name]
  sums[args.rule] = (sums[args.rule] or 0) + (args.amount or args.times)
end

local function settle(name, args)
  local sums = pending[name]
  if not sums or not sums[args.rule] then return end
  local left = sums[args.rule] - (args.amount or args.times)
  sums[args.rule] = left > 1e-9 and left or nil      -- no remainder of the rounding
end

-- Which session of the store this is, by the number of its first action. Times begin anew with each session: what a
-- limit let through in an earlier one counts no more. Loading and reloading are told by `on_load`, and go on with what
-- the state says; when a store is opened, nobody tells it.
local session

-- Whether a limit lets nothing more through at that time.
local function isFull(state, limit, waiting, at)
  local passed = state.session == session and #limit.recent or 0
  -- What is yet to come was in another session.
  while passed > 0 and limit.recent[passed] > at do passed = passed - 1 end
  local oldest = passed + waiting - limit.count + 1     -- of those that count, the one that has to be past
  if oldest < 1 then return false end
  return oldest > passed or limit.recent[oldest] > at - limit.seconds
end

-- The rule that has no room for an action, and its kind; nil: all have.
local function obstacle(state, action)
  for key, limit in among(state.limits, action.name) do
    if isFull(state, limit, pending.passed[key] or 0, action.at) then return key, "limit" end
  end
  for key, budget in among(state.budgets, action.name) do
    local spent = budget.spent + (pending.spent[key] or 0)
    if spent + cost(budget, action.args) > budget.total then return key, "budget" end
  end
end

local function rules(dispatch, get, next)
  local function count(name, args)
    await(name, args)
    dispatch("guard." .. name, args)
  end

  -- Nothing waits when somebody begins anew: what is pending then was dropped with the rest of its queue, and happened.
  local function recover()
    local lost = pending
    pending = { passed = {}, spent = {} }
    for rule, times in pairs(lost.passed) do count("passed", { rule = rule, session = session, times = times }) end
    for rule, amount in pairs(lost.spent) do count("spent", { rule = rule, amount = amount }) end
  end

  return function(action)
    local name, state = action.name, get().guard
    session = session or (name == "guard.loaded" and state.session or action.id)
    if not action.source.cause then recover() end
    local own = name:match("^guard%.(.*)")
    if own then
      settle(own, action.args)
      return next(action)
    end
    local key, kind = obstacle(state, action)
    if key then return dispatch("guard.dropped", { rule = key, kind = kind }) end
    for limited in among(state.limits, name) do count("passed", { rule = limited, session = session, times = 1 }) end
    for paid, budget in among(state.budgets, name) do
      count("spent", { rule = paid, amount = cost(budget, action.args) })
    end
    next(action)
  end
end

local function checked(name)
  if not name:find("^[%a_][%w_]*%.[%w_]+$") and not name:find("^[%a_][%w_]*%.%*$") then
    refuse("'" .. name .. "' is no action; write tasks.add, or tasks.* for all of a module")
  end
  if name:find("^guard%.") then refuse("the guard does not guard itself") end
  if name:find("^shell%.") then refuse("the shell's own actions pass by every guard") end
  return name
end

local rule = field("rule", text())

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("session", int()),                   -- that of which the times are
    field("limits", map(record("Limit", {
      field("count",   int { min = 0 }),
      field("seconds", number { default = 60 }),
      field("recent",  list(number())),        -- when the latest were let through, oldest first; never more than count
      field("dropped", int { min = 0 }),
    }))),
    field("budgets", map(record("Budget", {
      field("total",   number()),
      field("of",      optional(text())),      -- the argument that is summed up; nil: actions are counted
      field("spent",   number()),
      field("dropped", int { min = 0 }),
    }))),
  },

  actions = {
    { name = "limit", doc = "Lets through so many of an action in so many seconds.", args = {
        field("action", text()), field("count", int { min = 0, max = 1000 }),
        field("seconds", int { min = 1, max = 1000000000, default = 60 }) } },
    { name = "budget",
      doc = "Lets through an action until its number, or the sum of an argument, reaches a total. An action without "
        .. "that argument costs nothing.",
      args = { field("action", text()), field("total", int { min = 0 }), field("of", optional(text())) } },
    { name = "renew", doc = "Has a budget begin again.", args = { field("action", text()) } },
    { name = "lift", doc = "Takes the rules for an action away.", args = { field("action", text()) } },
    { name = "passed", quiet = true, doc = "A limit let an action through, or several.", args = {
        rule, field("session", int()), field("times", int { min = 1, default = 1 }) } },
    { name = "spent", quiet = true, doc = "A budget paid for an action.", args = { rule, field("amount", number()) } },
    { name = "loaded", quiet = true, doc = "The guard, or its new code, is there." },
    { name = "dropped", quiet = true, doc = "A rule had no room for an action.", args = {
        rule, field("kind", enum { "limit", "budget" }) } },
  },

  reducers = {
    limit = function(s, a)
      local old = s.limits[checked(a.action)]
      s.limits[a.action] = {
        count = a.count, seconds = a.seconds, recent = {}, dropped = old and old.dropped or 0,
      }
    end,
    budget = function(s, a)
      local old = s.budgets[checked(a.action)]
      s.budgets[a.action] = {
        total = a.total, of = a.of, spent = old and old.of == a.of and old.spent or 0,
        dropped = old and old.dropped or 0,
      }
    end,
    renew = function(s, a)
      local budget = s.budgets[a.action] or refuse("there is no budget for '" .. a.action .. "'")
      budget.spent = 0
    end,
    lift = function(s, a)
      if not s.limits[a.action] and not s.budgets[a.action] then refuse("there is no rule for '" .. a.action .. "'") end
      s.limits[a.action], s.budgets[a.action] = nil, nil
    end,
    passed = function(s, a, meta)
      if s.session ~= a.session then
        for _, limit in pairs(s.limits) do limit.recent = {} end
        s.session = a.session
      end
      local limit = s.limits[a.rule]
      if not limit or limit.count == 0 then return end
      local recent = limit.recent
      while #recent > 0 and recent[#recent] > meta.at do recent[#recent] = nil end
      for _ = 1, math.min(a.times, limit.count) do
        if #recent >= limit.count then table.remove(recent, 1) end
        recent[#recent + 1] = meta.at
      end
    end,
    spent = function(s, a)
      local budget = s.budgets[a.rule]
      if budget then budget.spent = budget.spent + math.max(0, a.amount) end
    end,
    loaded = function() end,
    dropped = function(s, a)
      local broken = (a.kind == "limit" and s.limits or s.budgets)[a.rule]
      if broken then broken.dropped = broken.dropped + 1 end
    end,
  },

  on_load = "loaded",
  interceptors = { rules },

  projections = {
    { name = "rules",
      type = list(record("GuardRule", { field("action", text()), field("rule", text()), field("dropped", int()) })),
      fn = function(state)
        local rows = {}
        for action, limit in pairs(state.guard.limits) do
          local text = string.format("%d in %.14g s", limit.count, limit.seconds)
          rows[#rows + 1] = { action = action, rule = text, dropped = limit.dropped }
        end
        for action, budget in pairs(state.guard.budgets) do
          local what = budget.of and " of " .. budget.of or ""
          local text = string.format("%.14g of %.14g%s spent", budget.spent, budget.total, what)
          rows[#rows + 1] = { action = action, rule = text, dropped = budget.dropped }
        end
        return rows
      end },
    { name = "dropped", type = int(), fn = function(state)
        local sum = 0
        for _, limit in pairs(state.guard.limits) do sum = sum + limit.dropped end
        for _, budget in pairs(state.guard.budgets) do sum = sum + budget.dropped end
        return sum
      end },
  },

  commands = {
    { name = "status", summary = "the rules, and how many actions each has dropped",
      examples = { "guard status", "guard status --json" },
      run = function(_, cmd) return cmd:project("guard.rules") end },
  },
}
