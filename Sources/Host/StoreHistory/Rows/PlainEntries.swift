import StoreCore
import StoreSchema

/// Actions that were applied as they came, on their way to the file: the thread that dispatched them has written what their rows say, so that no
/// entry is made of them. All of them are in one transaction.
final class PlainEntries: @unchecked Sendable {
  // Safe: changed under the lock of the queue, until the writer has taken them; from then on they stay as they are.
  /// An action. What is of a length of its own stands in the lists behind, up to an end.
  struct Item {
    let number: Int
    /// The time of the store, in nanoseconds.
    let at: Int
    /// The time of day, in milliseconds since 1970; nil: it is not known.
    let wallTime: Int?
    /// Its name and its origin, by their positions.
    let (kind, origin): (Int, Int)
    let (line, link): (Int, Int)
    /// The columns of its row behind the link.
    let textEnd: Int
    /// The shapes of the places that it changed.
    let shapeEnd: Int
    /// The hashes of these places behind the first key.
    let hashEnd: Int
  }

  /// The name of actions of one type.
  struct Kind {
    let name: String
    fileprivate let layout: RecordLayout
  }

  /// The places of a shape, up to the first key on the way to them.
  struct Shape {
    fileprivate let id: Int
    let hashes: [UInt32]
    fileprivate let end: PlaceHash
  }

  @exclusivity(unchecked) private(set) var items: [Item] = []
  @exclusivity(unchecked) private(set) var kinds: [Kind] = []
  @exclusivity(unchecked) private(set) var origins: [ActionSource.Origin] = []
  @exclusivity(unchecked) private(set) var shapes: [Shape] = []
  /// Positions of shapes.
  @exclusivity(unchecked) private(set) var shapeReferences: [Int] = []
  @exclusivity(unchecked) private(set) var hashes: [UInt32] = []
  /// The names of the slices that were changed, each with the number of its shape.
  @exclusivity(unchecked) private(set) var modules: [(id: Int, name: String)] = []
  @exclusivity(unchecked) private var texts = TextBuffer()

  init() { items.reserveCapacity(EntryBlock.longest) }

  /// Adds an action behind the others.
  ///
  /// - Parameters:
  ///   - nanoseconds: its time.
  ///   - edit: what it changed.
  func append(
    _ number: Int, at nanoseconds: Int, _ wallTime: Int?, _ source: ActionSource, _ action: String,
    _ layout: RecordLayout, _ arguments: [Value], _ edit: PlainEdit
  ) {
    let kind = kind(action, layout)
    let origin = origins.firstIndex { $0 === source.origin } ?? self.origin(source.origin)
    if !arguments.isEmpty {
      texts.append(UInt8(ascii: ","))
      texts.append(json: Record(layout, arguments), marksDecimals: false)
    }
    if edit.count > 0 {
      texts.append(arguments.isEmpty ? ",null,[" : ",[" as StaticString)
      for index in 0..<edit.count {
        if index > 0 { texts.append(UInt8(ascii: ",")) }
        let change = edit.change(index)
        EntryWriter.append(change, of: edit, to: &texts)
        change.shape._withUnsafeGuaranteedRef { note($0, change, of: edit) }
      }
      texts.append(UInt8(ascii: "]"))
    }
    items.append(
      Item(
        number: number, at: nanoseconds, wallTime: wallTime, kind: kind, origin: origin, line: source.line,
        link: source.link, textEnd: texts.count, shapeEnd: shapeReferences.count, hashEnd: hashes.count))
  }

  /// Hands out the texts of all.
  func withTexts(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try texts.bytes.withUnsafeBufferPointer(body)
  }

  private func kind(_ action: String, _ layout: RecordLayout) -> Int {
    if let known = kinds.firstIndex(where: { $0.layout === layout && $0.name == action }) { return known }
    kinds.append(Kind(name: action, layout: layout))
    return kinds.count - 1
  }

  private func origin(_ origin: ActionSource.Origin) -> Int {
    if let known = origins.firstIndex(of: origin) { return known }
    origins.append(origin)
    return origins.count - 1
  }

  /// Takes note of a place that was changed.
  private func note(_ shape: PlaceShape, _ change: PlainEdit.Item, of edit: PlainEdit) {
    if !modules.contains(where: { $0.id == shape.sliceID }) { modules.append((shape.sliceID, shape.slice)) }
    let known = shapes.firstIndex { $0.id == shape.id } ?? add(shape)
    shapeReferences.append(known)
    if shape.keys == 0 { return }
    var (hash, next) = (shapes[known].end, shape.firstKey)
    edit.visitKeys(of: change) { step, key in
      while next < step {
        hash.add(shape.steps[next], notedIn: &hashes)
        next += 1
      }
      hash.add(PlainEdit.step(like: shape.steps[step], key), notedIn: &hashes)
      next = step + 1
    }
    while next < shape.steps.count {
      hash.add(shape.steps[next], notedIn: &hashes)
      next += 1
    }
    hashes.append(hash.end)
  }

  private func add(_ shape: PlaceShape) -> Int {
    var hash = PlaceHash()
    var all = [hash.beginning]
    for step in shape.steps[..<shape.firstKey] { hash.add(step, notedIn: &all) }
    if shape.keys == 0 { all.append(hash.end) }
    shapes.append(Shape(id: shape.id, hashes: all, end: hash))
    return shapes.count - 1
  }
}
