-- One function for each action: what it did, as a sentence, or nil where there is nothing to tell. `was` is what
-- `glimpses` kept of the state before the reducers, `state` is the state after them.
--
-- For another module: add "read:MODULE" to the permissions, "MODULE.*" to `on` in init.lua, and its sentences here.

local function title(state, id)
  for _, task in ipairs(state.tasks.items) do
    if task.id == id then return '"' .. task.title .. '"' end
  end
end

local function isDone(state, id)
  for _, task in ipairs(state.tasks.items) do
    if task.id == id then return task.done end
  end
end

local function counted(_, state, was)
  local now = state.counter.value
  if now == was then return nil end
  return "the counter went from " .. was .. " to " .. now
end

local function value(_, state) return state.counter.value end

return {
  -- What to keep of the state before the reducers.
  glimpses = {
    ["tasks.complete"] = function(args, state) return isDone(state, args.id) end,
    ["tasks.remove"] = function(args, state) return title(state, args.id) end,
    ["counter.increment"] = value,
    ["counter.decrement"] = value,
    ["counter.reset"] = value,
  },

  sentences = {
    ["tasks.add"] = function(args) return 'added "' .. args.title .. '"' end,
    ["tasks.complete"] = function(args, state, was)
      if was == false then return "completed " .. title(state, args.id) end
    end,
    ["tasks.remove"] = function(_, _, was) return was and "removed " .. was end,
    ["counter.increment"] = counted,
    ["counter.decrement"] = counted,
    ["counter.reset"] = counted,
    ["counter.setStep"] = function(_, state) return "the counter's step is " .. state.counter.step end,
  },
}
