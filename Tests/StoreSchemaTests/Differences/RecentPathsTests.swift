import Testing

@testable import StoreSchema

struct RecentPathsTests {
  /// Far more paths than there are places for, each in two spellings that `==` takes for one.
  @Test func aPathIsSpelledAsItsStepsWhateverCameBefore() {
    var paths = RecentPaths(capacity: 512)
    for number in 0..<4000 {
      for spelling in ["\u{e9}", "e\u{301}"] {
        let name = "\(spelling)\(number)"
        for step in [Path.Step.field(name), .match(field: "id", .string(name)), .key(.string(name))] {
          let path = paths.path([.field("module"), step, .field("title")])
          let expected = Path([.field("module"), step, .field("title")])
          #expect(path.description.utf8.elementsEqual(expected.description.utf8))
        }
      }
    }
  }

  @Test func pathsOfTheSameStepsShareThem() {
    var paths = RecentPaths(capacity: 512)
    func address(_ path: Path) -> UnsafeRawPointer? { path.steps.withUnsafeBytes { $0.baseAddress } }
    let steps: [Path.Step] = [.field("catalog"), .key(.string("games")), .field("packages")]
    let first = paths.path(steps)
    _ = paths.path([.field("catalog")])
    #expect(address(paths.path(steps)) == address(first))
  }
}
