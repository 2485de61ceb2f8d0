-- The lines of a bank's statement, where the books of the ledger say something else, and what corrects them. A line is known by
-- its reference, which is the memo of a transaction.
local amount = decimal { scale = 2 }

-- The transactions that move money of the bank and stand, by their memos.
local function booked(state)
  local found = {}
  for _, t in ipairs(state.ledger.transactions) do
    for _, line in ipairs(t.lines) do
      local stands = not t.reversed and not t.memo:find("^reverses ")
      if stands and line.account == "bank" then found[t.memo] = { amount = line.amount, id = t.id } end
    end
  end
  return found
end

local function differences(state)
  local books, rows = booked(state), {}
  for ref, line in pairs(state.bank.lines) do
    local entry = books[ref]
    if not entry then
      rows[#rows + 1] = { ref = ref, kind = "not booked", bank = line.amount }
    elseif entry.amount ~= line.amount then
      rows[#rows + 1] = { ref = ref, kind = "other amount", bank = line.amount, books = entry.amount, id = entry.id }
    end
    books[ref] = nil
  end
  for ref, entry in pairs(books) do
    rows[#rows + 1] = { ref = ref, kind = "not at the bank", books = entry.amount, id = entry.id }
  end
  return rows
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("lines", map(record("Line", { field("date", text()), field("amount", amount), field("text", text()) }))),
  },

  actions = {
    { name = "line", quiet = true, args = {
        field("ref", text()), field("date", text()), field("amount", amount), field("text", text()) } },
  },

  reducers = {
    line = function(s, a)
      if s.lines[a.ref] then refuse("there is a line " .. a.ref .. " already") end
      s.lines[a.ref] = { date = a.date, amount = a.amount, text = a.text }
    end,
  },

  projections = {
    { name = "total", type = amount, fn = function(state)
        local sum = 0
        for _, line in pairs(state.bank.lines) do sum = sum + line.amount end
        return sum
      end },
    { name = "differences", fn = differences, type = list(record("Difference", {
        field("ref", text()), field("kind", enum { "not booked", "other amount", "not at the bank" }),
        field("bank", optional(amount)), field("books", optional(amount)), field("id", optional(int())) })) },
  },

  commands = {
    { name = "correct", summary = "books what the bank says", examples = { "bank correct" },
      run = function(_, cmd)
        local wrong = differences(cmd.state)
        for _, row in ipairs(wrong) do
          if row.id then cmd:dispatch("ledger.reverse", { id = row.id }) end
          if row.bank and row.bank > 0 then
            cmd:dispatch("ledger.transfer", { from = "sales", to = "bank", amount = row.bank, memo = row.ref })
          elseif row.bank then
            cmd:dispatch("ledger.transfer", { from = "bank", to = "costs", amount = -row.bank, memo = row.ref })
          end
        end
        return #wrong .. " corrected"
      end },
  },
}
