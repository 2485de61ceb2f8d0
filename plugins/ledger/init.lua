-- Double-entry bookkeeping. Amounts are exact decimals such as 12.50: what an account receives is positive, what it gives
-- is negative, and the lines of one transaction sum to zero. What would unbalance the books, or names an account that is
-- not there, is refused; nothing is changed then.

local kinds = enum { "asset", "liability", "equity", "income", "expense" }

-- No sum of amounts can run over and pass for zero: what does not fit is an error.
local amount = decimal { scale = 2 }

local line = record("Line", {
  field("account", text()),
  field("amount",  amount),
})

local function account(s, name)
  return s.accounts[name] or refuse("there is no account '" .. name .. "'")
end

-- Adds a transaction to the books, or refuses it.
local function post(s, at, memo, lines)
  if #lines < 2 then refuse("a transaction has two lines or more") end
  local sum = decimal("0.00")
  for _, l in ipairs(lines) do
    account(s, l.account)
    sum = sum + l.amount
  end
  if sum ~= 0 then refuse("the lines sum to " .. sum .. ", not to 0.00") end
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
    field("accounts", map(record("Account", { field("kind", kinds), field("balance", amount) }))),
    field("transactions", list(record("Transaction", {
      field("id",    int()),
      field("at",    number()),
      field("memo",  text()),
      field("lines", list(line)),
      field("reversed", bool()),
    }))),
    field("nextId", int { min = 1, sequence = true }),
  },

  actions = {
    { name = "open", doc = "Opens an account.", args = { field("account", text()), field("kind", kinds) } },
    { name = "post", doc = "Enters a transaction whose lines sum to zero.", args = {
        field("memo", text()),
        field("lines", list(line), "an account and an amount each: above zero receives, below gives") } },
    { name = "transfer", doc = "Moves an amount from one account to another.", args = {
        field("from", text(), "the account that gives"), field("to", text(), "the account that receives"),
        field("amount", amount, "above zero, such as 12.50"),
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
      if a.amount <= 0 then refuse("an amount is above zero, not " .. a.amount) end
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
      if balance ~= 0 then refuse("'" .. a.account .. "' still holds " .. balance) end
      s.accounts[a.account] = nil
    end,
  },

  -- Of a store of version 0.1.0, which kept whole numbers of cents.
  migrate = function(old)
    local cent = decimal("0.01")
    for _, a in pairs(old.accounts) do a.balance = a.balance * cent end
    for _, t in ipairs(old.transactions) do
      for _, l in ipairs(t.lines) do l.amount = l.amount * cent end
    end
    return old
  end,

  projections = {
    { name = "balances",
      type = list(record("Balance", { field("account", text()), field("kind", kinds), field("balance", amount) })),
      fn = function(state)
        local rows = {}
        for name, a in pairs(state.ledger.accounts) do
          rows[#rows + 1] = { account = name, kind = a.kind, balance = a.balance }
        end
        return rows
      end },
    -- The sum of all balances; anything but zero would be a fault of this plugin.
    { name = "trial", type = amount, fn = function(state)
        local sum = 0
        for _, a in pairs(state.ledger.accounts) do sum = sum + a.balance end
        return sum
      end },
    -- Income gives, so its balance is negative: earned is what it gave, spent what expenses received.
    { name = "result",
      type = record("Result", { field("earned", amount), field("spent", amount), field("left", amount) }),
      fn = function(state)
        local earned, spent = decimal("0.00"), decimal("0.00")
        for _, a in pairs(state.ledger.accounts) do
          if a.kind == "income" then earned = earned - a.balance end
          if a.kind == "expense" then spent = spent + a.balance end
        end
        return { earned = earned, spent = spent, left = earned - spent }
      end },
  },

  commands = {
    { name = "balances", summary = "every account with its balance",
      examples = { "ledger balances", "ledger balances --json" },
      run = function(_, cmd)
        return cmd:project("ledger.balances")
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
              rows[#rows + 1] = { amount = l.amount, balance = balance, id = t.id, memo = t.memo }
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
