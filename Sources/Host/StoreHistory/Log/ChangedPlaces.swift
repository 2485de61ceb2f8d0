import Glibc
import StoreSchema

/// The places that a run of entries changed, as hashes of paths. They tell, without a look at an entry, which runs cannot
/// have changed anything along a path.
struct ChangedPlaces: Sendable {
  /// The hashes, each in the first free place from the one that its highest bits name on; 0: free. At least half is free. So they
  /// stand nearly in order.
  private var table: [UInt32] = []
  /// By how many bits a hash is moved to get its place.
  private var shift = 32
  private var count = 0
  /// The paths that were noted last.
  private var recent: [Recent] = []
  /// The place of the next among them.
  private var next = 0

  /// A path that was noted.
  private struct Recent {
    /// Changes at one place share them, which their address tells.
    let steps: [Path.Step]
    /// The hash of what leads to the last of them.
    let around: PlaceHash
  }

  /// Notes the places that an entry changed.
  mutating func note(_ changes: [Change]) {
    // By position: a copy of a change would count references to all that is in it.
    for index in changes.indices { note(changes[index].path.steps) }
  }

  private mutating func note(_ steps: [Path.Step]) {
    let address = steps.withUnsafeBufferPointer { $0.baseAddress }
    for index in recent.indices
    where recent[index].steps.withUnsafeBufferPointer({ $0.baseAddress }) == address { return }
    // What leads to the elements of a list is noted with the first of them.
    let like = recent.indices.first { Self.differInLast(recent[$0].steps, steps) }
    var (hash, first) = (PlaceHash(), 0)
    if let like { (hash, first) = (recent[like].around, steps.count - 1) } else { insert(hash.beginning) }
    var around = hash
    for index in first..<steps.count {
      around = hash
      if case .index = steps[index] { insert(hash.ofElements) }
      hash.add(steps[index])
      insert(hash.beginning)
    }
    insert(hash.end)
    let noted = Recent(steps: steps, around: around)
    if let like {
      recent[like] = noted
    } else if recent.count < 4 {
      recent.append(noted)
    } else {
      recent[next] = noted
      next = (next + 1) % recent.count
    }
  }

  /// Notes a place by one of its hashes.
  mutating func note(_ hash: UInt32) { insert(hash) }

