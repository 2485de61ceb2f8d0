import LuaRuntime
import StoreSchema

/// What a reducer changed in a slice that was written in place: enough to tell the slice as it was.
public enum SliceEdit: Sendable {
  /// The difference, as a comparison of both slices would give it.
  case changes([Change])
  /// The same, where integers and truths alone were written.
  case scalars(PlainEdit)
  /// The slice as it was.
  case former(Value)
}

/// Finds what a call wrote to its draft by a look at the places that it wrote to. What it would have to think about for longer, as where
/// elements moved or what was changed was then replaced, is left to a comparison with the draft as it was.
final class WrittenPlaces {
  /// The writes, in the order in which they were made.
  @exclusivity(unchecked) private var writes = PlainStack<Write>()
  /// What is known of each node of the draft.
  @exclusivity(unchecked) private var touched = PlainStack<Touched>()
  /// The places under the nodes on the way, in the order of the schema.
  @exclusivity(unchecked) private var items = PlainStack<Item>()
  @exclusivity(unchecked) private var finder = DifferenceFinder()
  /// The scalars that were written, each place once, in the order of the schema.
  @exclusivity(unchecked) private var scalars = PlainStack<Scalar>()
  /// The edit that was handed out last: it serves again once nobody has it.
  @exclusivity(unchecked) private var edit: PlainEdit?

  private static var none: Int { .max }
  /// A call that does more is cheaper to compare.
  private static var most: Int { PlainEdit.most }

  // All of it plain words, which are copied without counting: keys and former values stay where they were noted.

  private struct Touched {
    /// The number of the first write to it or to what is below; ``none``: there is none.
    var first = WrittenPlaces.none
    /// The first of the writes to itself, the last, and the next node of those with the same parent below which something was
    /// written; -1: there is none.
    var (write, last, next) = (-1, -1, -1)
    /// The first and the last of those with this parent.
    var (child, youngest) = (-1, -1)
  }

  private struct Write {
    let node: Int
    /// The next write to the same node; -1: there is none.
    var next = -1
    let place: Place
    /// True if nothing stood there: an entry or an element came.
    let isNew: Bool
    /// The position of its undo; of a write through a window that one's, inverted.
    let note: Int
  }

  /// A part of a record, a list or a map.
  private enum Place {
    case position(Int)
    /// The key of a node, or of an undo, by the position of that.
    case key(Int)
    case noted(Int)
  }

  /// A place that was written to, or below which something was.
  private struct Item {
    let place: Place
    /// The first write to it; ``none``: none.
    var write: Int
    /// The node that stands for it, and the first write to its parts.
    var node: Int
    var below: Int
  }

  /// A write through a window: the first to its place.
  private struct Scalar {
    let node: Int
    let slot: Int
    let write: Int
  }

  /// The difference; nil: it takes a comparison.
  func changes(of objects: SliceObjects, _ root: Int, named name: String) -> [Change]? {
    defer {
      writes.removeAll()
      touched.removeAll()
      items.removeAll()
    }
    let count = objects.undos.count + objects.windows.writeCount
    guard count <= Self.most, objects.nodes.count - root <= Self.most, let draft = objects.draft,
      collect(objects, root)
    else { return nil }
    if count > 1 { finder.reserve(count) }
    let outer = finder.enter(slice: name)
    let isFound = visit(root, UnsafeRawPointer(draft), objects, root)
    finder.leave(to: outer)
    let changes = finder.takeChanges()
    return isFound ? changes : nil
  }

  /// Takes note of the writes.
  ///
  /// - Returns: false: one is of a kind that takes a comparison.
  private func collect(_ objects: SliceObjects, _ root: Int) -> Bool {
    for _ in root..<objects.nodes.count { touched.append(Touched()) }
    var written = 0
    for position in 0...objects.undos.count {
      let isLast = position == objects.undos.count
      let end = isLast ? objects.windows.writeCount : objects.undos[position].windowWrites
      while written < end {
        let (node, slot) = objects.windows.place(ofWrite: written)
        let write = Write(node: node, place: .position(slot), isNew: false, note: ~written)
        guard add(write, objects, root) else { return false }
        written += 1
      }
      if isLast { break }
      let (place, isNew): (Place, Bool)
      switch objects.undos[position].change {
      case .assigned(.field(let index), _), .assigned(.element(let index), _):
        (place, isNew) = (.position(index), false)
      case .entry(_, nil): (place, isNew) = (.noted(position), true)
      case .entry: (place, isNew) = (.noted(position), false)
      case .inserted(let index): (place, isNew) = (.position(index), true)
      case .assigned, .restored, .removed: return false
      }
      let write = Write(node: objects.undos[position].node, place: place, isNew: isNew, note: position)
      guard add(write, objects, root) else { return false }
    }
    return true
  }

