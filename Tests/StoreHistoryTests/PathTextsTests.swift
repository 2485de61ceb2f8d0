import StoreSchema
import Testing

@testable import StoreHistory

struct PathTextsTests {
  /// Paths that share their steps and paths that do not, many more than there are places for, each of them again and again.
  @Test func aKeptTextIsTheTextOfThePath() {
    var texts = PathTexts()
    var paths: [Path] = []
    for number in 0..<3000 {
      let path = Path([.field("catalog"), .key(.string("a \(number)")), .index(number), .field("name")])
      paths += [path, Path(path.steps + [.match(field: "id", .int(number))])]
    }
    for round in 1...4 {
      for path in paths {
        let isShared = round.isMultiple(of: 2)
        let path = isShared ? path : Path(path.steps.map { $0 })
        for _ in 1...3 {
          var (kept, made): ([UInt8], [UInt8]) = ([], [])
          withUnsafePointer(to: Change(path, .move(to: 0))) { texts.append(pathOf: $0, to: &kept) }
          made.append(inJSON: path)
          #expect(kept == made)
        }
      }
    }
  }

  @Test func thePathOfAWholeSliceHasNoText() {
    var texts = PathTexts()
    var out: [UInt8] = []
    withUnsafePointer(to: Change(Path(), .move(to: 0))) { change in
      for _ in 1...3 { texts.append(pathOf: change, to: &out) }
    }
    #expect(out.isEmpty)
  }
}
