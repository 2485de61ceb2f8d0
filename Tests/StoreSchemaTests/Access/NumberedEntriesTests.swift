import StoreCore
import StoreSchema
import Testing

@Suite("NumberedEntries")
struct NumberedEntriesTests {
  /// Texts of up to 18 bytes, of which Swift keeps those of up to 15 in place, with all that makes their order hard: zeros at
  /// the end, characters of several bytes, long common beginnings.
  private static func keys(_ random: inout SeededGenerator) -> Set<MapKey> {
    let pieces = ["a", "b", "\u{0}", "\u{7F}", "é", "😀", "abcdefg", "abcdefgh"]
    var keys: Set<MapKey> = [.string("")]
    while keys.count < 600 {
      var text = ""
      for _ in 0..<Int.random(in: 1...9, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
      while text.utf8.count > 18 { text.removeLast() }
      keys.insert(.string(text))
    }
    return keys
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func entriesAreFoundUnderTextsShortAndLong(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let all = Self.keys(&random).sorted()
    let present = all.indices.filter { _ in Bool.random(using: &random) }
    let entries = present.map { (all[$0], Value.int($0)) }
    guard case .map(let access) = Schema.dynamic(.map(key: .string, .dynamic(.any))).access.parts else {
      throw Missing()
    }
    let numbered = try #require(access.numbered)
    var value = Value.map(PersistentMap(entries))
    withUnsafeMutablePointer(to: &value) { memory in
      for index in all.indices {
        let found = numbered.find(memory, all[index])
        let own = numbered.findOwn(memory, all[index], -1)
        // A guess leads nowhere else, right or wrong.
        for guess in [own?.number ?? 0, Int.random(in: 0..<1 << 12, using: &random), .max] {
          let guessed = numbered.findOwn(memory, all[index], guess)
          #expect(guessed?.number == own?.number && guessed?.value.address == own?.value.address, "\(all[index])")
        }
        #expect(found?.number == own?.number && (found != nil) == present.contains(index), "\(all[index])")
        guard let found, let own else { continue }
        #expect(found.address.assumingMemoryBound(to: Value.self).pointee == .int(index))
        #expect(UnsafeRawPointer(numbered.mutableAddress(memory, own.number)) == found.address)
      }
    }
    #expect(value == .map(PersistentMap(entries)))
  }

  private struct Missing: Error {}
}
