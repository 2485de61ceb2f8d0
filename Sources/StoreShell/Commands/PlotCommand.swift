import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let plot = CommandDefinition(
    "plot", usage: ["plot EXPR [--over N]"],
    summary: "draws the value of a Lua expression over the last actions, 100 where nothing is said",
    flags: [FlagDefinition("over", value: "N", "over how many of the last actions")],
    examples: [
      CommandExample(
        "lua for i = 1, 6 do dispatch(\"counter.increment\") end", "plot state.counter.value",
        output: """
          6    ⢸
               ⡎
              ⢠⠃
              ⡸
              ⡇
             ⢰⠁
             ⡜
          0 ⣀⠇
            #0 #6

          """),
      CommandExample("plot state.counter.step --over 5", output: "1 ⣀⣀\n  #0 #0\n"),
    ],
    lua: LuaVerb("plot", flags: ["over"])
  ) { invocation in
    let session = invocation.session
    guard let text = invocation.statement.lua?.text, !text.isEmpty else { throw invocation.missing("an expression") }
    let points = try session.values(of: text, over: try invocation.over())
    guard !session.options.isJSON else {
      let rows = points.map { "{\"n\":\($0.number),\"value\":\(JSON.text(of: $0.value))}" }
      return CommandResult(json: "[" + rows.joined(separator: ",") + "]")
    }
    let chart = LineChart(
      values: try points.map { try $0.value.number() }, width: min(session.console.width() ?? 80, 200), height: 8,
      isUTF8: session.options.isUTF8)
    session.console.write(chart.text(from: "#\(points.first?.number ?? 0)", to: "#\(points.last?.number ?? 0)"))
    return .none
  }
}

extension Invocation {
  fileprivate func over() throws -> Int {
    guard let text = try text(of: "over") else { return 100 }
    if let number = Int(text), number > 0 { return number }
    throw ShellError(
      code: "type-mismatch", message: "--over takes a number of actions, got '\(text)'",
      place: word(of: "over").map { .span($0.span) } ?? .command, hint: "usage: \(usage)")
  }
}

extension Session {
  /// The value of a Lua expression before the last actions and after each of them, with the number of the action.
  fileprivate func values(of expression: String, over count: Int) throws -> [(number: Int, value: Value)] {
    let lua = try lua()
    let last = store.viewed?.number ?? store.head
    let first = max(store.oldest, last > count ? last - count : 0)
    return try (min(first, last)...last).map { number in
      try store.viewing(number) { (number, try lua.evaluate(expression, chunk: chunkName).value) }
    }
  }
}

extension Value {
  /// The value as a number; nil: there is none.
  fileprivate func number() throws(ShellError) -> Double? {
    switch self {
    case .none: nil
    case .int(let number): Double(number)
    case .double(let number): number
    case .bool(let isTrue): isTrue ? 1 : 0
    default: throw ShellError(code: "type-mismatch", message: "plot draws numbers, got \(described)")
    }
  }
}
