import LuaRuntime
import StoreModules
import StoreSchema

/// Slices of a store's state as objects of one Lua state: a draft that the running reducer changes in place, and the
/// other modules, read-only. Nothing is converted but the scalars that Lua reads or writes.
///
/// Objects are valid during the call that made them; a generation number tells those that Lua kept too long. Two objects
/// are equal when they stand for the same part.
final class SliceObjects: LuaObjectHandler {
  // A single type of 25 properties, in a file for each kind of access. All of them meet nodes, keys, windows and undos together, which
  // have to change in step. A part of its own would be one more step on the way to each field.

  // The variables of every access opt out of dynamic exclusivity checks. They are used by the one thread that runs the
  // Lua state, in plain loads and stores.

  /// The kinds of object, as tags.
  enum Tag {
    static let node: UInt32 = 1
    static let state: UInt32 = 2
    static let facade: UInt32 = 3
  }

  /// The whole state, as Lua sees it.
  static let stateObject = LuaObject(tag: Tag.state, id: 0)

  unowned let state: LuaState
  /// The state that `state.MODULE` reads.
  var view: (any StateView)? { viewInUse?.pointee }
  /// The address of that state, for the calls that read it.
  @exclusivity(unchecked) var viewInUse: UnsafePointer<any StateView>?
  /// True while a middleware runs, which reads a state that nobody changes meanwhile.
  @exclusivity(unchecked) var isStill = false
  /// Why a module may not be read; nil: it may.
  var refusal: (String) -> String? = { _ in nil }
  /// Objects that are neither slices nor the state, by the `id` of theirs.
  @exclusivity(unchecked) private var facades: [ActionFacade?] = []

  @exclusivity(unchecked) var nodes = PlainStack<SliceNode>()
  /// The keys of the entries that objects were made for.
  @exclusivity(unchecked) var keys = PlainStack<MapKey>()
  /// The names of the modules that objects were made for.
  @exclusivity(unchecked) var modules: [String] = []
  /// The values that stood in the draft until they were replaced there.
  @exclusivity(unchecked) var loose: [CopiedPart] = []
  /// The copies of values whose parts are not reached where they are, such as sets.
  @exclusivity(unchecked) var wholes: [WholePart] = []
  @exclusivity(unchecked) var index = NodeIndex()
  @exclusivity(unchecked) private(set) var generation: UInt32 = 1
  /// The first node of the draft, where there is one; those before it are of a command that dispatched, and live on.
  @exclusivity(unchecked) private(set) var base = 0
  /// The index of those, and the numbers of their keys and of their copies.
  @exclusivity(unchecked) private var outerIndex = NodeIndex()
  @exclusivity(unchecked) private var outerKeys = 0
  @exclusivity(unchecked) private var outerWholes = 0
  @exclusivity(unchecked) private(set) var draft: UnsafeMutableRawPointer?
  /// Drafts are numbered, so that one that was kept is told from the present one.
  @exclusivity(unchecked) private(set) var draftNumber = 0
  @exclusivity(unchecked) private(set) var draftName = ""
  /// The progress of walks through maps that keep no order, by the maps' nodes.
  @exclusivity(unchecked) var walks: [Int: MapWalk] = [:]
  /// True if node 0 is the draft and the nodes behind it are those of its shown parts, all of them in place.
  @exclusivity(unchecked) var showsParts = false
  /// Moves on whenever something happens that addresses do not survive.
  @inline(__always) var time: Int {
    get { windows.time }
    set { windows.time = newValue }
  }
  /// The records that Lua reads and writes in place, by the numbers of their nodes.
  let windows: LuaWindows
  /// The meter of values that are taken over from Lua, and of the values kept.
  let meter: LuaMeter
  /// The undos of the draft's writes.
  @exclusivity(unchecked) var undos = PlainStack<Undo>()
  /// Finds what they changed.
  let writtenPlaces = WrittenPlaces()
  /// The function behind `list:id(ID)`, made when it is first asked for.
  var finder: LuaFunction?
  private var shapes: [ObjectIdentifier: SliceShape] = [:]
  @exclusivity(unchecked) private var recentShape: Unmanaged<SliceShape>?
  @exclusivity(unchecked) private var recentSchema: ObjectIdentifier?

