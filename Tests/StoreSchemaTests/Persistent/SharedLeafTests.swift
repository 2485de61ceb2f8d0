import StoreCore
import StoreSchema
import Synchronization
import Testing

/// Lists and maps that share the memory of a leaf with what they were before elements were appended.
@Suite("Shared leaves")
struct SharedLeafTests {
  /// Counts those of it that are there.
  private final class Counted: Sendable {
    static let alive = Atomic<Int>(0)
    let number: Int

    init(_ number: Int) {
      self.number = number
      Self.alive.add(1, ordering: .relaxed)
    }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }
  }

  /// Random edits of many versions, each of which goes on from another one: none sees what others do.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func versionsDoNotSeeEachOther(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var versions: [(list: PersistentList<String>, array: [String])] = [([], [])]
    for step in 0..<600 {
      let index = Int.random(in: 0..<versions.count, using: &random)
      var (list, array) = versions[index]
      // Some are nobody else's.
      if Bool.random(using: &random) { versions.remove(at: index) }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let text = "a text that is not short, of step \(step)"
        let place = Int.random(in: 0...array.count, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0 where place < array.count:
          list[place] += "!"
          array[place] += "!"
        case 1 where place < array.count:
          #expect(list.remove(at: place) == array.remove(at: place))
        case 2:
          list.insert(text, at: place)
          array.insert(text, at: place)
        case 3 where !array.isEmpty:
          #expect(list.removeLast() == array.removeLast())
        default:
          list.append(text)
          array.append(text)
        }
      }
      versions.append((list, array))
      if versions.count > 12 { versions.removeFirst() }
      for version in versions { #expect(Array(version.list) == version.array) }
      let (old, new) = (versions[0], versions[versions.count - 1])
      let (prefix, suffix) = PersistentList.commonEnds(old.list, new.list) { $0.pointee == $1.pointee }
      #expect(Array(old.array.prefix(prefix)) == Array(new.array.prefix(prefix)))
      #expect(Array(old.array.suffix(suffix)) == Array(new.array.suffix(suffix)))
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func versionsOfMapsDoNotSeeEachOther(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var versions: [(map: PersistentMap<Int, String>, other: [Int: String])] = [([:], [:])]
    for step in 0..<600 {
      var (map, other) = versions[Int.random(in: 0..<versions.count, using: &random)]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // Most keys come behind the others.
        let key = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0...step, using: &random) : 1000 + step
        let value: String? = Int.random(in: 0..<6, using: &random) == 0 ? nil : "a value that is not short \(step)"
        (map[key], other[key]) = (value, value)
      }
      versions.append((map, other))
      if versions.count > 10 { versions.removeFirst() }
      for version in versions {
        #expect(version.map.map(\.key) == version.other.keys.sorted())
        #expect(version.map.allSatisfy { version.other[$0.key] == $0.value })
      }
    }
  }

  @Test func eachElementGoesOnce() {
    let before = Counted.alive.load(ordering: .relaxed)
    do {
      var list = PersistentList<Counted>()
      var past: [PersistentList<Counted>] = []
      for number in 0..<300 {
        past.append(list)
        list.append(Counted(number))
        // One that nobody keeps.
        if number % 7 == 0 {
          var other = past[past.count - 1]
          other.append(Counted(-number))
          #expect(other.last?.number == -number)
        }
        if number % 5 == 0 { past.removeAll() }
      }
      for (count, version) in past.enumerated() { #expect(version.count == 300 - past.count + count) }
      #expect(list.map(\.number) == Array(0..<300))
    }
    #expect(Counted.alive.load(ordering: .relaxed) == before)
  }

  /// A list that goes back to what it was appends again where it was.
  @Test func whatWentIsReplaced() {
    var list = PersistentList(["one", "two"])
    for number in 0..<100 {
      let past = list
      list.append("the text of number \(number)")
      list = past
      list.append("another text of number \(number)")
      #expect(list.count == number + 3)
    }
    #expect(list.dropFirst(2).elementsEqual((0..<100).map { "another text of number \($0)" }))
  }

  /// Several threads go on from one list at once.
  @Test func threadsShareOne() async {
    let start = PersistentList((0..<20).map { "the text of number \($0)" })
    let all = await withTaskGroup(of: [String].self) { group in
      for thread in 0..<8 {
        group.addTask {
          var last: [String] = []
          for round in 0..<200 {
            var list = start
            for number in 0..<20 { list.append("of \(thread), round \(round), the text of number \(number)") }
            list[3] = "changed by \(thread)"
            last = Array(list)
          }
          return last
        }
      }
      return await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    for list in all {
      #expect(list.count == 40)
      #expect(list[2] == "the text of number 2" && list[3].hasPrefix("changed by "))
      #expect(Set(list[20...].map { $0.prefix(5) }).count == 1)
    }
    #expect(Array(start)[3] == "the text of number 3")
  }
}