  /// - Returns: false: it is a write to no node of the draft.
  private func add(_ write: Write, _ objects: SliceObjects, _ root: Int) -> Bool {
    guard write.node >= root else { return false }
    let (number, place) = (writes.count, write.node - root)
    writes.append(write)
    if touched[place].last >= 0 { writes[touched[place].last].next = number } else { touched[place].write = number }
    touched[place].last = number
    var node = write.node
    while touched[node - root].first == Self.none {
      touched[node - root].first = number
      let parent = objects.nodes[node].parent
      guard parent >= root else { break }
      let youngest = touched[parent - root].youngest
      if youngest >= 0 { touched[youngest - root].next = node } else { touched[parent - root].child = node }
      touched[parent - root].youngest = node
      node = parent
    }
    return true
  }

  // MARK: Scalars

  /// The difference of a call that wrote integers and truths alone, and through windows; it has no changes where they are what they
  /// were. Nil: the call did something else.
  func scalarEdit(of objects: SliceObjects, _ root: Int, named name: String) -> PlainEdit? {
    guard objects.undos.isEmpty, objects.windows.writeCount <= Self.most, let draft = objects.draft else { return nil }
    defer { scalars.removeAll() }
    for write in 0..<objects.windows.writeCount {
      let (node, slot) = objects.windows.place(ofWrite: write)
      guard node >= root, put(Scalar(node: node, slot: slot, write: write), objects, root) else { return nil }
    }
    let edit = emptyEdit(of: name)
    return Unmanaged.passUnretained(edit)._withUnsafeGuaranteedRef { edit in
      fill(edit, UnsafeRawPointer(draft), objects, root) ? edit : nil
    }
  }

  /// Puts a scalar down in its place, once.
  ///
  /// - Returns: false: the order of the places takes a comparison.
  @inline(__always)
  private func put(_ scalar: Scalar, _ objects: SliceObjects, _ root: Int) -> Bool {
    var index = scalars.count
    while index > 0 {
      let other = scalars[index - 1]
      if other.node == scalar.node {
        if other.slot == scalar.slot { return true }
        if other.slot < scalar.slot { break }
      } else {
        guard let isBehind = isBehind(scalar, other, objects, root) else { return false }
        if isBehind { break }
      }
      index -= 1
    }
    scalars.append(scalar)
    var last = scalars.count - 1
    if index == last { return true }
    while last > index {
      scalars[last] = scalars[last - 1]
      last -= 1
    }
    scalars[index] = scalar
    return true
  }

  /// True if a place of one node stands behind one of another; nil: that is not seen by fields and keys.
  private func isBehind(_ scalar: Scalar, _ other: Scalar, _ objects: SliceObjects, _ root: Int) -> Bool? {
    var (left, right) = (scalar.node, other.node)
    let leftTop = left == root ? scalar.slot : objects.nodes[left].top
    let rightTop = right == root ? other.slot : objects.nodes[right].top
    if leftTop != rightTop, leftTop >= 0, rightTop >= 0 { return leftTop > rightTop }
    var (leftStep, rightStep) = (SliceNode.Step.field(scalar.slot), SliceNode.Step.field(other.slot))
    var (leftDepth, rightDepth) = (objects.nodes[left].depth, objects.nodes[right].depth)
    while left != right {
      let isLeft = leftDepth >= rightDepth
      if rightDepth >= leftDepth {
        rightStep = objects.nodes[right].step
        right = objects.nodes[right].parent
        rightDepth -= 1
      }
      if isLeft {
        leftStep = objects.nodes[left].step
        left = objects.nodes[left].parent
        leftDepth -= 1
      }
    }
    switch (leftStep, rightStep) {
    case (.field(let left), .field(let right)): return left == right ? nil : left > right
    case (.entry(let left), .entry(let right)):
      if objects.keys[right] < objects.keys[left] { return true }
      return objects.keys[left] < objects.keys[right] ? false : nil
    default: return nil
    }
  }

