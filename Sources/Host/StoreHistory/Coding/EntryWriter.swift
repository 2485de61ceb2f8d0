import StoreCore
import StoreSchema

/// Writes entries of the log as JSON, straight into a buffer of bytes. ``EntryReader`` reads them back, nothing lost.
///
/// An entry is one object with the members `id`, `at` (seconds, exact to the attosecond), `action`, `args`, `source`
/// and `changes`, and `when`, the time of day in milliseconds since 1970, if it is known. Some entries also have `quiet`, `digest`, `original`, `droppedBy`, `failure` and `reason`. A change has
/// `op`, `path`, `from` and `to`, as with `--json`, and where the path alone does not say it, `positions` and `inPlace`.
public enum EntryWriter {
  /// Appends an entry, without a line end.
  ///
  /// - Returns: where its changes begin.
  @discardableResult
  public static func append(_ entry: LoggedEntry, to out: inout [UInt8]) -> Int {
    let changes = appendMembers(of: entry, to: &out)
    out.append(UInt8(ascii: "}"))
    return changes
  }

  /// Appends an entry but for the closing brace.
  ///
  /// - Returns: where its changes begin.
  @discardableResult
  static func appendMembers(of entry: LoggedEntry, to out: inout [UInt8]) -> Int {
    appendHead(of: entry, to: &out) { append($0, to: &$1) }
    JSON.append(",\"changes\":" as StaticString, to: &out)
    let start = out.count
    append(entry.changes[...], to: &out)
    return start
  }

  /// Appends the members of an entry before its changes, with texts of places that are kept.
  package static func appendHead(of entry: LoggedEntry, _ origins: inout OriginTexts, to out: inout [UInt8]) {
    appendHead(of: entry, to: &out) { origins.append($0, to: &$1) }
  }

  @inline(__always)
  private static func appendHead(
    of entry: LoggedEntry, to out: inout [UInt8], appendSource: (ActionSource, inout [UInt8]) -> Void
  ) {
    JSON.append("{\"id\":" as StaticString, to: &out)
    JSON.append(entry.number, to: &out)
    JSON.append(",\"at\":" as StaticString, to: &out)
    append(entry.time, to: &out)
    if let wallTime = entry.wallTime {
      JSON.append(",\"when\":" as StaticString, to: &out)
      JSON.append(wallTime, to: &out)
    }
    JSON.append(",\"action\":" as StaticString, to: &out)
    JSON.append(quoted: entry.action, to: &out)
    if entry.isQuiet { JSON.append(",\"quiet\":true" as StaticString, to: &out) }
    JSON.append(",\"args\":" as StaticString, to: &out)
    JSON.append(entry.arguments, to: &out, marksDecimals: entry.isOfShell)
    JSON.append(",\"source\":" as StaticString, to: &out)
    appendSource(entry.source, &out)
    append(entry.digest, as: ",\"digest\":", to: &out)
    if let original = entry.original {
      JSON.append(",\"original\":{\"action\":" as StaticString, to: &out)
      JSON.append(quoted: original.action, to: &out)
      JSON.append(",\"args\":" as StaticString, to: &out)
      JSON.append(original.arguments, to: &out)
      out.append(UInt8(ascii: "}"))
    }
    append(entry.droppedBy, as: ",\"droppedBy\":", to: &out)
    append(entry.failure, as: ",\"failure\":", to: &out)
    append(entry.reason, as: ",\"reason\":", to: &out)
  }

