import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let plot = CommandDefinition(
    "plot", needs: .read, usage: ["plot EXPR [--over N] [--as FORMAT] [--json]"],
    summary:
      "draws the value of a Lua expression over the last actions, 100 by default; in another form, lists the values",
    flags: [FlagDefinition("over", value: "N", need: .read, "over how many of the last actions")]
      + FlagDefinition.format,
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
    lua: LuaVerb("plot", takesFlags: true),
    read: { reader in
      let text = try reader.luaText("an expression")
      let count = try reader.count(of: "over", "a number of actions") ?? .known(100)
      return (text: text, count: count, form: try reader.form())
    },
    perform: { (request: (text: String, count: Given<Int>, form: ResultForm), session) in
      let points = try session.values(of: request.text, over: request.count.value(in: session))
      let format = try session.format(request.form)
      guard format == .auto, !session.answersInJSON else {
        return try session.answer(points.reading(as: format), as: request.form)
      }
      let chart = LineChart(
        values: try points.map { try $0.value.number() }, width: min(session.console.width() ?? 80, 200), height: 8,
        isUTF8: session.options.isUTF8)
      session.console.write(chart.text(from: "#\(points.first?.number ?? 0)", to: "#\(points.last?.number ?? 0)"))
      return .none
    })
}

extension Session {
  /// The value of a Lua expression before the last actions and after each of them, with the number of the action. A
  /// point has no value where a module of the last point was not there yet, such as before a plugin was loaded.
  fileprivate func values(of expression: String, over count: Int) throws -> [PlottedPoint] {
    let lua = try lua()
    let (oldest, last) = store.kept
    let first = max(oldest, last > count ? last - count : 0)
    func names() -> Set<String> { Set(store.modules.map(\.name)) }
    let known = try store.viewing(last, names)
    // A fault of the expression itself shows at the last point.
    return try (min(first, last)...last).reversed().map { number in
      try store.viewing(number) {
        do {
          return PlottedPoint(number: number, value: try lua.evaluate(expression, chunk: chunkName).value)
        } catch let error as SessionLuaError {
          guard !known.isSubset(of: names()) else { throw error }
          return PlottedPoint(number: number, value: .none)
        }
      }
    }.reversed()
  }
}

/// A value, and the action after which it was so.
private struct PlottedPoint {
  let number: Int
  let value: Value
}

extension [PlottedPoint] {
  /// The points as a list of records; for a sparkline, which draws numbers, as a list of the values.
  fileprivate func reading(as format: Format) -> Reading {
    guard format != .spark else {
      return Reading(value: .list(PersistentList(map(\.value))), schema: .dynamic(.list(.dynamic(.any))))
    }
    return Reading(rows: map { [.int($0.number), $0.value] }, "Point", ["n", "value"])
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
    default: throw ShellError(code: .typeMismatch, message: "plot draws numbers, got \(described)")
    }
  }
}
