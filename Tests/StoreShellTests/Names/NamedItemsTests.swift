import StoreCore
import TerminalSupport
import Testing

@testable import StoreShell

/// The names that a session gives.
@Suite struct NamedItemsTests {
  /// Items are found and keep their order, whatever was added, given anew and removed.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func itemsAreInTheOrderInWhichTheyWereGiven(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var items = NamedItems<Int>()
    var expected: [(name: String, item: Int)] = []
    for step in 0..<2000 {
      let name = "n\(random.number(0...60))"
      if random.number(0...2) > 0 {
        items.append(step, named: name)
        expected.removeAll { $0.name == name }
        expected.append((name, step))
      } else {
        items.remove(name)
        expected.removeAll { $0.name == name }
      }
      #expect(items[name] == expected.first { $0.name == name }?.item)
      #expect(items.slots <= 2 * items.count + 16)
    }
    #expect(items.names == expected.map(\.name))
    #expect(Array(items) == expected.map(\.item))
    #expect(items.count == expected.count)
  }
}