  init(_ state: LuaState) {
    self.state = state
    windows = state.windows
    meter = state.meter
    windows.time = 1
    moveOn()
  }

  // MARK: The life of objects

  /// The object through which a reducer changes a slice in place, until ``endCall()``.
  func beginDraft(_ name: String, _ schema: Schema, _ pointer: UnsafeMutableRawPointer) -> LuaObject {
    draft = pointer
    if draftName != name { draftName = name }
    draftNumber += 1
    let shape = shape(of: schema)
    let number = nodes.count
    showsParts = number == 0
    if !showsParts { beginNested() }
    nodes.append(
      SliceNode(
        shape: shape, parent: -1, step: .draft, depth: 0, top: -1, draft: draftNumber, address: pointer, time: time,
        isMutable: true,
        generation: generation))
    let fields = showRecord(number, shape, at: pointer)
    if showsParts { addShownParts(of: shape, fields) }
    return object(number)
  }

  /// Ends the life of all objects handed out since the last time.
  @inline(__always)
  func endCall() {
    if draft != nil || !nodes.isEmpty { forgetCall() }
  }

  private func forgetCall() {
    draft = nil
    showsParts = false
    time += 1
    undos.removeAll()
    windows.forgetWrites()
    if !loose.isEmpty { loose.removeAll(keepingCapacity: true) }
    guard !nodes.isEmpty else { return }
    if base > 0 { endNested() }
    // Else a command runs that dispatched: its own objects live on until it ends.
    if viewInUse == nil { forgetNodes() }
  }

  private func forgetNodes() {
    nodes.removeAll()
    keys.removeAll()
    if !wholes.isEmpty { wholes.removeAll(keepingCapacity: true) }
    // One by one: nearly always there is one, and the way for many takes longer.
    while modules.popLast() != nil {}
    if !walks.isEmpty { walks.removeAll(keepingCapacity: true) }
    index.removeAll()
    generation = (generation &+ 1) & LuaObject.maximumGeneration
    moveOn()
  }

  /// Begins a draft among the objects of a command.
  private func beginNested() {
    base = nodes.count
    outerKeys = keys.count
    outerWholes = wholes.count
    swap(&index, &outerIndex)
  }

  /// Ends the life of that draft's objects.
  private func endNested() {
    nodes.removeLast(nodes.count - base)
    keys.removeLast(keys.count - outerKeys)
    wholes.removeLast(wholes.count - outerWholes)
    if !walks.isEmpty { walks = walks.filter { $0.key < base } }
    index.removeAll()
    swap(&index, &outerIndex)
    base = 0
    generation = (generation &+ 1) & LuaObject.maximumGeneration
    moveOn()
  }

  /// So many nodes are kept for objects that live on from one statement to the next.
  private static let keptNodes = 1 << 16

  /// Ends a statement of the session, whose objects live on, but not without end.
  func endStatement() {
    endCall()
    if nodes.count > Self.keptNodes { forgetNodes() }
  }

  private func moveOn() { windows.moveOn(to: LuaObject(tag: Tag.node, id: 0, generation: generation)) }

  @inline(__always)
  func object(_ number: Int) -> LuaObject {
    LuaObject(tag: Tag.node, id: UInt32(truncatingIfNeeded: number), generation: nodes[number].generation)
  }

  /// True if an object belongs to a node.
  @inline(__always)
  private func isNode(_ object: LuaObject) -> Bool {
    object.tag == Tag.node && object.id < nodes.count && nodes[Int(object.id)].generation == object.generation
  }

  @inline(__always)
  func shape(of schema: Schema) -> Unmanaged<SliceShape> {
    let identity = ObjectIdentifier(schema)
    if let recentShape, recentSchema == identity { return recentShape }
    return findShape(of: schema)
  }

  func findShape(of schema: Schema) -> Unmanaged<SliceShape> {
    let identity = ObjectIdentifier(schema)
    // A shape holds its schema, so that the identity stays its own.
    let shape = shapes[identity] ?? SliceShape(schema, in: state)
    shapes[identity] = shape
    recentShape = .passUnretained(shape)
    recentSchema = identity
    return .passUnretained(shape)
  }

