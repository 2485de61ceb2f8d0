local function books(t)
  t:dispatch("open", { account = "bank", kind = "asset" })
  t:dispatch("open", { account = "wages", kind = "income" })
  t:dispatch("open", { account = "rent", kind = "expense" })
end

local function balance(t, account) return t:get("ledger.accounts." .. account .. ".balance") end

test("a transaction moves what its lines say", function(t)
  books(t)
  t:dispatch("post", { memo = "May", lines = {
    { account = "bank", amount = 2000 }, { account = "wages", amount = -2000 } } })
  t:dispatch("transfer", { from = "bank", to = "rent", amount = "800.50", memo = "Rent" })
  t:equals(balance(t, "bank"), decimal("1199.50"))
  t:equals(balance(t, "rent"), decimal("800.50"))
  t:equals(t:get("ledger.result"), { earned = decimal(2000), spent = decimal("800.50"), left = decimal("1199.50") })
  t:equals(t:get("ledger.trial"), decimal(0))
end)

test("what does not balance is refused, and nothing is changed", function(t)
  books(t)
  local reason = t:fails("refused", function()
    t:dispatch("post", { memo = "typo", lines = {
      { account = "bank", amount = 10 }, { account = "wages", amount = -1 } } })
  end)
  t:equals(reason, "ledger: the lines sum to 9.00, not to 0.00")
  t:equals(balance(t, "bank"), decimal(0))
  t:equals(t:get("ledger.transactions"), {})
  t:equals(t:get("ledger.nextId"), 1)
end)

test("a transaction has two lines or more", function(t)
  books(t)
  t:fails("refused", function() t:dispatch("post", { memo = "", lines = {} }) end)
  t:fails("refused", function()
    t:dispatch("post", { memo = "", lines = { { account = "bank", amount = 0 } } })
  end)
end)

test("an unknown account is refused, wherever it stands", function(t)
  books(t)
  t:fails("refused", function() t:dispatch("transfer", { from = "bank", to = "nowhere", amount = 1 }) end)
  t:fails("refused", function() t:dispatch("transfer", { from = "nowhere", to = "bank", amount = 1 }) end)
  t:fails("refused", function() t:dispatch("close", { account = "nowhere" }) end)
  t:fails("refused", function() t:run("ledger statement nowhere") end)
  t:equals(balance(t, "bank"), decimal(0))
end)

test("amounts are above zero, exact and bounded", function(t)
  books(t)
  local function move(amount) t:dispatch("transfer", { from = "bank", to = "rent", amount = amount }) end
  t:fails("refused", function() move(0) end)
  t:fails("out-of-range", function() move("0.005") end)
  t:fails("out-of-range", function() move(0.1 + 0.2) end)
  t:fails("out-of-range", function() move(1 << 62) end)
  move(0.1)
  t:equals(balance(t, "rent"), decimal("0.10"))
end)

test("accounts are opened once, with a name and a kind", function(t)
  books(t)
  t:fails("refused", function() t:dispatch("open", { account = "bank", kind = "asset" }) end)
  t:fails("refused", function() t:dispatch("open", { account = "", kind = "asset" }) end)
  t:fails("type-mismatch", function() t:dispatch("open", { account = "purse", kind = "money" }) end)
end)

test("an account that holds something stays", function(t)
  books(t)
  t:dispatch("transfer", { from = "wages", to = "bank", amount = "0.05" })
  t:equals(
    t:fails("refused", function() t:dispatch("close", { account = "bank" }) end), "ledger: 'bank' still holds 0.05")
  t:dispatch("close", { account = "rent" })
  t:fails("unknown-path", function() t:get("ledger.accounts.rent") end)
end)

test("a reversal takes a transaction back and keeps it", function(t)
  books(t)
  t:dispatch("transfer", { from = "wages", to = "bank", amount = 100 })
  t:dispatch("reverse", { id = 1 })
  t:equals(balance(t, "bank"), decimal(0))
  t:equals(t:get("ledger.transactions[2].memo"), "reverses 1")
  t:fails("refused", function() t:dispatch("reverse", { id = 7 }) end)
end)

test("a transaction is reversed once, but so is its reversal", function(t)
  books(t)
  t:dispatch("transfer", { from = "wages", to = "bank", amount = 100 })
  t:dispatch("reverse", { id = 1 })
  local reason = t:fails("refused", function() t:dispatch("reverse", { id = 1 }) end)
  t:equals(reason, "ledger: transaction 1 is reversed already")
  t:dispatch("reverse", { id = 2 })
  t:equals(balance(t, "bank"), decimal(100))
end)

test("refusals do not switch the plugin off", function(t)
  books(t)
  for _ = 1, 5 do
    t:fails("refused", function() t:dispatch("transfer", { from = "bank", to = "nowhere", amount = 1 }) end)
  end
  t:dispatch("transfer", { from = "wages", to = "bank", amount = 1 })
  t:equals(balance(t, "bank"), decimal(1))
end)

test("the commands print the books", function(t)
  books(t)
  t:dispatch("transfer", { from = "wages", to = "bank", amount = "1234.56", memo = "May" })
  t:dispatch("transfer", { from = "bank", to = "rent", amount = 0.5, memo = "Rent" })
  t:equals(t:run("ledger balances"),
    "account  kind     balance\n" ..
    "bank     asset    1234.06\n" ..
    "rent     expense  0.50\n" ..
    "wages    income   -1234.56")
  t:equals(t:run("ledger statement bank"),
    "amount   balance  id  memo\n" ..
    "1234.56  1234.56  1   May\n" ..
    "-0.50    1234.06  2   Rent")
end)

test("what the commands print is data as well", function(t)
  t:equals(t:run("ledger balances"), "0 items")
  t:equals(t:run("ledger balances --json"), "[]")
  books(t)
  t:dispatch("transfer", { from = "wages", to = "bank", amount = "0.05", memo = "May" })
  t:equals(t:run("ledger balances --as csv"),
    "account,kind,balance\r\nbank,asset,0.05\r\nrent,expense,0.00\r\nwages,income,-0.05\r\n")
  t:equals(t:run("ledger statement bank --json"), '[{"amount":0.05,"balance":0.05,"id":1,"memo":"May"}]')
  t:equals(t:run("ledger statement rent --json"), "[]")
end)

test("a statement has the newest lines, however long the ledger is", function(t)
  t:dispatch("ledger.open", { account = "bank", kind = "asset" })
  t:dispatch("ledger.open", { account = "food", kind = "expense" })
  local lines = {}
  for i = 1, 1000, 2 do
    lines[i] = { account = "food", amount = 0.01 }
    lines[i + 1] = { account = "bank", amount = -0.01 }
  end
  for _ = 1, 4 do t:dispatch("ledger.post", { memo = "lunches", lines = lines }) end
  t:dispatch("ledger.transfer", { from = "food", to = "bank", amount = 200, memo = "refund" })
  t:equals(t:run("ledger statement bank last=2"),
    "amount  balance  id  memo\n" ..
    "-0.01   -20.00   4   lunches\n" ..
    "200.00  180.00   5   refund")
  local _, count = t:run("ledger statement food"):gsub("lunches", "")
  t:equals(count, 99)
  t:equals(t:fails("refused", function() t:run("ledger statement rent") end), "ledger: there is no account 'rent'")
  t:dispatch("ledger.reverse", { id = 4 })
  t:equals(t:get("ledger.trial"), decimal(0))
end)
