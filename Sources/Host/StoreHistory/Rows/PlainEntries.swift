import StoreCore
import StoreSchema

/// Actions that were applied as they came, on their way to the file: the thread that dispatched them has written what their rows say, so that no
/// entry is made of them. All of them are in one transaction.
final class PlainEntries: @unchecked Sendable {
  // Safe: changed under the lock of the queue, until the writer has taken them; from then on they stay as they are.
  /// An action. Its text stands with those of the others, up to an end.
  struct Item {
    let number: Int
    /// The time of the store, in nanoseconds.
    let at: Int
    /// The time of day, in milliseconds since 1970; nil: it is not known.
    let wallTime: Int?
    /// Its name and its origin, by their positions.
    let (kind, origin): (Int, Int)
    let (line, link): (Int, Int)
    /// The columns of its row behind the link, and the end of the row.
    let textEnd: Int
  }

  /// The name of actions of one type.
  struct Kind {
    let name: String
    /// The type, which stays as long as this.
    fileprivate let type: AnyObject
  }

  /// The places of a shape.
  private struct Shape {
    let id: Int
    /// The hash of what leads to the first key.
    let beginning: PlaceHash
    /// The same behind the field by whose value the first key names an element; nil: it is another key.
    let named: PlaceHash?
  }

  /// With so many actions or bytes these are full, and the next action begins others. So nothing here is moved to make room.
  private static var most: Int { 128 }
  private static var heaviest: Int { 1 << 14 }

  private let items = UnsafeMutablePointer<Item>.allocate(capacity: most)
  /// The number of actions.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private(set) var kinds: [Kind] = []
  @exclusivity(unchecked) private(set) var origins: [ActionSource.Origin] = []
  // The addresses of types and origins: a look through the lists themselves would count references.
  @exclusivity(unchecked) private var typeIDs: [ObjectIdentifier] = []
  @exclusivity(unchecked) private var originIDs: [ObjectIdentifier] = []
  /// True if a statement asked for more than one of them.
  @exclusivity(unchecked) private(set) var haveStatements = false
  @exclusivity(unchecked) private var shapes: [Shape] = []
  /// The hashes of the places that they changed.
  @exclusivity(unchecked) private(set) var hashes: [UInt32] = []
  /// The names of the slices that were changed.
  @exclusivity(unchecked) private(set) var modules: [String] = []
  @exclusivity(unchecked) private var texts = TextBuffer(capacity: heaviest + heaviest / 4)

  init() { hashes.reserveCapacity(4 * Self.most) }

  deinit { items.deallocate() }

  /// True if the next action goes elsewhere.
  var isFull: Bool { count >= Self.most || texts.count >= Self.heaviest }

  /// The number of the first action; nil: there is none.
  var first: Int? { count > 0 ? items[0].number : nil }

  /// The number of the last action; nil: there is none.
  var last: Int? { count > 0 ? items[count - 1].number : nil }

  /// Hands out all of them.
  func withItems<Result>(_ body: (UnsafeBufferPointer<Item>) throws -> Result) rethrows -> Result {
    try body(UnsafeBufferPointer(start: items, count: count))
  }

  /// Adds an action behind the others.
  ///
  /// - Parameters:
  ///   - nanoseconds: its time.
  ///   - type: tells actions of its name from others.
  ///   - edit: what it changed.
  func append(
    _ number: Int, at nanoseconds: Int, _ wallTime: Int?, _ source: borrowing ActionSource, _ type: AnyObject,
    _ action: String, _ layout: RecordLayout, _ arguments: [Value], _ edit: PlainEdit
  ) {
    precondition(count < Self.most)
    let kind = typeIDs.firstIndex(of: ObjectIdentifier(type)) ?? add(action, type)
    let origin = originIDs.firstIndex(of: ObjectIdentifier(source.origin)) ?? add(source.origin)
    if !arguments.isEmpty {
      texts.append(UInt8(ascii: ","))
      texts.append(json: layout, arguments)
    }
    if edit.count > 0 {
      texts.append(arguments.isEmpty ? ",null,[" : ",[" as StaticString)
      for index in 0..<edit.count {
        if index > 0 { texts.append(UInt8(ascii: ",")) }
        let change = edit.change(index)
        edit.write(change, to: &texts)
        change.shape._withUnsafeGuaranteedRef { note($0, change, of: edit) }
      }
      texts.append("]]" as StaticString)
    } else {
      texts.append(UInt8(ascii: "]"))
    }
    (items + count).initialize(
      to: Item(
        number: number, at: nanoseconds, wallTime: wallTime, kind: kind, origin: origin, line: source.line,
        link: source.link, textEnd: texts.count))
    if source.link < 0 { haveStatements = true }
    count += 1
  }

  /// Hands out the texts of all.
  func withTexts(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows { try texts.withBytes(body) }

  @inline(never)
  private func add(_ action: String, _ type: AnyObject) -> Int {
    kinds.append(Kind(name: action, type: type))
    typeIDs.append(ObjectIdentifier(type))
    return kinds.count - 1
  }

  @inline(never)
  private func add(_ origin: ActionSource.Origin) -> Int {
    origins.append(origin)
    originIDs.append(ObjectIdentifier(origin))
    return origins.count - 1
  }

  /// Takes note of a place that was changed.
  @inline(__always)
  private func note(_ shape: PlaceShape, _ change: PlainEdit.Item, of edit: PlainEdit) {
    let known = shapes.firstIndex { $0.id == shape.id } ?? add(shape)
    if shape.keys != 0 { noteKeys(of: change, edit, shape, known) }
  }

  @inline(never)
  private func noteKeys(of change: PlainEdit.Item, _ edit: PlainEdit, _ shape: PlaceShape, _ known: Int) {
    var (hash, next) = (shapes[known].beginning, shape.firstKey)
    if let named = shapes[known].named, let number = edit.onlyNumber(of: change) {
      hash = named
      hash.add(id: number)
      hashes.append(hash.beginning)
      next += 1
    } else {
      edit.visitKeys(of: change) { step, key in
        while next < step {
          hash.add(shape.steps[next], notedIn: &hashes)
          next += 1
        }
        hash.add(PlainEdit.step(like: shape.steps[step], key), notedIn: &hashes)
        next = step + 1
      }
    }
    while next < shape.steps.count {
      hash.add(shape.steps[next], notedIn: &hashes)
      next += 1
    }
    hashes.append(hash.end)
  }

  @inline(never)
  private func add(_ shape: PlaceShape) -> Int {
    if !modules.contains(shape.slice) { modules.append(shape.slice) }
    var hash = PlaceHash()
    hashes.append(hash.beginning)
    for step in shape.steps[..<shape.firstKey] { hash.add(step, notedIn: &hashes) }
    var named: PlaceHash?
    if shape.keys == 0 {
      hashes.append(hash.end)
    } else if case .match(let field, _) = shape.steps[shape.firstKey] {
      named = hash
      named?.add(field: field)
    }
    shapes.append(Shape(id: shape.id, beginning: hash, named: named))
    return shapes.count - 1
  }
}