  /// The action that an object which is neither a slice nor the state stands for.
  func facade(_ object: LuaObject) -> ActionFacade? {
    let id = Int(object.id)
    return object.tag == Tag.facade && id < facades.count ? facades[id] : nil
  }

  /// Has an object stand for an action.
  func add(_ facade: ActionFacade, as object: LuaObject) {
    while facades.count <= Int(object.id) { facades.append(nil) }
    facades[Int(object.id)] = facade
  }

  /// The number of the node that an object stands for.
  @inline(__always)
  func number(of object: LuaObject) throws -> Int {
    let number = Int(object.id)
    guard number < nodes.count, nodes[number].generation == object.generation,
      // While there is a draft, nothing but it can be reached: the state is being changed.
      nodes[number].draft == (draft == nil ? 0 : draftNumber)
    else { throw isNoNode(object) }
    return number
  }

  private func isNoNode(_ object: LuaObject) -> LuaFailure {
    guard let facade = facade(object) else {
      return LuaFailure("this part of the state was valid only during the call that gave it")
    }
    return LuaFailure("\(facade.name) is no table; its fields are read by name")
  }

  // MARK: Whole values

  /// The whole value of an object.
  func value(of object: LuaObject) throws(SchemaError) -> Value {
    let (value, _) = try read(object)
    // Whoever asks will look at all of it.
    meter.work(value.extent)
    return value
  }

  /// The whole value of an object, where it is of a type; nil: it is of another one. There is nothing to check then.
  func value(of object: LuaObject, as schema: Schema) throws(SchemaError) -> Value? {
    guard self.schema(of: object) === schema else { return nil }
    let (value, isShared) = try read(object)
    if !isShared { meter.work(value.extent) }
    return value
  }

  /// The whole value of an object, and whether it is the one that stands in the slice, not a copy.
  private func read(_ object: LuaObject) throws(SchemaError) -> (Value, isShared: Bool) {
    guard isNode(object) else {
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "an object of the shell"))
    }
    guard let number = try? number(of: object) else {
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "a part of the state that was replaced"))
    }
    let schema = shape(number).schema
    var value = Value.none
    look(number) { value = schema.access.read($0) }
    nodes[number].isElsewhere = true
    return (value, schema.isDynamic)
  }

  /// The value of a Lua one, whatever it holds.
  func value(of lua: LuaValue) throws(SchemaError) -> Value {
    try LuaBridge.value(of: lua) { (object) throws(SchemaError) in try value(of: object) }
  }

  /// The type of an object that stands for a part of the state.
  func schema(of object: LuaObject) -> Schema? {
    guard isNode(object) else { return nil }
    return shape(Int(object.id)).schema
  }

  func shape(_ number: Int) -> SliceShape { nodes[number].shape.takeUnretainedValue() }
}

/// Finding and making the nodes of parts, so that a part has one object.
extension SliceObjects {
  /// A part as it was found: where it is, nil where it cannot be addressed, and whether it can be changed there.
  struct Place {
    var address: UnsafeMutableRawPointer?
    var isMutable = false
  }

  /// The number of the node of a field, an element or a module's slice, if there is one.
  func child(_ parent: Int, _ step: SliceNode.Step) -> Int? {
    find({ hash(parent, step) }) { number in
      nodes[number].parent == parent && nodes[number].step == step && nodes[number].presence == .inPlace
    }
  }

  /// The number of the node of an entry, if there is one.
  func child(_ parent: Int, _ key: MapKey) -> Int? {
    guard nodes[parent].hasEntries else { return nil }
    return find({ hash(parent, key) }) { number in
      guard nodes[number].parent == parent, case .entry(let position) = nodes[number].step else { return false }
      return nodes[number].presence == .inPlace && keys[position] == key
    }
  }