  /// Appends a time as decimal seconds: all 18 digits after the point that it may have, without trailing zeros.
  public static func append(_ time: Duration, to out: inout [UInt8]) {
    let (seconds, attoseconds) = time.components
    if seconds < 0 || attoseconds < 0 { out.append(UInt8(ascii: "-")) }
    if let seconds = Int(exactly: seconds.magnitude) {
      JSON.append(seconds, to: &out)
    } else {
      JSON.append(bare: "\(seconds.magnitude)", to: &out)
    }
    var rest = attoseconds.magnitude
    guard rest > 0 else { return }
    var count = 18
    while rest % 10 == 0 {
      rest /= 10
      count -= 1
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 19) { digits in
      for place in stride(from: count, through: 1, by: -1) {
        digits[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      digits[0] = UInt8(ascii: ".")
      out.append(contentsOf: UnsafeBufferPointer(rebasing: digits[...count]))
    }
  }

  /// Appends a source; fields that are nil are left out.
  public static func append(_ source: ActionSource, to out: inout [UInt8]) {
    appendStart(of: source, to: &out)
    appendLine(of: source, to: &out)
    appendEnd(of: source, to: &out)
  }

  /// Appends the line of a source, and its cause or its statement.
  static func appendLine(of source: ActionSource, to out: inout [UInt8]) {
    JSON.append(source.line, to: &out)
    if let cause = source.cause {
      JSON.append(",\"cause\":" as StaticString, to: &out)
      JSON.append(cause, to: &out)
    } else if let first = source.statement {
      JSON.append(",\"statement\":" as StaticString, to: &out)
      JSON.append(first, to: &out)
    }
  }

  /// Appends a source up to its line: the part that many have in common.
  package static func appendStart(of source: ActionSource, to out: inout [UInt8]) {
    JSON.append("{\"kind\":\"" as StaticString, to: &out)
    JSON.append(bare: source.kind.rawValue, to: &out)
    JSON.append("\",\"file\":" as StaticString, to: &out)
    JSON.append(quoted: source.file, to: &out)
    JSON.append(",\"function\":" as StaticString, to: &out)
    JSON.append(quoted: source.function, to: &out)
    JSON.append(",\"line\":" as StaticString, to: &out)
  }

  /// Appends the part of a source behind its line and its cause.
  package static func appendEnd(of source: ActionSource, to out: inout [UInt8]) {
    append(source.info, as: ",\"info\":", to: &out)
    append(source.plugin, as: ",\"plugin\":", to: &out)
    append(source.unit, as: ",\"unit\":", to: &out)
    if let author = source.author {
      append(author.user, as: ",\"user\":", to: &out)
      append(author.name, as: ",\"who\":", to: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a text behind the name of its member, where there is a text.
  private static func append(_ text: String?, as name: StaticString, to out: inout [UInt8]) {
    guard let text else { return }
    JSON.append(name, to: &out)
    JSON.append(quoted: text, to: &out)
  }
}

extension PathTexts {
  /// Appends the path of a change as ``EntryWriter`` does.
  mutating func append(pathOf change: UnsafePointer<Change>, to out: inout some JSONSink & ~Copyable) {
    guard let place = place(of: change) else { return out.append(inJSON: change.pointee.path) }
    withText(at: place) { out.append($0) }
  }
}

extension EntryWriter {
  /// Appends changes as an array.
  public static func append(_ changes: ArraySlice<Change>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "["))
    appendElements(changes, to: &out) { $1.append(inJSON: $0.pointee.path) }
    out.append(UInt8(ascii: "]"))
  }

  /// The same with texts of paths that are kept.
  static func append(_ changes: ArraySlice<Change>, _ paths: inout PathTexts, to out: inout TextBuffer) {
    out.append(UInt8(ascii: "["))
    appendElements(changes, to: &out) { paths.append(pathOf: $0, to: &$1) }
    out.append(UInt8(ascii: "]"))
  }

  /// Appends changes as the elements of an array.
  @inline(__always)
  static func appendElements<Sink: JSONSink & ~Copyable>(
    _ changes: ArraySlice<Change>, to out: inout Sink, appendPath: (UnsafePointer<Change>, inout Sink) -> Void
  ) {
    changes.withUnsafeBufferPointer { changes in
      guard let first = changes.baseAddress else { return }
      for index in changes.indices {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        append(first + index, to: &out, appendPath: appendPath)
      }
    }
  }

  /// Appends one change, by its address: a copy would count a reference to the steps of its path, which all changes of a place share.
  private static func append<Sink: JSONSink & ~Copyable>(
    _ change: UnsafePointer<Change>, to out: inout Sink, appendPath: (UnsafePointer<Change>, inout Sink) -> Void
  ) {
    switch change.pointee.kind {
    case .replace: out.append("{\"op\":\"replace\",\"path\":\"" as StaticString)
    case .add: out.append("{\"op\":\"add\",\"path\":\"" as StaticString)
    case .remove: out.append("{\"op\":\"remove\",\"path\":\"" as StaticString)
    case .move: out.append("{\"op\":\"move\",\"path\":\"" as StaticString)
    }
    appendPath(change, &out)
    switch change.pointee.kind {
    case .replace(let from, let to):
      out.append("\",\"from\":" as StaticString)
      out.append(json: from)
      out.append(",\"to\":" as StaticString)
      out.append(json: to)
    case .add(let value):
      out.append("\",\"to\":" as StaticString)
      out.append(json: value)
    case .remove(let value):
      out.append("\",\"from\":" as StaticString)
      out.append(json: value)
    case .move(let position):
      out.append("\",\"to\":" as StaticString)
      out.append(json: position)
    }
    if !change.pointee.positions.isEmpty {
      out.append(",\"positions\":[" as StaticString)
      for index in change.pointee.positions.indices {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        out.append(json: change.pointee.positions[index])
      }
      out.append(UInt8(ascii: "]"))
    }
    if change.pointee.isInPlace { out.append(",\"inPlace\":true" as StaticString) }
    out.append(UInt8(ascii: "}"))
  }
}
