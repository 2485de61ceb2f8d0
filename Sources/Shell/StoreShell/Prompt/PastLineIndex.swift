/// Finds the newest past line that begins as the one that is being typed. However many lines there are, a search looks at no more
/// than what stands along the typed text.
///
/// A tree of the lines by what they have in common: each node stands for a text that all lines below it begin with.
package final class PastLineIndex {
  /// The bytes of a line by which it is found. Whoever has typed more than a screen needs no suggestion.
  private static let longest = 1000

  private struct Node {
    /// The bytes of the node's text behind that of the node above.
    var label: ArraySlice<UInt8>
    /// The newest line that begins with the node's text.
    var newest: Int
    /// The newest of those that go on behind it; -1: none does.
    var newestBelow = -1
    /// The first of the nodes below, and the next one beside; 0: there is none.
    var firstBelow = 0
    var nextBeside = 0
  }

  private var nodes = [Node(label: [], newest: -1)]
  private var lines: [String] = []
  /// The lines that failed when they were last given.
  private var failed: Set<String> = []
  /// The lines that this session gave and that did not fail.
  private var passed: Set<String> = []
  /// The lines from here on are in the tree.
  private var first = 0
  /// The number of nodes that searches have looked at.
  private(set) var visits = 0

  /// An index of no lines.
  package init() {}

  /// Takes in the lines that have come since the last time. Of very many at first the newest, and some more each time: no key
  /// waits for all of them.
  ///
  /// - Parameters:
  ///   - lines: all of them, oldest first.
  ///   - failed: those of earlier sessions that failed when they were last given; asked for once.
  package func take(_ lines: [String], failed: @autoclosure () -> Set<String> = []) {
    let known = self.lines.isEmpty ? lines.count : self.lines.count
    if self.lines.isEmpty {
      first = lines.count
      // What this session noted is newer.
      if !lines.isEmpty { self.failed.formUnion(failed().subtracting(passed)) }
    }
    if lines.count != self.lines.count { self.lines = lines }
    for number in known..<max(known, lines.count) { insert(number) }
    for _ in 0..<min(first, Self.atOnce) {
      first -= 1
      insert(first)
    }
  }

  private static let atOnce = 500

  /// Notes how a line ended: one that failed is not offered.
  package func note(_ line: String, hasFailed: Bool) {
    if hasFailed {
      failed.insert(line)
      passed.remove(line)
    } else {
      failed.remove(line)
      passed.insert(line)
    }
  }

  /// The hint behind a line at whose end the cursor is: the form of what comes next where a word may begin, within a word the
  /// rest of the newest line that went on from there.
  package func hint(behind typed: TypedLine, form: LineDecoration.Hint?) -> LineDecoration.Hint? {
    if let form, typed.beginsWord { return form }
    return rest(behind: typed.text).map { .suggestion($0) } ?? form
  }

  /// The rest of the newest line that goes on behind a text, up to its own end; nil: there is none.
  func rest(behind text: String) -> String? {
    guard let line = newest(behind: Array(text.utf8)[...]), !failed.contains(lines[line]) else { return nil }
    let rest = lines[line].utf8.dropFirst(text.utf8.count).prefix { $0 != 0x0A }
    return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
  }

  private func newest(behind text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty, text.count < Self.longest else { return nil }
    var (rest, node) = (text, 0)
    while let first = rest.first {
      guard let below = child(of: node, first) else { return nil }
      let label = nodes[below].label
      let common = Self.common(label, rest)
      rest = rest.dropFirst(common)
      if common < label.count { return rest.isEmpty ? nodes[below].newest : nil }
      node = below
    }
    return nodes[node].newestBelow < 0 ? nil : nodes[node].newestBelow
  }

  private func insert(_ number: Int) {
    if failed.contains(lines[number]) { return }
    var (rest, node) = (Array(lines[number].utf8.prefix(Self.longest))[...], 0)
    while true {
      nodes[node].newest = max(nodes[node].newest, number)
      guard let first = rest.first else { return }
      nodes[node].newestBelow = max(nodes[node].newestBelow, number)
      guard let below = child(of: node, first) else {
        nodes.append(Node(label: rest, newest: number, nextBeside: nodes[node].firstBelow))
        nodes[node].firstBelow = nodes.count - 1
        return
      }
      let common = Self.common(nodes[below].label, rest)
      if common < nodes[below].label.count { split(below, at: common) }
      rest = rest.dropFirst(common)
      node = below
    }
  }

  /// Makes a node out of the start of another one's label, above it.
  private func split(_ upper: Int, at count: Int) {
    var lower = nodes[upper]
    lower.label = lower.label.dropFirst(count)
    lower.nextBeside = 0
    nodes.append(lower)
    nodes[upper].label = nodes[upper].label.prefix(count)
    nodes[upper].newestBelow = lower.newest
    nodes[upper].firstBelow = nodes.count - 1
  }

  private func child(of node: Int, _ byte: UInt8) -> Int? {
    var below = nodes[node].firstBelow
    while below > 0 {
      visits += 1
      if nodes[below].label.first == byte { return below }
      below = nodes[below].nextBeside
    }
    return nil
  }

  private static func common(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    zip(one, other).prefix { $0 == $1 }.count
  }
}