  /// An edit without changes that nobody else has.
  private func emptyEdit(of name: String) -> PlainEdit {
    if isKnownUniquelyReferenced(&edit), let edit, edit.isOf(slice: name) {
      edit.removeAll()
      return edit
    }
    let root = edit.flatMap { $0.isOf(slice: name) ? $0.root : nil }
    let new = PlainEdit(root ?? PlaceShape(slice: name))
    edit = new
    return new
  }

  /// Puts down what became of the scalars.
  ///
  /// - Returns: false: it takes a comparison.
  private func fill(_ edit: PlainEdit, _ draft: UnsafeRawPointer, _ objects: SliceObjects, _ root: Int) -> Bool {
    var (node, keys) = (-1, 0)
    var record: (shape: Unmanaged<PlaceShape>, fields: UnsafeRawPointer)?
    for index in 0..<scalars.count {
      let scalar = scalars[index]
      if scalar.node != node {
        (node, keys) = (scalar.node, edit.nextKeys)
        guard let place = place(of: node, edit, draft, objects, root),
          case .record = place.value.assumingMemoryBound(to: Value.self).pointee
        else { return false }
        record = (place.shape, RecordAccess.fields(place.value))
      }
      guard let record else { return false }
      let (part, names) = objects.nodes[node].shape._withUnsafeGuaranteedRef {
        ($0.part(scalar.slot), $0.names.baseAddress)
      }
      let new = (record.fields + part.pointee.offset).assumingMemoryBound(to: Value.self)
      guard let names, let field = record.shape._withUnsafeGuaranteedRef({ $0.field(scalar.slot, names[scalar.slot]) })
      else { return false }
      let before = objects.windows.integer(ofWrite: scalar.write)
      switch (part.pointee.form, new.pointee) {
      case (.int, .int(let now)):
        if before != now { edit.add(field, keys: keys, from: before, to: now, isTruth: false) }
      case (.bool, .bool(let now)):
        // Of a truth one byte was noted.
        if before & 1 != (now ? 1 : 0) {
          edit.add(field, keys: keys, from: before & 1, to: now ? 1 : 0, isTruth: true)
        }
      default: return false
      }
    }
    return true
  }

  /// The shape of a node's place, and the address of what stands there; its keys are added to those of an edit. Nil: it takes a
  /// comparison.
  private func place(
    of node: Int, _ edit: PlainEdit, _ draft: UnsafeRawPointer, _ objects: SliceObjects, _ root: Int
  ) -> (shape: Unmanaged<PlaceShape>, value: UnsafeRawPointer)? {
    if node == root { return (.passUnretained(edit.root), draft) }
    if let value = objects.knownPlace(node) { return shape(of: node, edit, objects, root).map { ($0, value) } }
    let parent = objects.nodes[node].parent
    guard parent >= root, let outer = place(of: parent, edit, draft, objects, root) else { return nil }
    return objects.nodes[parent].shape._withUnsafeGuaranteedRef { shape in
      outer.shape._withUnsafeGuaranteedRef { place in
        guard shape.isDynamic else { return nil }
        switch objects.nodes[node].step {
        case .field(let index):
          guard case .record = outer.value.assumingMemoryBound(to: Value.self).pointee,
            let names = shape.names.baseAddress, let field = place.field(index, names[index])
          else { return nil }
          return (field, RecordAccess.fields(outer.value) + shape.part(index).pointee.offset)
        case .entry(let key):
          guard shape.isNumbered, case .map = outer.value.assumingMemoryBound(to: Value.self).pointee,
            let entry = place.entry, let value = shape.find(objects.keys[key], in: outer.value)?.address
          else { return nil }
          edit.add(keyAt: objects.keys.place(key))
          return (entry, value)
        case .element, .draft, .module: return nil
        }
      }
    }
  }