  /// The number of the node of a field or an element whose object stands for a copy of what is at an address, if there is one.
  func copy(_ parent: Int, _ step: SliceNode.Step, of address: UnsafeRawPointer) -> Int? {
    find({ hash(parent, step) }) { number in
      nodes[number].parent == parent && nodes[number].step == step && isCopy(number, of: address)
    }
  }

  /// The same for an entry.
  func copy(_ parent: Int, _ key: MapKey, of address: UnsafeRawPointer) -> Int? {
    find({ hash(parent, key) }) { number in
      guard nodes[number].parent == parent, case .entry(let position) = nodes[number].step else { return false }
      return keys[position] == key && isCopy(number, of: address)
    }
  }

  private func isCopy(_ number: Int, of address: UnsafeRawPointer) -> Bool {
    guard case .whole(let position) = nodes[number].presence else { return false }
    return wholes[position].isCopy(of: address)
  }

  /// Of so many nodes or fewer, as nearly all calls have, each is looked at.
  private static let fewNodes = 12

  @inline(__always)
  private func find(_ hash: () -> Int, where fits: (Int) -> Bool) -> Int? {
    if nodes.count - base > Self.fewNodes { return index.find(hash(), where: fits) }
    for number in base..<nodes.count where fits(number) { return number }
    return nil
  }

  /// The object for a field or an element.
  func object(
    _ parent: Int, _ step: SliceNode.Step, _ part: UnsafeMutablePointer<SlicePart>, _ place: Place
  ) -> LuaObject {
    if let number = child(parent, step) { return seen(number, place) }
    return addPart(shape(of: part), parent, step, place)
  }

  /// The object for an entry.
  ///
  /// - Parameter entry: the number that it has in its map.
  func object(
    _ parent: Int, _ key: __owned MapKey, entry: Int, _ part: UnsafeMutablePointer<SlicePart>, _ place: Place
  ) -> LuaObject {
    let object: LuaObject
    if let known = child(parent, key) {
      object = seen(known, place)
    } else {
      nodes[parent].hasEntries = true
      let held = key.heldBytes
      if held > 0 { meter.hold(held) }
      keys.append(key)
      object = addPart(shape(of: part), parent, .entry(keys.count - 1), place)
    }
    nodes[Int(object.id)].entry = entry
    return object
  }

  private func seen(_ number: Int, _ place: Place) -> LuaObject {
    if nodes[number].time != time {
      nodes[number].address = place.address
      nodes[number].isMutable = place.isMutable
      nodes[number].time = time
      if let address = place.address { showRecord(number, nodes[number].shape, at: address) }
    }
    return object(number)
  }

  func addPart(_ shape: Unmanaged<SliceShape>, _ parent: Int, _ step: SliceNode.Step, _ place: Place) -> LuaObject {
    let number = nodes.count
    var (depth, top, draft) = (0, -1, 0)
    if parent >= 0 {
      (depth, top, draft) = (nodes[parent].depth + 1, nodes[parent].top, nodes[parent].draft)
      if depth == 1, case .field(let position) = step { top = position }
    }
    nodes.append(
      SliceNode(
        shape: shape, parent: parent, step: step, depth: depth, top: top, draft: draft, address: place.address,
        time: time, isMutable: place.isMutable, generation: generation))
    if number - base >= Self.fewNodes { note(number) }
    if let address = place.address { showRecord(number, shape, at: address) }
    return object(number)
  }

  /// Has the index find a node; with the first one all before it.
  private func note(_ number: Int) {
    for number in (number - base == Self.fewNodes ? base : number)...number {
      index.insert(
        number, hash(ofNode: number), hashOf: { hash(ofNode: $0) }, isGone: { nodes[$0].isGone })
    }
  }

  @inline(__always)
  func shape(of part: UnsafeMutablePointer<SlicePart>) -> Unmanaged<SliceShape> {
    if let shape = part.pointee.shape { return shape }
    let schema = part.pointee.schema.unwrapped
    let shape = findShape(of: part.pointee.isWhole ? schema.dynamic : schema)
    part.pointee.shape = shape
    return shape
  }

