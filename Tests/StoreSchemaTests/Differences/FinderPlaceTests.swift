import Testing

@testable import StoreSchema

struct FinderPlaceTests {
  private func path(_ place: inout FinderPlace, _ step: Path.Step) -> Path {
    let slice = place.enter(slice: "module")
    let outer =
      if case .field(let name) = step { place.enter(field: 0, name) } else { place.enter(step, hash: step.hashValue) }
    let title = place.enter(field: 1, "title")
    defer { for spot in [title, outer, slice] { place.leave(to: spot) } }
    return place.path
  }

  /// Far more paths than there are places for, each in two spellings that `==` takes for one.
  @Test(arguments: [true, false]) func aPathIsSpelledAsItsStepsWhateverCameBefore(isKept: Bool) {
    var place = FinderPlace(isKept: isKept)
    for number in 0..<4000 {
      for spelling in ["\u{e9}", "e\u{301}"] {
        let name = "\(spelling)\(number)"
        for step in [Path.Step.field(name), .match(field: "id", .string(name)), .key(.string(name))] {
          let expected = Path([.field("module"), step, .field("title")])
          #expect(path(&place, step).description.utf8.elementsEqual(expected.description.utf8))
        }
      }
    }
    #expect(place.steps.isEmpty)
  }

  @Test func pathsOfTheSameStepsShareThem() {
    var place = FinderPlace(isKept: true)
    func address(_ path: Path) -> UnsafeRawPointer? { path.steps.withUnsafeBytes { $0.baseAddress } }
    for step in [Path.Step.key(.string("games")), .field("games"), .match(field: "id", .int(7))] {
      // By its hash, which differs from run to run, another step may take the place of this one: not each of eight does.
      let isShared = (1...8).contains { position in
        let first = path(&place, step)
        _ = path(&place, .index(position))
        return address(path(&place, step)) == address(first)
      }
      #expect(isShared)
    }
  }

  /// Slices with one name and other fields, as that of a plugin that was reloaded with another type.
  @Test func anotherFieldAtThePositionHasItsOwnPath() {
    var place = FinderPlace(isKept: true)
    #expect(path(&place, .field("old")).description == "module.old.title")
    #expect(path(&place, .field("new")).description == "module.new.title")
    #expect(path(&place, .field("old")).description == "module.old.title")
  }
}
