/// The difference of two texts, line by line, with two lines of context around each change.
enum LineDifference {
  private enum Line {
    case same(String)
    case expected(String)
    case got(String)

    var text: String {
      switch self {
      case .same(let text): "  \(text)"
      case .expected(let text): "- \(text)"
      case .got(let text): "+ \(text)"
      }
    }

    var isChange: Bool { if case .same = self { false } else { true } }
  }

  /// The lines of the difference: `- ` before what was expected, `+ ` before what was found, `…` where lines that are the same
  /// are left out.
  static func lines(expected: [String], got: [String]) -> [String] {
    let all = merged(expected, got)
    let changed = all.indices.filter { all[$0].isChange }
    var shown = Set<Int>()
    for index in changed { shown.formUnion(max(0, index - 2)...min(all.count - 1, index + 2)) }
    var lines: [String] = []
    var previous = -1
    for index in shown.sorted() {
      if index > previous + 1 { lines.append("…") }
      lines.append(all[index].text)
      previous = index
    }
    if !all.isEmpty, previous < all.count - 1 { lines.append("…") }
    return lines
  }

  /// Both texts in one, what was expected before what was found.
  private static func merged(_ expected: [String], _ got: [String]) -> [Line] {
    let difference = got.difference(from: expected)
    let removed = Set(difference.removals.map(\.position))
    let inserted = Set(difference.insertions.map(\.position))
    var lines: [Line] = []
    var (old, new) = (0, 0)
    while old < expected.count || new < got.count {
      if old < expected.count, removed.contains(old) {
        lines.append(.expected(expected[old]))
        old += 1
      } else if new < got.count, inserted.contains(new) {
        lines.append(.got(got[new]))
        new += 1
      } else {
        lines.append(.same(expected[old]))
        old += 1
        new += 1
      }
    }
    return lines
  }
}

extension CollectionDifference.Change {
  fileprivate var position: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
