import StoreSchema

/// The hashes of all slices of a store, kept up to date action by action.
public struct SliceHashes: Sendable {
  // Few, so that a look at each takes less than a hash of the name.
  private var modules: [String] = []
  private var hashes: [SliceHash] = []
  /// The names as members of an object.
  private var keys: [[UInt8]] = []
  private var paths = PathTexts()
  /// The numbers of the latest slices in shapes of places, and where these slices stand here.
  private var shapes: [(slice: Int, place: Int)] = []

  /// Stands for the hash of a slice that an action took away.
  public static var gone: UInt64 { 0 }

  /// No slices yet.
  public init() {}

  /// Starts the hash of a slice that is there at the start, or that an action brought or replaced as a whole.
  public mutating func start(_ module: String, _ slice: Value) { set(module, SliceHash(of: slice)) }

  /// Takes the hash of a slice over from others.
  public mutating func take(_ module: String, from others: SliceHashes) {
    if let index = others.modules.firstIndex(of: module) { set(module, others.hashes[index]) } else { remove(module) }
  }

  /// Forgets a slice that went away.
  public mutating func remove(_ module: String) {
    guard let index = modules.firstIndex(of: module) else { return }
    modules.remove(at: index)
    hashes.remove(at: index)
    keys.remove(at: index)
    shapes.removeAll()
  }

  private mutating func set(_ module: String, _ hash: SliceHash) { hashes[place(of: module)] = hash }

  private mutating func place(of module: String) -> Int {
    if let index = modules.firstIndex(of: module) { return index }
    modules.append(module)
    hashes.append(SliceHash(of: .none))
    keys.append(RecordedEntry.key(of: module))
    return hashes.count - 1
  }

  /// Takes in what one action changed.
  ///
  /// - Parameter changes: in the order of the modules, as they are recorded.
  /// - Returns: the modules that were changed, in that order, each with its new hash.
  public mutating func add(_ changes: [Change]) -> [(module: String, hash: UInt64)] {
    var written: [UInt8] = []
    append(changes, to: &written)
    return changed(by: changes)
  }

  /// Takes in what one action changed, and appends it with the new hashes as the end of the action's line.
  package mutating func add(_ changes: [Change], appendingTo out: inout [UInt8]) { appendEnd(changes, to: &out) }

  /// Takes in what one action changed, and appends it with the new hashes as the end of the action's line.
  package mutating func add(_ changes: [Change], appendingTo out: inout TextBuffer) { appendEnd(changes, to: &out) }

  /// The same of an edit.
  package mutating func add(_ edit: PlainEdit, appendingTo out: inout TextBuffer) {
    out.append(",\"changes\":[" as StaticString)
    var first = 0
    while first < edit.count {
      if first > 0 { out.append(UInt8(ascii: ",")) }
      let start = out.count
      let place = self.place(of: edit.change(first).shape)
      let end = Self.endOfSlice(of: edit, from: first)
      for index in first..<end {
        if index > first { out.append(UInt8(ascii: ",")) }
        edit.write(edit.change(index), to: &out)
      }
      out.withBytes(from: start) { hashes[place].add(elements: $0) }
      first = end
    }
    out.append(UInt8(ascii: "]"))
    first = 0
    while first < edit.count {
      let place = self.place(of: edit.change(first).shape)
      RecordedEntry.append(keys[place], hashes[place].value, isFirst: first == 0, to: &out)
      first = Self.endOfSlice(of: edit, from: first)
    }
    out.append(edit.count > 0 ? "}}" : "}" as StaticString)
  }

  /// The end of the changes of an edit that are of the slice of one.
  private static func endOfSlice(of edit: PlainEdit, from first: Int) -> Int {
    let slice = edit.change(first).shape._withUnsafeGuaranteedRef { $0.sliceID }
    var end = first + 1
    while end < edit.count, edit.change(end).shape._withUnsafeGuaranteedRef({ $0.sliceID }) == slice { end += 1 }
    return end
  }

  private mutating func place(of shape: Unmanaged<PlaceShape>) -> Int {
    let slice = shape._withUnsafeGuaranteedRef { $0.sliceID }
    for index in shapes.indices where shapes[index].slice == slice { return shapes[index].place }
    let place = shape._withUnsafeGuaranteedRef { self.place(of: $0.slice) }
    // Few, so that a look at each takes less than a hash; a plugin that is loaded again has others.
    if shapes.count == 16 { shapes.removeAll() }
    shapes.append((slice, place))
    return place
  }

  private mutating func appendEnd(_ changes: [Change], to out: inout some JSONSink & ~Copyable) {
    out.append(",\"changes\":" as StaticString)
    append(changes, to: &out)
    var hasHash = false
    Self.eachModule(of: changes) { name, _ in
      guard let place = modules.firstIndex(of: name) else { return }
      RecordedEntry.append(keys[place], hashes[place].value, isFirst: !hasHash, to: &out)
      hasHash = true
    }
    out.append(hasHash ? "}}" : "}" as StaticString)
  }

  /// The hashes of the slices that an action changed, which was taken in last.
  package func changed(by changes: [Change]) -> [(module: String, hash: UInt64)] {
    var result: [(module: String, hash: UInt64)] = []
    Self.eachModule(of: changes) { name, _ in
      if let hash = self[name] { result.append((name, hash)) }
    }
    return result
  }

  /// Hands out the modules of changes, in their order, each with the positions of its changes.
  private static func eachModule(of changes: [Change], _ body: (String, Range<Int>) -> Void) {
    var start = 0
    while start < changes.count, let name = changes[start].module {
      var end = start + 1
      while end < changes.count, changes[end].module == name { end += 1 }
      body(name, start..<end)
      start = end
    }
  }

  /// Takes in changes, and appends them as an array.
  private mutating func append(_ changes: [Change], to out: inout some JSONSink & ~Copyable) {
    out.append(UInt8(ascii: "["))
    Self.eachModule(of: changes) { name, part in
      if part.lowerBound > 0 { out.append(UInt8(ascii: ",")) }
      let start = out.count
      EntryWriter.appendElements(changes[part], to: &out) { paths.append(pathOf: $0, to: &$1) }
      let place = place(of: name)
      out.withBytes(from: start) { hashes[place].add(elements: $0) }
    }
    out.append(UInt8(ascii: "]"))
  }

  /// The hash of a slice; nil where there is none of that name.
  public subscript(module: String) -> UInt64? { modules.firstIndex(of: module).map { hashes[$0].value } }
}

extension Change {
  /// The module whose slice changed.
  public var module: String? {
    if case .field(let name) = path.steps.first { return name }
    return nil
  }
}