  /// True if a look at their bytes shows that two paths are the same up to their last steps.
  private static func differInLast(_ left: [Path.Step], _ right: [Path.Step]) -> Bool {
    let steps = left.count
    guard steps == right.count, steps > 0 else { return false }
    let (size, stride) = (MemoryLayout<Path.Step>.size, MemoryLayout<Path.Step>.stride)
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return false }
        return (0..<(steps - 1)).allSatisfy { memcmp(left + $0 * stride, right + $0 * stride, size) == 0 }
      }
    }
  }

  /// True if an entry may have changed something along a path, as ``Path/lies(along:)`` has it.
  func mayMeet(_ place: Hashes) -> Bool { place.areAmong { contains($0) } }

  /// The hashes in ascending order, four bytes each, the lowest first.
  var encoded: [UInt8] {
    // All empty arrays share one object, whose size would be written.
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count * 4) { bytes, size in
      bytes.withMemoryRebound(to: UInt32.self) { hashes in
        var (filled, moves) = (0, 0)
        for hash in table where hash != 0 {
          var place = filled
          while place > 0, moves < 8 * count, hashes[place - 1] > hash {
            hashes[place] = hashes[place - 1]
            (place, moves) = (place - 1, moves + 1)
          }
          hashes[place] = hash
          filled += 1
        }
        // So many are far from their places that it is no longer linear.
        var all = UnsafeMutableBufferPointer(rebasing: hashes[..<filled])
        if moves >= 8 * count { all.sort() }
        for index in 0..<filled { hashes[index] = hashes[index].littleEndian }
      }
      size = count * 4
    }
  }

  /// Forgets all places. Memory is kept for as many again, unless they were very many.
  mutating func removeAll() {
    guard table.count <= 1 << 12 else { return self = ChangedPlaces() }
    for index in table.indices { table[index] = 0 }
    (count, next) = (0, 0)
    recent.removeAll(keepingCapacity: true)
  }

  /// True if the same holds of hashes that were encoded.
  static func mayMeet(_ place: Hashes, encoded: UnsafeRawBufferPointer) -> Bool {
    place.areAmong { hash in
      var (low, high) = (0, encoded.count / 4)
      while low < high {
        let middle = (low + high) / 2
        let found = UInt32(littleEndian: encoded.loadUnaligned(fromByteOffset: middle * 4, as: UInt32.self))
        if found == hash { return true }
        if found < hash { low = middle + 1 } else { high = middle }
      }
      return false
    }
  }

  /// The hashes by which a path is looked for.
  struct Hashes {
    /// Tells changes at the path and within.
    fileprivate let within: UInt32
    /// Tells changes of a whole around the path, the outermost first, and of elements by index where the path names one: another
    /// may have the id, or have moved it.
    fileprivate let around: [UInt32]

    /// The hashes of a path up to a step that stands for many.
    init(_ path: Path) {
      var hash = PlaceHash()
      var around: [UInt32] = []
      for step in path.steps.prefix(while: { $0 != .all }) {
        around.append(hash.end)
        switch step {
        case .match, .index: around.append(hash.ofElements)
        default: break
        }
        hash.add(step)
      }
      (within, self.around) = (hash.beginning, around)
    }

    fileprivate func areAmong(_ contains: (UInt32) -> Bool) -> Bool {
      contains(within) || around.contains(where: contains)
    }
  }

  private func contains(_ hash: UInt32) -> Bool {
    guard !table.isEmpty else { return false }
    return table[place(of: hash)] == hash
  }

  private mutating func insert(_ hash: UInt32) {
    if table.isEmpty { (table, shift) = (Array(repeating: 0, count: 16), 28) }
    let place = place(of: hash)
    guard table[place] == 0 else { return }
    table[place] = hash
    count += 1
    if count * 2 > table.count { grow() }
  }

  private mutating func grow() {
    let old = table
    table = Array(repeating: 0, count: old.count * 2)
    shift -= 1
    for hash in old where hash != 0 { table[place(of: hash)] = hash }
  }

  /// The place of a hash, or the one where it would go.
  private func place(of hash: UInt32) -> Int {
    let mask = table.count - 1
    var place = Int(hash &>> UInt32(shift))
    while table[place] != 0, table[place] != hash { place = (place + 1) & mask }
    return place
  }
}

/// The hash of a path, step by step. Steps that meet have the same, so that a place is found by whatever names it.
struct PlaceHash {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash of the path as the beginning of others; not 0.
  var beginning: UInt32 { UInt32(truncatingIfNeeded: value >> 32) | 1 }

  /// The hash of the path as a whole; not 0.
  var end: UInt32 { UInt32(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> 32) | 1 }

  /// The hash of the elements of the list there that are named by index; not 0.
  var ofElements: UInt32 {
    var hash = self
    hash.add(.all)
    return hash.beginning
  }

  /// Goes a step further, and appends the hashes that note that.
  mutating func add(_ step: Path.Step, notedIn all: inout [UInt32]) {
    if case .index = step { all.append(ofElements) }
    add(step)
    all.append(beginning)
  }

  mutating func add(_ step: Path.Step) {
    switch step {
    case .field(let name), .key(.string(let name)): add(1, name)
    case .index(let number), .key(.int(let number)): add(2, UInt64(bitPattern: Int64(number)))
    case .match(let field, .int(let number)):
      add(field: field)
      add(id: number)
    case .match(let field, .string(let text)):
      add(field: field)
      add(5, text)
    case .match(let field, _): add(field: field)
    case .all: add(6, 0)
    }
  }

  /// The first part of a step to an element by its id: the name of the id's field.
  mutating func add(field: String) { add(3, field) }

  /// The second, where the id is a number.
  mutating func add(id number: Int) { add(4, UInt64(bitPattern: Int64(number))) }

  private mutating func add(_ kind: UInt64, _ number: UInt64) {
    value = (value ^ kind ^ number) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 29
  }

  /// Texts that are written in different bytes may be equal, unless they are ASCII.
  private mutating func add(_ kind: UInt64, _ text: String) {
    var text = text
    let hash = text.withUTF8 { bytes in
      var hash: UInt64 = 0
      for byte in bytes {
        guard byte < 0x80 else { return UInt64(0) }
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      return hash
    }
    add(kind, hash)
  }
}