  /// The shape of a node's place, where nothing was replaced that it is within; its keys are added to those of an edit. Nil: it takes
  /// a comparison.
  private func shape(
    of node: Int, _ edit: PlainEdit, _ objects: SliceObjects, _ root: Int
  ) -> Unmanaged<PlaceShape>? {
    if node == root { return .passUnretained(edit.root) }
    let parent = objects.nodes[node].parent
    guard parent >= root, let outer = shape(of: parent, edit, objects, root) else { return nil }
    switch objects.nodes[node].step {
    case .field(let index):
      guard let names = objects.nodes[parent].shape._withUnsafeGuaranteedRef({ $0.names.baseAddress }) else {
        return nil
      }
      return outer._withUnsafeGuaranteedRef { $0.field(index, names[index]) }
    case .entry(let key):
      edit.add(keyAt: objects.keys.place(key))
      return outer._withUnsafeGuaranteedRef { $0.entry }
    case .element, .draft, .module: return nil
    }
  }

  // MARK: Walking

  /// Appends what changed below a node, given the address of its value.
  ///
  /// - Returns: false: it takes a comparison.
  private func visit(
    _ node: Int, _ value: UnsafeRawPointer, _ objects: SliceObjects, _ root: Int
  ) -> Bool {
    let start = items.count
    defer { items.removeLast(items.count - start) }
    guard gather(node, from: start, objects, root) else { return false }
    return objects.nodes[node].shape._withUnsafeGuaranteedRef { shape in
      guard shape.isDynamic else { return false }
      switch shape.form {
      case .record: return visitFields(of: shape, value, from: start, objects, root)
      case .list: return visitElements(of: shape, value, from: start, objects, root)
      case .integerMap, .textMap: return visitEntries(of: shape, value, from: start, objects, root)
      case .none: return false
      }
    }
  }

  /// Puts down the places under a node that were written to, or below which something was.
  ///
  /// - Returns: false: two nodes stand for one place, or an element came to where another was written.
  private func gather(_ node: Int, from start: Int, _ objects: SliceObjects, _ root: Int) -> Bool {
    var write = touched[node - root].write
    while write >= 0 {
      guard put(Item(place: writes[write].place, write: write, node: -1, below: Self.none), start, objects)
      else { return false }
      write = writes[write].next
    }
    var child = touched[node - root].child
    while child >= 0 {
      defer { child = touched[child - root].next }
      let place: Place
      switch objects.nodes[child].step {
      case .field(let index), .element(let index): place = .position(index)
      case .entry(let index): place = .key(index)
      case .draft, .module: return false
      }
      let below = touched[child - root].first
      if !put(Item(place: place, write: Self.none, node: child, below: below), start, objects) { return false }
    }
    return true
  }

  /// Puts a place down among those behind a start, once.
  ///
  /// - Returns: false: another node stands for it, and nothing was written to the place itself; or an element came to it since
  ///   another one was written there.
  private func put(_ item: Item, _ start: Int, _ objects: SliceObjects) -> Bool {
    var index = items.count
    while index > start, isBefore(item.place, items[index - 1].place, objects) { index -= 1 }
    if index > start, !isBefore(items[index - 1].place, item.place, objects) {
      if item.node < 0 {
        // In a map it came back to where it was.
        if case .position = item.place { return !writes[item.write].isNew }
        return true
      }
      if items[index - 1].node >= 0, items[index - 1].write == Self.none { return false }
      items[index - 1].node = item.node
      items[index - 1].below = min(items[index - 1].below, item.below)
      return true
    }
    items.append(item)
    var last = items.count - 1
    while last > index {
      let before = items[last - 1]
      items[last - 1] = items[last]
      items[last] = before
      last -= 1
    }
    return true
  }

  private func isBefore(_ left: Place, _ right: Place, _ objects: SliceObjects) -> Bool {
    switch (left, right) {
    case (.position(let left), .position(let right)): left < right
    case (.key(let left), .key(let right)) where left == right: false
    default: key(left, objects) < key(right, objects)
    }
  }

