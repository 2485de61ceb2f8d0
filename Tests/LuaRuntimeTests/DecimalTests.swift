import LuaRuntime
import Testing

/// Exact decimals of Lua code.
@Suite struct DecimalTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  private func text(_ expression: String) throws -> String {
    guard case .string(let text)? = try run(state, "return tostring(\(expression))").first else { return "none" }
    return text
  }

  private func message(_ expression: String) throws -> String {
    guard case .string(let text)? = try run(state, "return select(2, pcall(function() return \(expression) end))").first
    else { return "none" }
    return text
  }

  @Test func arithmeticIsThatOfIntegers() throws {
    try state.setGlobal(
      "report", .function(state.makeFunction { call in for value in call.arguments { call.results.append(value) } }))
    var seed = 7
    func next() -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed >> (abs(seed % 63))
    }
    let function = try run(
      state,
      """
      return function(a, b, n)
        local function try(f) local ok, result = pcall(f) return ok and result or nil end
        return try(function() return a + b end), try(function() return a - b end), try(function() return a * n end),
          try(function() return -a end), a == b, a < b, a <= b, decimal(tostring(a)) == a
      end
      """
    ).first
    guard case .function(let reckon)? = function else { throw Refusal(reason: "no function") }
    for _ in 0..<5_000 {
      let (left, right, scale) = (next(), next(), abs(next() % 19))
      func decimal(_ units: Int) -> LuaValue { .decimal(LuaDecimal(units: units, scale: scale)) }
      func exact(_ result: (partialValue: Int, overflow: Bool)) -> LuaValue {
        result.overflow ? .nil : decimal(result.partialValue)
      }
      #expect(
        try state.call(reckon, [decimal(left), decimal(right), .integer(right)]) == [
          exact(left.addingReportingOverflow(right)), exact(left.subtractingReportingOverflow(right)),
          exact(left.multipliedReportingOverflow(by: right)), exact((0).subtractingReportingOverflow(left)),
          .boolean(left == right), .boolean(left < right), .boolean(left <= right), .boolean(true),
        ], "\(left) \(right) \(scale)")
    }
  }

  @Test func wholeNumbersAndFloatsMixExactly() throws {
    #expect(try text(#"decimal("12.50") + 1"#) == "13.50")
    #expect(try text(#"3 - decimal("0.001")"#) == "2.999")
    #expect(try text(#"2 * decimal("12.50")"#) == "25.00")
    #expect(try text(#"decimal("12.50") * 2.0"#) == "25.00")
    #expect(try text(#"decimal("1.00") * 0.5"#) == "0.500")
    #expect(try text(#"decimal("1.10") * decimal("1.1")"#) == "1.210")
    #expect(try text(#"decimal(1999) / 100"#) == "19.99")
    #expect(try text(#"decimal("1.00") / 8"#) == "0.125")
    #expect(try text(#"decimal("-9.00") / decimal("-0.3")"#) == "30.00")
    #expect(try text(#"1 / decimal("4")"#) == "0.25")
    #expect(try text(#"decimal("1.10") + decimal("0.005")"#) == "1.105")
    #expect(try text(#"decimal("1.00") + 0.1"#) == "1.10")
    #expect(try text(#"decimal("1.00") + 1e15"#) == "1000000000000001.00")
    #expect(try text(#"decimal("0.10") < 0.11 and decimal("0.10") <= 0.1 and 0 < decimal("0.01")"#) == "true")
    #expect(try text(#"decimal("1.5") == decimal("1.500")"#) == "true")
    #expect(try text(#""it is " .. decimal("0.05") .. "!""#) == "it is 0.05!")
    #expect(try text(#"decimal(5, 2)"#) == "5.00")
    #expect(try text(#"decimal(0.5)"#) == "0.5")
    #expect(try text(#"tonumber(decimal("12.50")) or 0"#) == "12.50")
    #expect(try text(#"tonumber("ff", 16) + tonumber("1") + (tonumber({}) or 0)"#) == "256")
    #expect(try text(#"decimal("-0.05").units * 10 + decimal("-0.05").scale"#) == "-48")
    #expect(try text(#"decimal("1.20") + decimal("-1.20")"#) == "0.00")
    #expect(try text(#"decimal("-9223372036854775808")"#) == "-9223372036854775808")
    #expect(
      try run(
        state,
        "local t = {decimal('2.5'), decimal('10'), decimal('-1')} table.sort(t) return tostring(t[1]), tostring(t[3])")
        == [.string("-1"), .string("10")])
  }

  /// Lua asks no metamethod about a number and a value of another type; its texts do.
  @Test(arguments: [
    (#"decimal("0.00") == 0, 0 == decimal("0.00"), decimal("0.00") ~= 0"#, "true true false"),
    (#"decimal("5.00") / 5 == 1, 1 == decimal("5.00") / 5, decimal("0.00") / 2 ~= 0"#, "true true false"),
    (#"7 // 2 == 3, 7 % 4 == 3, 1 << 2 == 4, 2 ^ 2 == 4, 8 / 2 == 4"#, "true true true true true"),
    (#"decimal("12.50") == 12.5, 12.5 == decimal("12.50"), 12.5 ~= decimal("12.50")"#, "true true false"),
    (#"decimal("0.30") == 0.1 + 0.2, decimal("0.30") == 0.3, decimal("1") == 0/0"#, "false true false"),
    (#"decimal("9007199254740993") == 9007199254740992.0, decimal("5") == "5""#, "false false"),
    (#"decimal("5") == 1/0, decimal("5") == nil, decimal("5") ~= {}"#, "false false true"),
    (
      #"(function(a, b) return a == b, a ~= b, not (a == b), (a) == b and 7 end)(2, decimal("2.0"))"#,
      "true false false 7"
    ),
    (#"(function(...) local n <const> = ... if n == 3 then return "yes" end end)(decimal("3"))"#, "yes"),
    (#"({ [decimal("1") == 1] = "key" })[true], #{ decimal("1") == 1, 2 == decimal("2") }"#, "key 2"),
    (#"load("local a = ... return a == 1")(decimal("1.0"))"#, "true"),
    (#"load("local a = ... return a == 1", "n", "t", {})(decimal("1.0"))"#, "true"),
    (
      #"(function(n) return load(function() n = n + 1 return ({ "return ...", " =", "= 1" })[n] end) end)(0)(decimal(1))"#,
      "true"
    ),
    (
      #"decimal("1") + 1 == 2 and -decimal("1") == -1 and 1 == decimal("1") * 1, 1 == 1.0, {} == {}"#, "true true false"
    ),
    (#"1 == 1 == (decimal("1") == 1), "==" == '==' -- 1 == 2"#, "true true"),
    (#"rawequal(decimal("1"), 1), ({ [1] = "one" })[decimal("1")]"#, "false nil"),
  ])
  func aNumberThatIsWorthTheSameIsEqual(expression: String, expected: String) throws {
    let words = "for i = 1, t.n do t[i] = tostring(t[i]) end return table.concat(t, ' ')"
    let values = try run(state, "local t = table.pack(\(expression)\n) \(words)")
    #expect(values == [.string(expected)])
  }

  @Test func errorsKeepTheirLinesAndWords() throws {
    #expect(failure(state, "local a = 1\nlocal b = a ==\na\nerror('here')")?.line == 4)
    #expect(failure(state, "return 1 == == 2")?.message.contains("unexpected symbol near '=='") == true)
    #expect(failure(state, "if a == b then")?.message.contains("'end' expected near <eof>") == true)
    for text in [
      "return (n m == 2)", "x = { a b == c }", "print(a b == c)", "x = t[a b == c]", "x = (done state.n == 3)",
    ] {
      #expect(failure(state, text)?.message.contains("expected near") == true, "\(text)")
    }
    #expect(failure(state, "x = { a == b ]")?.message.contains("'}' expected near ']'") == true)
  }

  /// Expressions at random, of whole numbers and decimals, against their values.
  @Test func equalityIsThatOfNumbersWhereverItStands() throws {
    var seed: UInt64 = 32
    func below(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((seed >> 33) % UInt64(bound))
    }
    enum Outcome: Equatable { case number(Int), flag(Bool) }
    func isTrue(_ value: Outcome) -> Bool { value != .flag(false) }
    func expression(_ depth: Int) -> (text: String, value: Outcome) {
      switch below(depth > 4 ? 4 : 10) {
      case 0: return ("1", .number(1))
      case 1: return ("two", .number(2))
      case 2: return ("decimal(\"1.0\")", .number(1))
      case 3: return ("t.x[1]", .number(2))
      case 4, 5:
        let (left, right) = (expression(depth + 1), expression(depth + 1))
        return ("((\(left.text))==(\(right.text)))", .flag(left.value == right.value))
      case 6:
        let (left, right) = (expression(4), expression(4))
        return ("(not \(left.text) ~= \(right.text))", .flag(.flag(!isTrue(left.value)) != right.value))
      case 7:
        let (left, right) = (expression(4), expression(depth + 1))
        return ("(\(left.text) ~= two and \(right.text))", left.value != .number(2) ? right.value : .flag(false))
      case 8:
        let (left, right) = (expression(4), expression(depth + 1))
        return ("(two == \(left.text) or \(right.text))", left.value == .number(2) ? .flag(true) : right.value)
      default:
        let (left, right) = (expression(depth + 1), expression(depth + 1))
        let body = "local z <const> = \(left.text) if z == q then return z ~= 1 end return q"
        return (
          "(function(q) \(body) end)(\(right.text))",
          left.value == right.value ? .flag(left.value != .number(1)) : right.value
        )
      }
    }
    for _ in 0..<1_000 {
      let (text, value) = expression(0)
      let found = try run(state, "local two, t = 2, { x = { decimal('2.00') } } return \(text)").first
      let outcome: Outcome? =
        switch found {
        case .boolean(let flag)?: .flag(flag)
        case .integer(let number)?: .number(Int(number))
        case .decimal(let decimal)?: .number(decimal.units / [1, 10, 100][decimal.scale])
        default: nil
        }
      #expect(outcome == value, "\(text)")
    }
  }

  /// What the error of a float advises.
  @Test(
    arguments: [
      ("round(0.1 + 0.2, 2)", "0.30"), ("round(-(0.1 + 0.2), 17)", "-0.30000000000000004"), ("round(2.675, 2)", "2.68"),
      ("round(1 / 3, 3)", "0.333"), ("round(2e-300, 4)", "0.0000"), ("round(1e15 / 3, 1)", "333333333333333.3"),
      ("round(decimal('1') / 3 * 1.0, 2)", nil), ("round(1e300, 2)", nil), ("round(0 / 0)", nil),
    ] as [(String, String?)])
  func anyFloatIsRounded(code: String, digits: String?) throws {
    let session = try LuaState(sandbox: .session)
    let found = try? run(session, "return tostring(\(code))").first
    #expect(found == digits.map { .string($0) }, "\(code)")
  }

  @Test func whatIsNotExactIsAnErrorThatSaysWhatToDo() throws {
    #expect(
      try message(#"decimal("9223372036854775807") + 1"#).hasSuffix(
        "the result of 9223372036854775807 + 1 does not fit a decimal"))
    #expect(
      try message(#"-decimal("-9223372036854775808")"#).hasSuffix(
        "the opposite of -9223372036854775808 does not fit a decimal"))
    #expect(try message(#"decimal("1e17") + decimal("0.01")"#).hasSuffix("+ 0.01 does not fit a decimal"))
    #expect(
      try message(#"decimal("1.00") + 0.125"#).hasSuffix(
        #"the float 0.125 is not exact at a scale of 2; round it, or write decimal("…")"#))
    #expect(try message(#"decimal("1.00") + (0.1 + 0.2)"#).contains("has more digits than it tells for certain"))
    #expect(try message(#"decimal("1.00") / 3 .. """#).contains("round(a / b, 2) rounds it to two digits"))
    #expect(try message(#"decimal("1.00") / 3 + 1"#).contains("has no end"))
    #expect(try message(#"decimal("1.00") / 0"#).contains("not divided by zero"))
    #expect(try message(#"decimal("1.00") % 3"#).contains("has no remainder here"))
    #expect(try message(#"decimal("1.00") ^ 2"#).contains("a decimal is not raised to a power"))
    #expect(try message(#"decimal("1e-10") * decimal("1e-9")"#).contains("does not fit a decimal"))
    #expect(try message(#"decimal("1.00") + "1""#).contains("a decimal and a string"))
    #expect(try message(#"decimal("1.00") < nil"#).contains("a decimal and a nil"))
    #expect(try message(#"decimal("1.00").cents"#).contains("a decimal has .units and .scale, not 'cents'"))
    #expect(try message(#"decimal("12,50")"#).contains(#"got "12,50""#))
    #expect(try message(#"decimal("0.125", 2)"#).hasSuffix("0.125 does not fit a scale of 2"))
    #expect(try message("decimal(1 << 62, 18)").contains("does not fit a decimal of scale 18"))
    #expect(try message("decimal()").contains("the type is decimal { scale = 2 }"))
    #expect(try message("getmetatable(decimal(1)).__add") != "function")
    #expect(try message("setmetatable(decimal(1), {})").contains("table expected"))
  }

  @Test func aFunctionThatHoldsAnotherDecimalIsAnotherOne() throws {
    let made = try run(state, "local d = decimal('1.50') return function() return d end, function(new) d = new end")
    guard case .function(let holder) = made[0], case .function(let change) = made[1] else {
      throw Refusal(reason: "no functions")
    }
    let before = try state.digestOfCaptures(holder)
    _ = try state.call(change, [.decimal(LuaDecimal(units: 150, scale: 2))])
    #expect(try state.digestOfCaptures(holder) == before)
    _ = try state.call(change, [.decimal(LuaDecimal(units: 151, scale: 2))])
    #expect(try state.digestOfCaptures(holder) != before)
  }
}
