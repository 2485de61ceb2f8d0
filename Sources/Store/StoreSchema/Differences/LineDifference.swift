/// The lines that must go from one text, and those that must come, to make it another.
package struct LineDifference {
  private enum Edit {
    case keep, remove, insert
  }

  private var edits: [(edit: Edit, line: Substring)] = []

  package init(_ old: String, _ new: String) { self.init(LineDifference.lines(old), LineDifference.lines(new)) }

  /// Compares the lines of two texts.
  package init(_ old: [Substring], _ new: [Substring]) {
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
    keep(old.prefix(prefix))
    compare(Array(old.dropFirst(prefix).dropLast(suffix)), Array(new.dropFirst(prefix).dropLast(suffix)))
    keep(old.suffix(suffix))
  }

  /// True if the texts are the same.
  package var isEmpty: Bool { edits.allSatisfy { $0.edit == .keep } }

  /// The differences in the unified format of `diff -u`, without file names.
  ///
  /// - Parameter context: the number of equal lines shown around a difference.
  package func unified(context: Int) -> String {
    let context = max(context, 0)
    var lines: [String] = []
    for hunk in hunks(context) {
      let before = edits[..<hunk.lowerBound], shown = edits[hunk]
      let oldCount = shown.count { $0.edit != .insert }, newCount = shown.count { $0.edit != .remove }
      // A hunk without lines on one side stands behind the line before, as in `diff`.
      let oldStart = before.count { $0.edit != .insert } + (oldCount > 0 ? 1 : 0)
      let newStart = before.count { $0.edit != .remove } + (newCount > 0 ? 1 : 0)
      lines.append("@@ -\(oldStart),\(oldCount) +\(newStart),\(newCount) @@")
      for (edit, line) in shown {
        switch edit {
        case .keep: lines.append(" \(line)")
        case .remove: lines.append("-\(line)")
        case .insert: lines.append("+\(line)")
        }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The differences with `- ` before the lines that went, `+ ` before those that came, and `…` for lines left out.
  ///
  /// - Parameter context: the number of equal lines shown around a difference.
  package func marked(context: Int) -> [String] {
    var lines: [String] = []
    var end = 0
    for hunk in hunks(context) {
      if hunk.lowerBound > end { lines.append("…") }
      end = hunk.upperBound
      for (edit, line) in edits[hunk] {
        switch edit {
        case .keep: lines.append("  \(line)")
        case .remove: lines.append("- \(line)")
        case .insert: lines.append("+ \(line)")
        }
      }
    }
    if end < edits.count { lines.append("…") }
    return lines
  }

  /// The differences with the lines around them; those whose surroundings touch are one.
  private func hunks(_ context: Int) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for index in edits.indices where edits[index].edit != .keep {
      let range = max(0, index - context)..<min(edits.count, index + context + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    return hunks
  }

  private mutating func keep(_ lines: ArraySlice<Substring>) {
    for line in lines { edits.append((.keep, line)) }
  }

  private mutating func compare(_ old: [Substring], _ new: [Substring]) {
    var isRemoved = Array(repeating: false, count: old.count), isInserted = Array(repeating: false, count: new.count)
    // Myers's algorithm takes time and room by the square of the difference; of very different texts all is shown.
    if old.count + new.count <= 2_000 {
      for change in new.difference(from: old) {
        switch change {
        case .remove(let offset, _, _): isRemoved[offset] = true
        case .insert(let offset, _, _): isInserted[offset] = true
        }
      }
    } else {
      isRemoved = Array(repeating: true, count: old.count)
      isInserted = Array(repeating: true, count: new.count)
    }
    var (from, to) = (0, 0)
    while from < old.count || to < new.count {
      if from < old.count, isRemoved[from] {
        edits.append((.remove, old[from]))
        from += 1
      } else if to < new.count, isInserted[to] {
        edits.append((.insert, new[to]))
        to += 1
      } else {
        edits.append((.keep, old[from]))
        (from, to) = (from + 1, to + 1)
      }
    }
  }

  private static func lines(_ text: String) -> [Substring] {
    text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
