import LuaRuntime

/// A line that a plugin writes by `log.info` or `log.warn`.
public struct PluginLogLine: Hashable, Sendable {
  /// The plugin's name.
  public let plugin: String
  /// The importance of the line.
  public let level: Level
  /// A line of text, without its end; characters that are not printable are written as escapes.
  public let text: String

  /// The importance of a line.
  public enum Level: String, Sendable, CaseIterable {
    /// Good to know.
    case info
    /// Worth a look.
    case warn
  }
}

/// Takes what a plugin says, at most so many lines a second on the clock of its store; counts what is dropped.
final class PluginLog {
  private let plugin: String
  /// The number of lines per second.
  private var lines: Allowance
  private var sink: ((PluginLogLine) -> Void)?
  private var now: () -> Duration = { .zero }
  /// The time on the clock of the plugin's store; nil: it has none so far.
  var time: Duration? { sink == nil ? nil : now() }
  private var dropped = 0 { didSet { if dropped > 0 { onDrop() } } }
  /// Told when lines are dropped.
  private var onDrop: () -> Void = {}
  /// The lines from before anybody listened.
  private var early: [PluginLogLine] = []
  /// The text form of tables; nil: their type.
  var tables: TableText?
  /// Why nothing may be said now; nil: it may.
  var refusal: () -> String? = { nil }

  /// The longest line, in characters.
  private static let longest = 2000
  /// The longest text that is looked at, in bytes: more of it takes time and says no more.
  private static let longestText = 64 << 10

  init(plugin: String, limit: Int) {
    self.plugin = plugin
    lines = Allowance(limit: limit)
  }

  /// Has lines go somewhere, those first that were said before.
  func attach(now: @escaping () -> Duration, onDrop: @escaping () -> Void, _ sink: @escaping (PluginLogLine) -> Void) {
    self.now = now
    self.sink = sink
    self.onDrop = onDrop
    if dropped > 0 { onDrop() }
    lines.begin(at: now())
    for line in early { sink(line) }
    early = []
  }

  /// Says a text, each of its lines for itself. The text is made only where there is room for it: what is dropped costs next
  /// to nothing, however long it is.
  func write(_ level: PluginLogLine.Level, _ makeText: () throws -> String) throws {
    let time = now()
    let left = lines.left(at: time)
    guard left > 0 else { return dropped += 1 }
    let text = cut(try makeText())
    // Bytes, since to find the characters of a long text takes long.
    let newline = UInt8(ascii: "\n")
    for line in text.utf8.split(separator: newline, maxSplits: left, omittingEmptySubsequences: false) {
      guard lines.take(at: time) else { return dropped += 1 }
      send(level, PluginLog.printable(Substring(line)))
    }
  }

  /// Says what its author should know.
  func warn(_ text: String) { send(.warn, text) }

  /// Says how many lines were dropped since it was last said.
  func sayDropped() {
    guard dropped > 0 else { return }
    let lines = dropped == 1 ? "1 line was" : "\(dropped) lines were"
    send(.warn, "\(lines) dropped, more than \(self.lines.limit) in a second")
    dropped = 0
  }

  private func send(_ level: PluginLogLine.Level, _ text: String) {
    let line = PluginLogLine(plugin: plugin, level: level, text: text)
    if let sink { sink(line) } else { early.append(line) }
  }

  /// The text without control characters, which a terminal would obey, and cut where it is too long.
  private static func printable(_ text: Substring) -> String {
    var line = ""
    var count = 0
    for character in text.unicodeScalars {
      guard count < longest else { return line + "…" }
      count += 1
      let isControl = character.properties.generalCategory == .control || character.properties.isBidiControl
      line += isControl && character != "\t" ? "\\u{\(String(character.value, radix: 16))}" : String(character)
    }
    return line
  }

  /// The text of a call's arguments. The text is not kept, and so counts as work only.
  private func text(of call: LuaCall) throws(LuaError) -> String {
    let text = try TableText.printed(call, from: 0, separator: " ", tables)
    call.state.meter.work(text.utf8.count / 16)
    return text
  }

  /// A text without what is beyond the longest; where lines begin there, that counts as one that is dropped.
  private func cut(_ text: String) -> String {
    guard text.utf8.count > Self.longestText else { return text }
    if text.utf8.dropFirst(Self.longestText).contains(UInt8(ascii: "\n")) { dropped += 1 }
    return String(decoding: text.utf8.prefix(Self.longestText), as: UTF8.self) + "…"
  }

  /// The global `log` of the plugin.
  func makeTable(in lua: LuaState) throws(LuaError) -> LuaTable {
    var functions: [(String, LuaValue)] = []
    for level in [PluginLogLine.Level.info, .warn] {
      let function = try lua.makeFunction { [unowned self] call in
        if let refusal = refusal() { throw LuaFailure("log.\(level.rawValue) is not possible in a \(refusal)") }
        let before = dropped
        try write(level) { try text(of: call) }
        // A flood of lines that nobody gets takes time that no instruction counts.
        if dropped > before { call.state.meter.work(20) }
      }
      functions.append((level.rawValue, .function(function)))
    }
    return try lua.makeHostTable("log", functions)
  }
}
