-- What lies in which warehouse, what of it is held for somebody, and what is to be ordered again. A hold expires 15 minutes after it
-- was made, once, whatever happens meanwhile: each has a task that starts at the time which the hold itself says. So what comes due
-- behind a shut gate, or while nobody has the store open, is done as soon as it can be.

local lifetime = 15 * 60
local count = int { min = 0 }

local function key(warehouse, sku) return warehouse .. "/" .. sku end

local function stock(s, warehouse, sku)
  local place = key(warehouse, sku)
  return s.stock[place] or refuse("there is no stock of " .. place)
end

-- Takes a hold away, and what it held is free again.
local function free(s, id)
  local hold = s.holds[id] or refuse("there is no hold '" .. id .. "'")
  local lot = stock(s, hold.warehouse, hold.sku)
  lot.held = lot.held - hold.quantity
  s.holds[id] = nil
  return hold, lot
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("warehouses", map(bool())),
    field("items", map(record("Item", {
      field("name", text()), field("reorderAt", count), field("total", count), field("ordered", bool()) }))),
    field("stock", map(record("Lot", { field("there", count), field("held", count) }))),
    field("holds", map(record("Hold", {
      field("warehouse", text()), field("sku", text()), field("quantity", int { min = 1 }),
      field("due", number(), "the time of the store at which it expires, in seconds") }))),
    field("expired", count),
  },

  actions = {
    { name = "openWarehouse", args = { field("name", text()) } },
    { name = "addItem", quiet = true, args = {
        field("sku", text()), field("name", text()), field("reorderAt", int { min = 0, default = 5 }) } },
    { name = "move", quiet = true, doc = "Goods in, above zero, or out, below.", args = {
        field("warehouse", text()), field("sku", text()), field("quantity", int()) } },
    { name = "hold", doc = "Keeps goods for somebody, for 15 minutes.", args = {
        field("id", text()), field("warehouse", text()), field("sku", text()), field("quantity", int { min = 1 }) } },
    { name = "extend", doc = "Begins the 15 minutes anew.", args = { field("id", text()) } },
    { name = "release", args = { field("id", text()) } },
    { name = "ship", doc = "Sends away what is held.", args = { field("id", text()) } },
    { name = "expire", quiet = true, args = { field("id", text()) } },
    { name = "order", doc = "There is less than the item is to be ordered again at.", args = { field("sku", text()) } },
  },

  reducers = {
    openWarehouse = function(s, a) s.warehouses[a.name] = true end,
    addItem = function(s, a)
      if s.items[a.sku] then refuse("there is an item " .. a.sku .. " already") end
      s.items[a.sku] = { name = a.name, reorderAt = a.reorderAt, total = 0, ordered = false }
    end,
    move = function(s, a)
      local item = s.items[a.sku] or refuse("there is no item " .. a.sku)
      if not s.warehouses[a.warehouse] then refuse("there is no warehouse " .. a.warehouse) end
      local place = key(a.warehouse, a.sku)
      local quantity, lot = a.quantity, s.stock[place]
      local there = lot and lot.there or 0
      if quantity < 0 then
        local free = lot and there - lot.held or 0
        if free + quantity < 0 then refuse("only " .. free .. " free of " .. place) end
      end
      if lot then lot.there = there + quantity else s.stock[place] = { there = quantity, held = 0 } end
      item.total = item.total + quantity
      if quantity > 0 and item.ordered then item.ordered = false end
    end,
    hold = function(s, a, meta)
      if s.holds[a.id] then refuse("there is a hold '" .. a.id .. "' already") end
      local lot = stock(s, a.warehouse, a.sku)
      local free = lot.there - lot.held
      if free < a.quantity then refuse("only " .. free .. " free of " .. key(a.warehouse, a.sku)) end
      lot.held = lot.held + a.quantity
      s.holds[a.id] = { warehouse = a.warehouse, sku = a.sku, quantity = a.quantity, due = meta.at + lifetime }
    end,
    extend = function(s, a, meta)
      local hold = s.holds[a.id] or refuse("there is no hold '" .. a.id .. "'")
      hold.due = meta.at + lifetime
    end,
    release = function(s, a) free(s, a.id) end,
    expire = function(s, a)
      free(s, a.id)
      s.expired = s.expired + 1
    end,
    ship = function(s, a)
      local hold, lot = free(s, a.id)
      lot.there = lot.there - hold.quantity
      s.items[hold.sku].total = s.items[hold.sku].total - hold.quantity
    end,
    order = function(s, a) s.items[a.sku].ordered = true end,
  },

  middleware = {
    { name = "expiry", supervise = {
        over = "holds", at = "due",
        task = function(task, id) task:dispatch("expire", { id = id }) end } },
    { name = "reorder", on = { "move", "ship" },
      before = function(action, ctx)
        if action.name == "inventory.move" then return action.args.sku end
        local hold = ctx.state.inventory.holds[action.args.id]
        return hold and hold.sku
      end,
      after = function(_, ctx, sku)
        local item = sku and ctx.state.inventory.items[sku]
        if item and item.total < item.reorderAt and not item.ordered then ctx:dispatch("order", { sku = sku }) end
      end },
  },

  projections = {
    { name = "short", type = list(record("Short", { field("sku", text()), field("total", count) })),
      fn = function(state)
        local rows = {}
        for sku, item in pairs(state.inventory.items) do
          if item.total < item.reorderAt then rows[#rows + 1] = { sku = sku, total = item.total } end
        end
        return rows
      end },
  },
}
