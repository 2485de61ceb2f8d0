import Testing

@testable import StoreShell

/// Decimals go through all that a store does with its values, and stay exact.
@Suite struct DecimalTests {
  private static let till = """
    return plugin {
      state = {
        field("total", decimal { scale = 2 }),
        field("rows", list(record("Row", { field("id", int()), field("amount", decimal { scale = 2 }) }))),
        field("best", optional(decimal { scale = 2 })),
        field("by", map(decimal { scale = 2 })),
      },
      actions = {
        { name = "add", args = { field("id", int()), field("amount", decimal { scale = 2, default = "0.10" }) } },
        { name = "share", args = { field("of", number()) } },
        { name = "double" },
      },
      reducers = {
        add = function(s, a)
          s.rows[#s.rows + 1] = { id = a.id, amount = a.amount }
          s.total = s.total + a.amount
          s.by["k" .. a.id % 5] = a.amount
          if not s.best or a.amount > s.best then s.best = a.amount end
        end,
        share = function(s, a) s.total = a.of end,
        double = function(s) s.total = s.total * 2 end,
      },
      projections = { { name = "sum", type = decimal { scale = 2 }, fn = function(state)
        local sum = 0
        for _, row in ipairs(state.till.rows) do sum = sum + row.amount end
        return sum
      end }, { name = "twice", type = decimal { scale = 2 }, fn = function(state) return state.till.total * 2 end } },
    }
    """

  private func shell() throws -> Shell {
    let shell = try Shell()
    let folder = try shell.plugin("till", Self.till)
    #expect(shell.run("plugin load \(folder)").status == 0)
    return shell
  }

