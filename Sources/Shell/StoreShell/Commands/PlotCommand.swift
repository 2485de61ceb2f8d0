import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let plot = CommandDefinition(
    "plot", needs: .read,
    usage: ["plot EXPR [--over N] [--as FORMAT] [--json]", "plot LIST [--x FIELD] [--y FIELD,…] [> FILE.svg]"],
    summary:
      "draws the value of a Lua expression over the last actions, 100 by default, or a list; --as lists the values, > FILE.svg writes an SVG",
    flags: [
      FlagDefinition("over", value: "N", need: .read, "over how many of the last actions"),
      FlagDefinition("x", value: "FIELD", need: .read, "the field for the horizontal axis: numbers, times, or names"),
      FlagDefinition("y", value: "FIELD,…", need: .read, "the fields to draw"),
    ] + FlagDefinition.format,
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
      CommandExample("plot { 2, 2, 2, 2 }", output: "2 ⣀⣀\n  1 4\n"),
    ],
    lua: LuaVerb("plot", takesFlags: true, isRedirected: true),
    read: PlotRequest.init, perform: { try $0.perform(in: $1) })
}

private struct PlotRequest {
  private let text: String
  private let count: Given<Int>?
  private let fields: (x: Given<String>?, y: Given<String>?)
  private let form: ResultForm
  /// The endings of formats that plot does not draw.
  private static let otherDrawings = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"]
  /// True if the result goes into a file whose name says that it is a drawing.
  private let isSVG: Given<Bool>

  init(_ reader: CommandReader) throws {
    text = try reader.luaText("an expression")
    count = try reader.count(of: "over", "a number of actions")
    fields = (try reader.text(of: "x"), try reader.text(of: "y"))
    form = try reader.form()
    if count != nil, fields.x != nil || fields.y != nil {
      throw reader.fault(
        .unexpectedArgument, "--over is for a value over actions, --x and --y for a list", of: "over", status: 2)
    }
    let redirection = reader.statement.redirection
    isSVG =
      try redirection.map { redirection in
        try reader.text(of: redirection.target).map { file in
          let name = file.lowercased()
          guard redirection.kind == .command || !Self.otherDrawings.contains(where: name.hasSuffix) else {
            throw ShellError(
              code: .unknownFormat, message: "plot draws no \(name.split(separator: ".").last ?? "")",
              place: .span(redirection.span), hint: "a name that ends in .svg gets a drawing, any other the characters")
          }
          return name.hasSuffix(".svg")
        }
      } ?? .known(false)
  }

  func perform(in session: Session) throws -> CommandResult {
    let format = try session.format(form)
    let isSVG = try isSVG.value(in: session)
    let given = try session.lua().evaluate(text, chunk: session.chunkName)
    let isOfRecords = fields.x != nil || fields.y != nil
    let (chart, drawn): (Chart, Value)
    if count == nil, isOfRecords || given.value.isPlottedList {
      guard isSVG || format == .auto, !session.answersInJSON else { return try session.answer(given, as: form) }
      let y = try fields.y?.value(in: session).split(separator: ",").map(String.init)
      chart = try Chart(of: given.value, x: fields.x?.value(in: session), y: y ?? [], called: text)
      drawn = given.value
    } else {
      let points = try session.values(of: text, over: count?.value(in: session) ?? 100)
      guard isSVG || format == .auto, !session.answersInJSON else {
        return try session.answer(points.reading(as: format), as: form)
      }
      chart = Chart(
        across: .labels(points.map { "#\($0.number)" }), series: [(text, try points.map { try $0.value.number() })])
      drawn = points.reading(as: .auto).value
    }
    return session.answer(
      isSVG ? chart.svg(title: text) : chart.text(width: session.console.width() ?? 80, isUTF8: session.options.isUTF8),
      for: drawn)
  }
}

extension Value {
  /// True for a list, or a map, whose elements may be drawn.
  fileprivate var isPlottedList: Bool {
    switch self {
    case .list(let list): !list.isEmpty
    case .map(let map): !map.isEmpty
    default: false
    }
  }
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
    return try store.atOneMoment {
      try (min(first, last)...last).reversed().map { number in
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