  private func hash(_ parent: Int, _ step: SliceNode.Step) -> Int {
    switch step {
    case .draft: 0
    case .module(let position): position &* 61
    case .field(let position): (parent &+ 1) &* 31 &+ position
    case .element(let position): (parent &+ 1) &* 8_191 &+ position
    case .entry(let position): hash(parent, keys[position])
    }
  }

  private func hash(_ parent: Int, _ key: MapKey) -> Int { (parent &+ 1) &* 8_191 &+ key.quickHash }

  private func hash(ofNode number: Int) -> Int { hash(nodes[number].parent, nodes[number].step) }
}

/// Lua's look for an element of a list by its id: `state.tasks.items:id(3)`.
extension SliceObjects {
  /// The name of the method that a list has beside its indices.
  static let finderName = "id"

  /// Writes the method, which is the same for all lists.
  func writeFinder(into result: inout LuaResult) throws {
    let finder = try self.finder ?? state.makeFunction { [unowned self] call in try find(&call) }
    self.finder = finder
    result.append(finder)
  }

  /// Answers with the first element of an id; nothing where there is none.
  private func find(_ call: inout LuaCall) throws {
    guard case .object(let object) = call.argument(0).kind, object.tag == Tag.node else {
      throw LuaFailure("id is a method of lists: state.tasks.items:id(3)")
    }
    let number = try number(of: object)
    let shape = shape(number)
    guard shape.hasIDs else { throw LuaFailure("\(path(number)) is \(shape.schema.typeName); its items have no id") }
    let id: MapKey
    switch call.argument(1).kind {
    case .integer(let number): id = .int(number)
    case .string(let text): id = .string(text.text)
    default: throw LuaFailure("\(path(number)):id takes an integer or a text")
    }
    var position: Int?
    look(number) { position = shape.list.position($0, id) }
    // The list notes where ids are: what was reached for change before is reached anew.
    if nodes[number].draft != 0 { time += 1 }
    guard let position else { return call.results.appendNil() }
    readElement(number, shape, position, into: &call.results)
  }
}

/// The names of parts of the state in messages.
extension SliceObjects {
  /// The path of a node from its module, as messages name it; a read-only one starts with `state`.
  func label(_ number: Int) -> String {
    let path = path(number)
    return nodes[number].draft != 0 ? path.description : "state.\(path)"
  }

  func path(_ number: Int) -> Path {
    let node = nodes[number]
    // A replaced value has no place any more but the slice that it was part of.
    if case .loose = node.presence { return Path([.field(draftName)]) }
    switch node.step {
    case .draft: return Path([.field(draftName)])
    case .module(let position): return Path([.field(modules[position])])
    case .field(let position): return path(node.parent).appending(.field(fieldName(node.parent, position)))
    case .element(let position): return path(node.parent).appending(.index(position + 1))
    case .entry(let position): return path(node.parent).appending(.key(keys[position]))
    }
  }

  /// The name of a field of a record.
  func fieldName(_ number: Int, _ position: Int) -> String {
    guard case .record(let record) = shape(number).schema.kind else { return "" }
    return record.fields[position].name
  }

  func unknownField(_ number: Int, _ name: String) -> LuaFailure {
    guard case .record(let record) = shape(number).schema.kind else {
      return LuaFailure(noField: name, of: "\(path(number))", among: [])
    }
    return LuaFailure(noField: name, of: "\(path(number))", among: record.layout.fields)
  }

  func wrongKey(_ number: Int, _ key: LuaArgument) -> LuaFailure {
    let shape = shape(number)
    if shape.form == .textMap, case .string(let text) = key.kind {
      return LuaFailure(
        "\(path(number)): the key '\(text.text)' is not UTF-8 (utf8.offset tells where characters begin)")
    }
    return LuaFailure(
      "\(path(number)) is \(shape.schema.typeName); it has no '\(key.keyText)' (keys are \(shape.keyName))")
  }
}

extension LuaFailure {
  /// Something was asked for a field that it has not.
  init(noField name: String, of owner: String, among names: [String]) {
    let hint = Suggestion.remark(name, among: names)
    self.init("\(owner) has no field '\(name)'\(hint)", mistake: hint.isEmpty ? .noField(name, of: owner) : nil)
  }
}