  private func text(_ cents: Int) -> String {
    let (euros, rest) = abs(cents).quotientAndRemainder(dividingBy: 100)
    return "\(cents < 0 ? "-" : "")\(euros).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A float has room for fewer digits than a record may have.
  @Test(arguments: [
    ("90071992547409931.0000", "90071992547409931.00"), ("9.2233720368547758070e16", "92233720368547758.07"),
    ("12345678901234567.89", "12345678901234567.89"), ("-0.10", "-0.10"), ("1.5e0", "1.50"),
    ("12345678901234567.895", nil), ("0.1000000000000000000001", nil), ("1e-400", nil), ("1.005", nil),
    ("92233720368547758.08", nil), ("92233720368547758070", nil),
  ])
  func recordsOfJSONLoseNoDigits(number: String, kept: String?) throws {
    let shell = try shell()
    let file = try shell.write("a.jsonl", "{\"id\":1,\"amount\":\(number)}\n")
    let outcome = shell.run("ingest \(file) --as till.add", "show till.total --as raw")
    #expect(outcome.output == kept.map { "ingested 1 record as till.add (#2)\n\($0)\n" } ?? "", "\(outcome)")
    if kept == nil { #expect(outcome.errors.contains("got \(number)\n"), "\(outcome)") }
  }

  /// Adds amounts at random; answers their sum in the smallest unit.
  private func fill(_ shell: Shell, _ count: Int = 60) throws -> Int {
    var (sum, seed) = (0, 32)
    for id in 1...count {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      let cents = seed % 2_000_001 - 1_000_000
      sum += cents
      #expect(shell.run("dispatch till.add \(id) \"\(text(cents))\"").status == 0)
    }
    return sum
  }

  @Test func sumsAreThoseOfIntegers() throws {
    let shell = try shell()
    let sum = text(try fill(shell))
    #expect(shell.run("show till.total", "show till.sum", "= state.till.total").output == "\(sum)\n\(sum)\n\(sum)\n")
    #expect(shell.run("assert state.till.total == project(\"till.sum\")").status == 0)
  }

  @Test func aStoreThatIsOpenedAgainHoldsThem() throws {
    let shell = try Shell()
    #expect(shell.openStore("\(shell.folder)/a.db").status == 0)
    #expect(shell.run("plugin load \(try shell.plugin("till", Self.till))").status == 0)
    let sum = text(try fill(shell))
    let state = shell.run("show till --json").output
    let copy = try shell.killedCopy(of: "\(shell.folder)/a.db", as: "killed.db")
    let other = try Shell()
    #expect(other.openStore(copy).status == 0)
    #expect(other.run("show till --json").output == state)
    #expect(other.run("undo", "undo --to 5", "redo", "redo", "show till.total").output.hasSuffix("\(sum)\n"))
  }

  @Test func aRecordingAndAScriptSayThemExactly() throws {
    let shell = try shell()
    let sum = text(try fill(shell, 12))
    let (log, script) = ("\(shell.folder)/log.jsonl", "\(shell.folder)/log.stsh")
    #expect(shell.run("export journal \(log)", "export journal \(script) --as stsh").status == 0)
    let replayed = shell.run("replay \(log) --verify")
    #expect(replayed.status == 0, "\(replayed)")
    let again = try Shell()
    let sourced = again.run("source \(script)", "show till.total")
    #expect(sourced.status == 0, "\(sourced)")
    #expect(sourced.output.hasSuffix("\(sum)\n"))
  }

  @Test func aStateFileHoldsMoreDigitsThanAFloat() throws {
    let shell = try shell()
    _ = shell.run("dispatch till.add 1 90071992547409.93")
    let file = "\(shell.folder)/state.json"
    #expect(shell.run("export state \(file)", "undo", "import state \(file)").status == 0)
    #expect(shell.run("show till.total").output == "90071992547409.93\n")
  }

  @Test func tablesAndJSONAreReadAndWritten() throws {
    let shell = try shell()
    let csv = try shell.write("a.csv", "id,amount\n1,12.5\n2,-0.05\n3,\n4,0.005\n5,much\n")
    let lines = try shell.write(
      "a.jsonl",
      #"{"id":6,"amount":12.50}"# + "\n" + #"{"id":7,"amount":"7.10"}"# + "\n" + #"{"id":8,"amount":3}"# + "\n"
        + #"{"id":9,"amount":12345678901234.56}"# + "\n" + #"{"id":10,"amount":0.125}"# + "\n")
    let table = shell.run("ingest \(csv) --as till.add --keep-going")
    #expect(
      table.errors.contains("'amount' must be a decimal of at most 2 digits after the point, got 0.005"), "\(table)")
    #expect(table.errors.contains("'amount' must be Decimal(2), got string \"much\""), "\(table)")
    let json = shell.run("ingest \(lines) --as till.add --keep-going")
    #expect(json.errors.contains("at most 2 digits after the point, got 0.125"), "\(json)")
    #expect(
      shell.run("show till.rows --as csv").output
        == "id,amount\r\n1,12.50\r\n2,-0.05\r\n3,0.10\r\n6,12.50\r\n7,7.10\r\n8,3.00\r\n9,12345678901234.56\r\n")
  }

  @Test func theyAreShownComparedSortedAndDrawn() throws {
    let shell = try shell()
    _ = shell.run("dispatch till.add 1 12.5", "dispatch till.add 2 -7.25", "dispatch till.add 3 9")
    #expect(
      shell.run("show till.rows --sort amount").output == "id  amount\n2   -7.25\n3   9.00\n1   12.50\n3 of 3 items\n")
    #expect(
      shell.run("show till.rows where amount > 8.99 and amount < 12").output == "id  amount\n3   9.00\n1 of 3 items\n")
    #expect(
      shell.run("show till.rows where amount == 9 or it.amount ~= 9.00 and id == 1 --as csv").output
        == "id,amount\r\n1,12.50\r\n3,9.00\r\n")
    #expect(shell.run("show till.by where it == -7.25").output == "k2  -7.25\n1 of 3 items\n")
    #expect(shell.run("assert state.till.total == 14.25", "assert state.till.rows[1].amount ~= 12.5").status == 3)
    #expect(shell.run("show till.rows[amount=9.00].id", "show till.rows[amount=12.5].id").output == "3\n1\n")
    #expect(shell.run("show till.rows[*].amount --as spark").output.hasPrefix("█"))
    #expect(shell.run("plot state.till.rows --x id --y amount").output.contains("12.5"))
    #expect(shell.run("diff 2 3").output.contains("till.total  12.50 -> 5.25"))
    let watched = shell.run("watch till.best", "dispatch till.add 4 13")
    #expect(watched.output.contains("till.best  12.50 -> 13.00"), "\(watched)")
    #expect(
      shell.run("let sum = state.till.total * 2", "dispatch till.add 5 $sum", "show till.best").output.hasSuffix(
        "54.50\n"))
    #expect(shell.run("why till.best").output.contains("till.best  13.00 -> 54.50"))
  }

  /// A decimal equals a number that is worth the same, on whichever side and however it comes there.
  @Test(arguments: [
    "state.till.total == 12.5", "12.5 == state.till.total", "12.5 == state[\"till\"].total",
    "not (state.till.total ~= 12.5)",
    "(function() local v = state.till.total return v == 12.5 and 12.5 == v end)()", "project(\"till.sum\") == 12.5",
    "state.till.total - 12.5 == 0", "0 == project(\"till.sum\") - 12.5", "state.till.rows[1].amount == 12.5",
    "state.till.isSame and state.till.isOther",
  ])
  func aNumberThatIsWorthTheSameIsEqual(expression: String) throws {
    let shell = try Shell()
    let fields = "field(\"isSame\", bool()), field(\"isOther\", bool()), "
    let sum = "s.total = s.total + a.amount"
    let compared = "\(sum) s.isSame, s.isOther = s.total == 12.5, 13 ~= s.total and 0 ~= a.amount"
    let folder = try shell.plugin(
      "till",
      Self.till.replacing("field(\"rows\"", with: fields + "field(\"rows\"").replacing(sum, with: compared))
    _ = shell.run("plugin load \(folder)", "dispatch till.add 1 12.5")
    #expect(shell.run("assert \(expression)", "wait until \(expression)", "lua assert(\(expression))") == .init())
    #expect(shell.run("assert not (\(expression))").status == 3)
    let found = shell.run("bisect \(expression)")
    #expect(found.output.contains("#2"), "\(found)")
    let shown = shell.run("show till.rows where amount == 12.5 and 12.5 == it.amount and #state.till.rows == id")
    #expect(shown.output.contains("1 of 1"), "\(shown)")
  }

  @Test func aTestOfAPluginComparesThemSo() throws {
    let shell = try shell()
    let folder = "\(shell.folder)/till"
    _ = try shell.write(
      "till/tests/till_test.lua",
      """
      test("amounts", function(t)
        t:dispatch("till.add", { id = 1, amount = 12.5 })
        t:equals(t:get("till.total"), 12.5)
        t:equals({ 12.5, 3 }, { t:get("till.sum"), decimal("3.00") })
        t:ok(t:get("till.total") == 12.5 and 12 ~= t:get("till.total"))
      end)
      """)
    let tested = shell.run("plugin test \(folder)")
    #expect(tested.output.contains("1 passed, 0 failed"), "\(tested)")
  }

  @Test func whatIsNotExactIsAnErrorWithItsPlace() throws {
    let shell = try shell()
    #expect(shell.run("dispatch till.share 0.1", "show till.total").output.hasSuffix("0.10\n"))
    let inexact = shell.run("dispatch till.share 0.30000000000000004")
    #expect(
      inexact.errors.contains(
        "'till.total' must be a decimal of at most 2 digits after the point, got 0.30000000000000004, a float"),
      "\(inexact)")
    _ = shell.run("dispatch till.add 1 92233720368547757.07")
    let beyond = shell.run("dispatch till.double")
    #expect(beyond.errors.contains("till/init.lua:"), "\(beyond)")
    #expect(beyond.errors.contains("does not fit a decimal"), "\(beyond)")
    #expect(beyond.status == 1)
  }

  /// Wherever it is reckoned, what does not fit is an error, and the state as before.
  @Test(arguments: [
    "show till.twice", "= project(\"till.twice\")", "= state.till.total * 2", "let x = state.till.total * 2",
    "assert state.till.total + state.till.total > 0", "wait until state.till.total * 2 > 0", "dispatch till.double",
    "watch $(state.till.total * 2)", "show till.rows where amount * 2 > 0", "plot state.till.total * 2",
    "lua dispatch('till.add', { id = 2, amount = state.till.total })", "dispatch till.add 2 1000",
    "dispatch till.add 2 92233720368547758.08", "let y = decimal(\"92233720368547758070\")",
    "lua dispatch('till.share', { of = 1e300 })",
  ])
  func whatDoesNotFitIsAnErrorWhereverItIsReckoned(command: String) throws {
    let shell = try shell()
    #expect(shell.run("dispatch till.add 1 92233720368547757.07 --quiet").status == 0)
    let outcome = shell.run(command)
    #expect(outcome.status != 0 && outcome.errors.contains("error["), "\(outcome)")
    #expect(
      ["does not fit a decimal", "must be -92233720368547758.08", "needs the digits of a number"].contains {
        outcome.errors.contains($0)
      }, "\(outcome)")
    #expect(shell.run("show till.total", "= #state.till.rows").output == "92233720368547757.07\n1\n")
  }

  @Test func aRecordThatDoesNotFitIsLeftOut() throws {
    let shell = try shell()
    let file = try shell.write("a.csv", "id,amount\n1,92233720368547758.07\n2,0.01\n3,-0.07\n")
    let outcome = shell.run("ingest \(file) --as till.add --keep-going")
    #expect(outcome.errors.contains("a.csv:3: till: reducer 'till.add'"), "\(outcome)")
    #expect(outcome.output.hasPrefix("ingested 2 records"), "\(outcome)")
    #expect(shell.run("show till.total", "= #state.till.rows").output == "92233720368547758.00\n2\n")
  }
}
