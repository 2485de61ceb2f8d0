import StoreSchema

/// The hashes of all slices of a store, kept up to date action by action.
public struct SliceHashes: Sendable {
  // Few, so that a look at each takes less than a hash of the name.
  private var modules: [String] = []
  private var hashes: [SliceHash] = []
  /// The names as members of an object.
  private var keys: [[UInt8]] = []
  private var paths = PathTexts()

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
    Self.eachModule(of: edit) { name, part in
      if part.lowerBound > 0 { out.append(UInt8(ascii: ",")) }
      let start = out.count
      for index in part {
        if index > part.lowerBound { out.append(UInt8(ascii: ",")) }
        EntryWriter.append(edit.change(index), of: edit, to: &out)
      }
      let place = place(of: name)
      out.withBytes(from: start) { hashes[place].add(elements: $0) }
    }
    out.append(UInt8(ascii: "]"))
    var hasHash = false
    Self.eachModule(of: edit) { name, _ in
      guard let place = modules.firstIndex(of: name) else { return }
      RecordedEntry.append(keys[place], hashes[place].value, isFirst: !hasHash, to: &out)
      hasHash = true
    }
    out.append(hasHash ? "}}" : "}" as StaticString)
  }

  /// Hands out the modules of an edit, in their order, each with the positions of its changes.
  private static func eachModule(of edit: PlainEdit, _ body: (String, Range<Int>) -> Void) {
    var start = 0
    while start < edit.count {
      edit.change(start).shape._withUnsafeGuaranteedRef { shape in
        var end = start + 1
        while end < edit.count, edit.change(end).shape._withUnsafeGuaranteedRef({ $0.sliceID }) == shape.sliceID {
          end += 1
        }
        body(shape.slice, start..<end)
        start = end
      }
    }
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
