-- Reducers lifted over the slice of a Swift module: they run behind the module's own, in the same action, so that
-- nobody ever sees the list out of order. What they write is checked against the Swift types.

local orders = {}

function orders.title(a, b)
  if a.done ~= b.done then return b.done end
  local left, right = a.title:lower(), b.title:lower()
  if left ~= right then return left < right end
  return a.id < b.id
end

function orders.id(a, b) return a.id < b.id end

local function inOrder(items, before)
  local last = items[1]
  for place = 2, #items do
    local item = items[place]
    if before(item, last) then return false end
    last = item
  end
  return true
end

-- Moves one item to where it belongs. The others are in order, unless the list was sorted another way or brought in
-- from a file.
local function settle(items, from, before)
  local item = items[from]
  table.remove(items, from)
  if not inOrder(items, before) then
    items[#items + 1] = item
    return table.sort(items, before)
  end
  local first, last = 1, #items + 1
  while first < last do
    local middle = (first + last) // 2
    if before(item, items[middle]) then last = middle else first = middle + 1 end
  end
  table.insert(items, first, item)
end

---@type stsh.PluginDefinition
return plugin {
  lifted = {
    { at = "tasks", on = "tasks.add", reduce = function(draft)
        settle(draft.items, #draft.items, orders.title)
      end },
    { at = "tasks", on = "tasks.complete", reduce = function(draft, args)
        for place, item in ipairs(draft.items) do
          if item.id == args.id then return settle(draft.items, place, orders.title) end
        end
      end },
    -- An action that the plugin adds to the module.
    { at = "tasks", on = "tasks.sort", args = { field("by", enum { "title", "id", default = "title" }) },
      reduce = function(draft, args)
        table.sort(draft.items, orders[args.by])
      end },
  },

  on_load = "tasks.sort",
}