  /// The key of a place in a map.
  private func key(_ place: Place, _ objects: SliceObjects) -> MapKey {
    switch place {
    case .position(let index): return .int(index)
    case .key(let index): return objects.keys[index]
    case .noted(let position):
      guard case .entry(let key, _) = objects.undos[position].change else { return .int(position) }
      return key
    }
  }

  /// What stood at a place before a write; nil: it cannot be told.
  private func former(_ write: Int, _ objects: SliceObjects) -> Value? {
    let note = writes[write].note
    guard note >= 0 else { return objects.former(objects.windows.write(~note)) }
    return switch objects.undos[note].change {
    case .assigned(_, let old): old
    case .entry(_, let old): old
    case .inserted, .restored, .removed: nil
    }
  }

  private func visitFields(
    of shape: SliceShape, _ value: UnsafeRawPointer, from start: Int, _ objects: SliceObjects, _ root: Int
  ) -> Bool {
    guard case .record = value.assumingMemoryBound(to: Value.self).pointee else { return false }
    let fields = RecordAccess.fields(value)
    var index = start
    let end = items.count
    while index < end {
      guard case .position(let position) = items[index].place, let names = shape.names.baseAddress else { return false }
      let part = shape.part(position)
      let field = fields + part.pointee.offset
      let outer = finder.enter(field: position, names + position)
      defer { finder.leave(to: outer) }
      if items[index].write != Self.none {
        guard compare(items[index], part, field, objects) else { return false }
      } else if !visit(items[index].node, field, objects, root) {
        return false
      }
      index += 1
    }
    return true
  }

  /// Compares what stands at a place, which is entered, with what stood there.
  private func compare(
    _ item: Item, _ part: UnsafeMutablePointer<SlicePart>, _ new: UnsafeRawPointer, _ objects: SliceObjects
  ) -> Bool {
    guard item.below >= item.write, !writes[item.write].isNew else { return false }
    let note = writes[item.write].note
    if note < 0, part.pointee.form == .int, case .int(let now) = new.assumingMemoryBound(to: Value.self).pointee {
      // The most frequent change of all.
      let before = objects.windows.integer(ofWrite: ~note)
      if before != now { finder.replaceHere(.int(before), by: .int(now)) }
    } else {
      guard let old = former(item.write, objects) else { return false }
      let schema = part.pointee.schema
      withUnsafePointer(to: old) { finder.compareHere(schema, UnsafeRawPointer($0), new) }
    }
    return true
  }

  private func visitEntries(
    of shape: SliceShape, _ value: UnsafeRawPointer, from start: Int, _ objects: SliceObjects, _ root: Int
  ) -> Bool {
    guard shape.isNumbered, case .map = value.assumingMemoryBound(to: Value.self).pointee else { return false }
    var index = start
    let end = items.count
    while index < end {
      if items[index].write == Self.none {
        let node = items[index].node
        // A copy of the key would be counted.
        guard case .key(let place) = items[index].place,
          let new = objects.knownPlace(node) ?? shape.find(objects.keys[place], in: value)?.address
        else { return false }
        let outer = finder.enter(key: objects.keys[place])
        defer { finder.leave(to: outer) }
        guard visit(node, new, objects, root) else { return false }
      } else {
        let key = key(items[index].place, objects)
        let (element, new) = (shape.element.pointee.schema, shape.find(key, in: value)?.address)
        if writes[items[index].write].isNew {
          finder.compareHere(element, under: key, nil, new)
        } else {
          guard items[index].below >= items[index].write, let old = former(items[index].write, objects) else {
            return false
          }
          withUnsafePointer(to: old) { finder.compareHere(element, under: key, UnsafeRawPointer($0), new) }
        }
      }
      index += 1
    }
    return true
  }

