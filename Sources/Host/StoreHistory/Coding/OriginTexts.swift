import StoreCore

/// A place that actions come from, as it stands in a line before the number of the line and behind it.
package struct OriginText {
  /// The place.
  package let origin: ActionSource.Origin
  /// The bytes before the number of the line.
  package private(set) var start: [UInt8] = []
  /// The bytes behind the number of the line and the cause.
  package private(set) var end: [UInt8] = []

  /// The text of the place of a source.
  package init(_ source: ActionSource) {
    origin = source.origin
    EntryWriter.appendStart(of: source, to: &start)
    EntryWriter.appendEnd(of: source, to: &end)
  }
}

/// The texts of the latest places that entries were written with. The entries of a recording come from few places as a rule, and the
/// text of each place is made once.
package struct OriginTexts {
  private var known: [OriginText] = []
  /// The place that the next new one takes.
  private var next = 0
  /// The number of places that are remembered.
  package static let most = 8

  /// Remembers no place yet.
  package init() {}

  /// Appends a source as ``EntryWriter`` does.
  mutating func append(_ source: ActionSource, to out: inout [UInt8]) {
    let place = place(of: source)
    out.append(contentsOf: known[place].start)
    EntryWriter.appendLine(of: source, to: &out)
    out.append(contentsOf: known[place].end)
  }

  private mutating func place(of source: ActionSource) -> Int {
    for index in known.indices where known[index].origin === source.origin { return index }
    for index in known.indices where known[index].origin == source.origin { return index }
    defer { next = (next + 1) % Self.most }
    if next < known.count { known[next] = OriginText(source) } else { known.append(OriginText(source)) }
    return next
  }
}
