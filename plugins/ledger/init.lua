-- Double-entry bookkeeping. Amounts are whole numbers in the smallest unit, such as cents: what an account receives is
-- positive, what it gives is negative, and the lines of one transaction sum to zero. What would unbalance the books, or
-- names an account that is not there, is refused; nothing is changed then.

local kinds = enum { "asset", "liability", "equity", "income", "expense" }

-- Bounded, so that no sum of amounts can run over and pass for zero.
local amount = int { min = -1000000000000, max = 1000000000000 }

-- Far from the largest integer: where a balance came to it, the transaction would be refused.
local total = int { min = -9000000000000000000, max = 9000000000000000000 }

local line = record("Line", {
  field("account", text()),
  field("amount",  amount),
})

-- An amount as it is printed, such as 12.50. It is text: as a number 0.50 is 0.5, and large ones are rounded.
local function cents(n)
  local sign = n < 0 and "-" or ""
  return string.format("%s%d.%02d", sign, math.abs(n) // 100, math.abs(n) % 100)
end

local function account(s, name)
  return s.accounts[name] or refuse("there is no account '" .. name .. "'")
end

-- Adds a transaction to the books, or refuses it.
local function post(s, at, memo, lines)
  if #lines < 2 then refuse("a transaction has two lines or more") end
  local sum = 0
  for _, l in ipairs(lines) do
    account(s, l.account)
    sum = sum + l.amount
  end
  if sum ~= 0 then refuse("the lines sum to " .. cents(sum) .. ", not to 0.00") end
  for _, l in ipairs(lines) do
    local a = s.accounts[l.account]
    a.balance = a.balance + l.amount
  end
  s.transactions[#s.transactions + 1] = { id = s.nextId, at = at, memo = memo, lines = lines, reversed = false }
  s.nextId = s.nextId + 1
end

---@type stsh.PluginDefinition
return plugin {
  state = {
    field("accounts", map(record("Account", { field("kind", kinds), field("balance", total) }))),
    field("transactions", list(record("Transaction", {
      field("id",    int()),
      field("at",    number()),
      field("memo",  text()),
      field("lines", list(line)),
      field("reversed", bool()),
    }))),
    field("nextId", int { min = 1 }),
  },

  actions = {
    { name = "open", doc = "Opens an account.", args = { field("account", text()), field("kind", kinds) } },
    { name = "post", doc = "Enters a transaction whose lines sum to zero. Amounts are whole numbers of cents.", args = {
        field("memo", text()),
        field("lines", list(line), "an account and an amount in cents each: above zero receives, below gives") } },
    { name = "transfer", doc = "Moves an amount, in cents, from one account to another.", args = {
        field("from", text(), "the account that gives"), field("to", text(), "the account that receives"),
        field("amount", int { min = 1, max = 1000000000000 }, "in cents: 1250 moves 12.50"),
        field("memo", text { default = "" }) } },
    { name = "reverse", doc = "Enters the opposite of a transaction, once.", args = {
        field("id", int(), "the transaction's number, as in a statement") } },
    { name = "close", doc = "Takes away an account without a balance.", args = { field("account", text()) } },
  },

  reducers = {
    open = function(s, a)
      if a.account == "" then refuse("an account needs a name") end
      if s.accounts[a.account] then refuse("there is an account '" .. a.account .. "' already") end
      s.accounts[a.account] = { kind = a.kind, balance = 0 }
    end,
    post = function(s, a, meta)
      post(s, meta.at, a.memo, a.lines)
    end,
    transfer = function(s, a, meta)
      post(s, meta.at, a.memo, {
        { account = a.to, amount = a.amount }, { account = a.from, amount = -a.amount },
      })
    end,
    reverse = function(s, a, meta)
      for _, t in ipairs(s.transactions) do
        if t.id == a.id then
          if t.reversed then refuse("transaction " .. t.id .. " is reversed already") end
          t.reversed = true
          local lines = {}
          for i, l in ipairs(t.lines) do lines[i] = { account = l.account, amount = -l.amount } end
          return post(s, meta.at, "reverses " .. t.id, lines)
        end
      end
      refuse("there is no transaction " .. a.id)
    end,
    close = function(s, a)
      local balance = account(s, a.account).balance
      if balance ~= 0 then refuse("'" .. a.account .. "' still holds " .. cents(balance)) end
      s.accounts[a.account] = nil
    end,
  },

  -- In cents, to reckon with; the commands print 12.50.
  projections = {
    { name = "balances",
      type = list(record("Balance", { field("account", text()), field("kind", kinds), field("balance", int()) })),
      fn = function(state)
        local rows = {}
        for name, a in pairs(state.ledger.accounts) do
          rows[#rows + 1] = { account = name, kind = a.kind, balance = a.balance }
        end
        return rows
      end },
    -- The sum of all balances; anything but zero would be a fault of this plugin.
    { name = "trial", type = int(), fn = function(state)
        local sum = 0
        for _, a in pairs(state.ledger.accounts) do sum = sum + a.balance end
        return sum
      end },
    -- Income gives, so its balance is negative: earned is what it gave, spent what expenses received.
    { name = "result",
      type = record("Result", { field("earned", int()), field("spent", int()), field("left", int()) }),
      fn = function(state)
        local earned, spent = 0, 0
        for _, a in pairs(state.ledger.accounts) do
          if a.kind == "income" then earned = earned - a.balance end
          if a.kind == "expense" then spent = spent + a.balance end
        end
        return { earned = earned, spent = spent, left = earned - spent }
      end },
  },

  commands = {
    { name = "balances", summary = "every account with its balance, 12.50 for 1250 cents",
      examples = { "ledger balances", "ledger balances --json" },
      run = function(_, cmd)
        local rows = cmd:project("ledger.balances")
        for _, row in ipairs(rows) do row.balance = cents(row.balance) end
        return rows
      end },
    { name = "statement", args = {
        field("account", text()), field("last", int { min = 1, max = 1000, default = 100 }) },
      summary = "the newest lines of one account, with the balance after each",
      examples = { "ledger statement bank last=10" },
      run = function(args, cmd)
        local books = cmd.state.ledger
        local balance = account(books, args.account).balance
        -- From the newest back, so that a long ledger need not be summed up.
        local rows = {}
        for i = #books.transactions, 1, -1 do
          local t = books.transactions[i]
          for j = #t.lines, 1, -1 do
            local l = t.lines[j]
            if l.account == args.account and #rows < args.last then
              rows[#rows + 1] = { amount = cents(l.amount), balance = cents(balance), id = t.id, memo = t.memo }
              balance = balance - l.amount
            end
          end
          if #rows == args.last then break end
        end
        local lines = {}
        for i = #rows, 1, -1 do lines[#lines + 1] = rows[i] end
        return lines
      end },
  },
}
