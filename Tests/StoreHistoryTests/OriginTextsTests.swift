import StoreCore
import Testing

@testable import StoreHistory

struct OriginTextsTests {
  /// Places that share their object and places that do not, more than are remembered, each of them again and again.
  @Test func aKeptTextIsTheTextOfThePlace() {
    var texts = OriginTexts()
    var sources: [ActionSource] = []
    for number in 0..<20 {
      var source = ActionSource(
        file: "f \"\(number)\"", function: "g", line: number, info: number.isMultiple(of: 3) ? "é" : nil,
        plugin: number.isMultiple(of: 2) ? "p" : nil, cause: number.isMultiple(of: 5) ? number + 1 : nil)
      if number.isMultiple(of: 7) { source.author = ActionAuthor(user: "root", name: "ann") }
      sources.append(source)
    }
    var random = SeededGenerator(seed: 47)
    for round in 0..<2_000 {
      let some = sources[Int.random(in: 0..<(round.isMultiple(of: 2) ? 3 : 20), using: &random)]
      var source = some
      // An object of its own for the same place.
      if round.isMultiple(of: 3) { source.file = some.file }
      var (kept, made): ([UInt8], [UInt8]) = ([], [])
      texts.append(source, to: &kept)
      EntryWriter.append(source, to: &made)
      #expect(kept == made)
    }
  }
}