  private func visitElements(
    of shape: SliceShape, _ value: UnsafeRawPointer, from start: Int, _ objects: SliceObjects, _ root: Int
  ) -> Bool {
    guard case .list = value.assumingMemoryBound(to: Value.self).pointee else { return false }
    let (part, access, end) = (shape.element, shape.list, items.count)
    let element = part.pointee.schema
    guard start < end else { return true }
    if isNew(items[start]) {
      // Elements that came behind all others: what was written to them since is part of them.
      guard case .position(let from) = items[start].place, from + end - start == access.count(value),
        !element.hasID || end - start == 1, cameInOrder(from, start..<end)
      else { return false }
      finder.addAppended(from: from, to: value, access, element)
      return true
    }
    // Of elements with ids one is soon compared, and several may have changed places.
    guard !element.hasID || end - start == 1 else { return false }
    var index = start
    while index < end {
      guard case .position(let position) = items[index].place, position < access.count(value), !isNew(items[index]),
        keepsID(items[index], element, objects, root),
        let outer = finder.enter(element: position, of: value, access, element)
      else { return false }
      defer { finder.leave(to: outer) }
      let new = access.address(value, position)
      if items[index].write != Self.none {
        guard compare(items[index], part, new, objects) else { return false }
      } else if !visit(items[index].node, new, objects, root) {
        return false
      }
      index += 1
    }
    return true
  }

  /// True if a place was not there before.
  private func isNew(_ item: Item) -> Bool { item.write != Self.none && writes[item.write].isNew }

  /// True if the elements of neighbouring positions came one behind the other, each once.
  private func cameInOrder(_ from: Int, _ range: Range<Int>) -> Bool {
    var last = -1
    for index in range {
      guard case .position(let position) = items[index].place, position == from + index - range.lowerBound,
        isNew(items[index]), items[index].write > last
      else { return false }
      last = items[index].write
    }
    // An element that came to where one had come would be one write more to the list.
    let list = writes[items[range.lowerBound].write].node
    var count = 0
    for write in 0..<writes.count where writes[write].node == list && writes[write].isNew { count += 1 }
    return count == range.count
  }

  /// True if an element has no id, or the one that it had.
  private func keepsID(_ item: Item, _ element: Schema, _ objects: SliceObjects, _ root: Int) -> Bool {
    guard element.hasID else { return true }
    guard item.write == Self.none, case .record(let record) = element.kind else { return false }
    let id = record.index(of: "id")
    for write in 0..<writes.count where writes[write].node == item.node {
      if case .position(let position) = writes[write].place, position == id { return false }
    }
    return true
  }
}

extension SliceObjects {
  /// A reducer that moves what it changes is likely to do so again.
  private static let copiesAfterComparison = 63

  /// What the call wrote to its draft, which stands at an address; nil: nothing.
  ///
  /// - Parameter copies: the number of the next calls before which a copy is cheaper, set where the draft as it was had to be made.
  func takeEdit(named name: String, _ copies: inout Int) -> SliceEdit? {
    guard let draft, !undos.isEmpty || windows.writeCount > 0 else { return nil }
    let places = Unmanaged.passUnretained(writtenPlaces)
    if let edit = places._withUnsafeGuaranteedRef({ $0.scalarEdit(of: self, base, named: name) }) {
      return edit.count == 0 ? nil : .scalars(edit)
    }
    if let changes = places._withUnsafeGuaranteedRef({ $0.changes(of: self, base, named: name) }) {
      return changes.isEmpty ? nil : .changes(changes)
    }
    copies = Self.copiesAfterComparison
    let slice = draft.assumingMemoryBound(to: Value.self)
    var after = slice.pointee
    undo()
    swap(&after, &slice.pointee)
    return .former(after)
  }

  /// Where the value of a node in place is known to be.
  func knownPlace(_ node: Int) -> UnsafeRawPointer? {
    guard nodes[node].time == time, nodes[node].presence == .inPlace else { return nil }
    return UnsafeRawPointer(nodes[node].address)
  }

  /// What a write through a window overwrote; nil: it cannot be told.
  func former(_ write: LuaWindows.Write) -> Value? {
    nodes[write.window].shape._withUnsafeGuaranteedRef { shape in
      guard shape.isDynamic else { return nil }
      var value: Value
      switch shape.part(write.slot).pointee.form {
      case .int: value = .int(0)
      case .double: value = .double(0)
      case .bool: value = .bool(false)
      case .string: value = .string("")
      case .other, .parts, .optionalParts: return nil
      }
      withUnsafeMutablePointer(to: &value) { write.restore(shape.slots[write.slot], at: UnsafeMutableRawPointer($0)) }
      return value
    }
  }
}
