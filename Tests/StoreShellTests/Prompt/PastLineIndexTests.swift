import StoreCore
import TerminalSupport
import Testing

@testable import StoreShell

/// The past line that goes on from what is typed.
@Suite struct PastLineIndexTests {
  @Test func itIsTheNewestOneThatIsLonger() {
    let index = PastLineIndex()
    index.take(["show tasks", "show", "show counter", "echo ä", "echo ö"])
    #expect(index.rest(behind: "sh") == "ow counter")
    #expect(index.rest(behind: "show") == " counter")
    #expect(index.rest(behind: "show t") == "asks")
    #expect(index.rest(behind: "show tasks") == nil)
    #expect(index.rest(behind: "echo ä") == nil)
    #expect(index.rest(behind: "echo ") == "ö")
    #expect(index.rest(behind: "x") == nil)
    index.take(["show tasks", "show", "show counter", "echo ä", "echo ö", "show tasks"])
    #expect(index.rest(behind: "sh") == "ow tasks", "what was entered again is the newest")
  }

  /// A line that failed when it was last given, also in an earlier session, is not offered; one that has succeeded since is.
  @Test func aLineThatFailedIsNotOffered() {
    let index = PastLineIndex()
    index.note("show old", hasFailed: false)
    index.take(["show good", "show bad", "show old"], failed: ["show bad", "show old"])
    #expect(index.rest(behind: "show b") == nil)
    #expect(index.rest(behind: "show g") == "ood")
    #expect(index.rest(behind: "show o") == "ld")
    index.note("show wrong", hasFailed: true)
    index.take(["show good", "show bad", "show old", "show wrong"])
    #expect(index.rest(behind: "show w") == nil)
    #expect(index.rest(behind: "show ") == "old")
    index.note("show bad", hasFailed: false)
    index.take(["show good", "show bad", "show old", "show wrong", "show bad"])
    #expect(index.rest(behind: "show ") == "bad")
  }

  /// The same as looking through all of them.
  @Test func itIsTheOneThatAllLinesGive() {
    var random = SeededGenerator(seed: 33)
    var lines: [String] = []
    let index = PastLineIndex()
    for _ in 0..<400 {
      lines.append(String((0..<random.number(0...8)).map { _ in random.pick(["a", "b", "ä"]) }.joined()))
      index.take(lines)
      let typed = String((0..<random.number(1...5)).map { _ in random.pick(["a", "b", "ä"]) }.joined())
      let past = lines.last { $0.utf8.count > typed.utf8.count && $0.hasPrefix(typed) }
      #expect(index.rest(behind: typed) == past.map { String($0.dropFirst(typed.count)) }, "\(typed) in \(lines)")
    }
  }

  /// The work for a key does not grow with the number of lines.
  @Test func aKeyLooksAtFewOfManyLines() {
    let index = PastLineIndex()
    let lines = ["the oldest"] + (2...10_000).map { "dispatch crowded2.action\($0 % 1998 + 1) by=\($0)" }
    index.take(lines)
    #expect(index.rest(behind: "dispatch crowded2.action7") == " by=9996", "the newest come first")
    for _ in 0..<20 { index.take(lines) }
    let before = index.visits
    #expect(index.rest(behind: "the") == " oldest")
    #expect(index.rest(behind: "dispatch crowded2.action7") == " by=9996")
    #expect(index.rest(behind: "dispatch crowded2.action1999") == nil)
    #expect(index.rest(behind: "nothing") == nil)
    #expect(index.visits - before < 100)
  }
}
