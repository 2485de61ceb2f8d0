import StoreCore
import StoreTesting
import Testing

/// Row 145 of StoreCore's `Coverage.md`: states without a schema are compared line by line.
@Suite struct LineDifferenceTests {
  struct Flat: Equatable, Sendable {
    var name = "Ann"
    var age: Int?
    var tags: Set<String> = ["b", "a", "c"]
    var scores = ["x": 1, "y": 2]
    var kind = Kind.plain
    var wait = Duration.seconds(2)
    var pair = (1).advanced(by: 1)
  }

  enum Kind: Equatable, Sendable {
    case plain
    case deep(by: Int, [Int])
  }

  /// Neither `Equatable` nor with a schema.
  struct Opaque: Sendable {
    let node: Node
  }

  final class Node: Sendable {
    let next: Node?
    let value: Int

    init(_ value: Int, _ next: Node? = nil) {
      self.value = value
      self.next = next
    }
  }

  /// Equal or not whatever it reads like.
  struct Blind: Equatable, Sendable, CustomReflectable {
    var hidden = 0
    var customMirror: Mirror { Mirror(self, children: ["shown": 1], displayStyle: .struct) }
  }

  private let collected = Collected()

  private func difference<State: Sendable>(_ initial: State, _ got: State, expected: State) throws -> [String] {
    let reducer = Reducer<String, State> { _, state in state = got }
    let store = try TestStore(
      StoreBlueprint(initial: initial, reducer: reducer, emission: .always), report: collected.note)
    store.send("go") { $0 = expected }
    return collected.texts()
  }

  @Test func twoLinesOfContextAroundEachChange() throws {
    var got = Flat()
    got.name = "Bob"
    got.wait = .seconds(3)
    #expect(
      try difference(Flat(), got, expected: Flat()) == [
        """
        the state after go is not as expected
            Flat(
          -   name: "Ann"
          +   name: "Bob"
              age: nil
              tags: Set[
          …
              ]
              kind: plain
          -   wait: 2.0 seconds
          +   wait: 3.0 seconds
              pair: 2
            )
        """
      ])
  }

  @Test func nestedValuesAreSpreadOverLinesSetsAndDictionariesSorted() throws {
    var expected = Flat()
    expected.kind = .deep(by: 2, [1])
    expected.scores = ["y": 2, "z": 3, "x": 1]
    var got = expected
    got.kind = .deep(by: 2, [1, 5])
    got.tags = ["c", "b"]
    got.age = 4
    #expect(
      try difference(Flat(), got, expected: expected) == [
        """
        the state after go is not as expected
            Flat(
              name: "Ann"
          -   age: nil
          +   age: 4
              tags: Set[
          -     "a"
                "b"
                "c"
          …
                [
                  1
          +       5
                ]
              )
          …
        """
      ])
  }

  @Test func aStateThatCannotBeComparedIsComparedByItsText() throws {
    #expect(
      try difference(Opaque(node: Node(1)), Opaque(node: Node(2, Node(3))), expected: Opaque(node: Node(2, Node(4))))
        == [
          """
          the state after go is not as expected
            …
                  next: Node(
                    next: nil
            -       value: 4
            +       value: 3
                  )
                  value: 2
            …
          """
        ])
    #expect(
      try difference(Opaque(node: Node(1)), Opaque(node: Node(2)), expected: Opaque(node: Node(2))) == [])
  }

  @Test func objectsThatHoldEachOther() throws {
    final class Ring: @unchecked Sendable {
      // Safe: nobody changes it once it is shared.
      var next: Ring?
      var value = 1
    }
    struct Held: Sendable {
      var ring = Ring()
    }
    let held = Held()
    held.ring.next = held.ring
    let other = Held()
    other.ring.next = other.ring
    other.ring.value = 2
    #expect(
      try difference(held, other, expected: held) == [
        """
        the state after go is not as expected
          …
              ring: Ring(
                next: Ring(…)
          -     value: 1
          +     value: 2
              )
            )
        """
      ])
  }

  @Test func statesThatDifferButReadTheSame() throws {
    #expect(
      try difference(Blind(), Blind(hidden: 1), expected: Blind()) == [
        """
        the state after go is not as expected
          the states differ by ==, though they read the same
        """
      ])
  }

  @Test func aComparisonOfOnesOwn() throws {
    let store = try TestStore(
      StoreBlueprint(initial: 1, reducer: Reducer<String, Int> { $1 = -$1 }),
      comparing: StateComparison { abs($0) == abs($1) ? [] : ["\($0) is not \($1)"] }, report: collected.note)
    store.send("negate")
    #expect(collected.texts() == [])
    store.send("negate") { $0 = 3 }
    #expect(collected.texts() == ["the state after negate is not as expected\n  3 is not 1"])
  }
}
