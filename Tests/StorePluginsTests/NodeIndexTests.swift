import Testing

@testable import StorePlugins

/// How nodes are found again by what they are a part of.
@Suite struct NodeIndexTests {
  /// A walk over a list of records that hold lists makes nodes whose hashes are neighbours, and others that fall among
  /// them: no search may go through all of those.
  @Test func searchesAreShortWhateverIsWalked() {
    var index = NodeIndex()
    var hashes: [Int] = []
    var looks = 0
    for position in 0..<20_000 {
      for hash in [2 &* 8_191 &+ position, (2 * position + 3) &* 31 &+ 2] {
        let found = index.find(hash) { _ in
          looks += 1
          return false
        }
        #expect(found == nil)
        hashes.append(hash)
        index.insert(hashes.count - 1, hash, hashOf: { hashes[$0] }, isGone: { _ in false })
      }
    }
    #expect(looks < hashes.count)
    var again = 0
    for (number, hash) in hashes.enumerated() {
      let found = index.find(hash) {
        again += 1
        return $0 == number
      }
      #expect(found == number)
    }
    #expect(again < 2 * hashes.count)
  }
}
