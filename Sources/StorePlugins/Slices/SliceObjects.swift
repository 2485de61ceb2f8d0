import LuaRuntime
import StoreSchema

/// Slices of a store's state as objects of one Lua state: a draft that the running reducer changes in place, and the
/// other modules, read-only. Nothing is converted but the scalars that Lua reads or writes.
///
/// Objects are valid during the call that made them; a generation number tells those that Lua kept too long. Two objects
/// are equal when they stand for the same part.
final class SliceObjects: LuaObjectHandler {
  // The variables of every access opt out of dynamic exclusivity checks: they are used by the one thread that runs the
  // Lua state, in plain loads and stores.

  /// The kinds of object, as tags.
  enum Tag {
    static let node: UInt32 = 1
    static let state: UInt32 = 2
    static let facade: UInt32 = 3
  }

  unowned let state: LuaState
  /// The state that `state.MODULE` reads.
  var view: (any StateView)? { viewInUse?.pointee }
  /// Where that state is, for as long as the calls that read it.
  @exclusivity(unchecked) var viewInUse: UnsafePointer<any StateView>?
  /// Why a module may not be read; nil: it may.
  var refusal: (String) -> String? = { _ in nil }
  /// Objects that are neither slices nor the state.
  var facades: [UInt32: any LuaFacade] = [:]

  @exclusivity(unchecked) var nodes = NodeTable()
  /// The keys of the entries that objects were made for.
  @exclusivity(unchecked) var keys: [MapKey] = []
  /// The names of the modules that objects were made for.
  @exclusivity(unchecked) private(set) var modules: [String] = []
  /// What stood in the draft until it was replaced there.
  @exclusivity(unchecked) var loose: [CopiedPart] = []
  @exclusivity(unchecked) private var index = NodeIndex()
  @exclusivity(unchecked) private var generation: UInt32 = 1
  @exclusivity(unchecked) private(set) var draft: UnsafeMutableRawPointer?
  /// Drafts are numbered, so that one that was kept is told from the present one.
  @exclusivity(unchecked) private(set) var draftNumber = 0
  @exclusivity(unchecked) private(set) var draftName = ""
  /// Moves on whenever something happens that addresses do not survive.
  @inline(__always) var time: Int {
    get { windows.time }
    set { windows.time = newValue }
  }
  /// The records that Lua reads and writes in place, by the numbers of their nodes.
  let windows: LuaWindows
  /// What the draft's writes can be taken back by.
  @exclusivity(unchecked) var journal = Journal()
  private var shapes: [ObjectIdentifier: SliceShape] = [:]
  @exclusivity(unchecked) private var recentShape: Unmanaged<SliceShape>?
  @exclusivity(unchecked) private var recentSchema: ObjectIdentifier?

  init(_ state: LuaState) {
    self.state = state
    windows = state.windows
    windows.time = 1
    windows.removeAll(for: object(0))
  }

  // MARK: The life of objects

  /// The object through which a reducer changes a slice in place, until ``endCall()``.
  func beginDraft(_ name: String, _ schema: Schema, _ pointer: UnsafeMutableRawPointer) -> LuaObject {
    draft = pointer
    if draftName != name { draftName = name }
    draftNumber += 1
    let shape = shape(of: schema)
    let object = add(
      SliceNode(shape: shape, parent: -1, step: .draft, draft: draftNumber, address: pointer, time: time))
    showRecord(nodes.count - 1, shape, at: pointer)
    return object
  }

  /// Ends the life of all objects handed out since the last time.
  @inline(__always)
  func endCall() {
    if draft != nil || !nodes.isEmpty { forgetCall() }
  }

  private func forgetCall() {
    draft = nil
    time += 1
    journal.removeAll()
    windows.forgetWrites()
    // Within a command that dispatched: the command's own objects live on until it ends.
    guard viewInUse == nil, !nodes.isEmpty else { return }
    nodes.removeAll()
    if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
    if !modules.isEmpty { modules.removeAll(keepingCapacity: true) }
    if !loose.isEmpty { loose.removeAll(keepingCapacity: true) }
    index.removeAll()
    generation = (generation &+ 1) & LuaObject.maximumGeneration
    windows.removeAll(for: object(0))
  }

  private func add(_ node: SliceNode) -> LuaObject {
    nodes.append(node)
    return object(nodes.count - 1)
  }

  private func object(_ number: Int) -> LuaObject {
    LuaObject(tag: Tag.node, id: UInt32(truncatingIfNeeded: number), generation: generation)
  }

  @inline(__always)
  private func shape(of schema: Schema) -> Unmanaged<SliceShape> {
    let identity = ObjectIdentifier(schema)
    if let recentShape, recentSchema == identity { return recentShape }
    return findShape(of: schema)
  }

  private func findShape(of schema: Schema) -> Unmanaged<SliceShape> {
    let identity = ObjectIdentifier(schema)
    // A shape holds its schema, so that the identity stays its own.
    let shape = shapes[identity] ?? SliceShape(schema, in: state)
    shapes[identity] = shape
    recentShape = .passUnretained(shape)
    recentSchema = identity
    return .passUnretained(shape)
  }

  /// The number of the node that an object stands for.
  @inline(__always)
  func number(of object: LuaObject) throws -> Int {
    let number = Int(object.id)
    guard object.generation == generation, number < nodes.count,
      // While there is a draft, nothing but it can be reached: the state is being changed.
      nodes[number].draft == (draft == nil ? 0 : draftNumber)
    else { throw LuaFailure("this part of the state was valid only during the call that gave it") }
    return number
  }

  // MARK: Finding and making nodes

  /// The number of the node of a field, an element or a module's slice, if there is one.
  func child(_ parent: Int, _ step: SliceNode.Step) -> Int? {
    index.find(hash(parent, step)) { number in
      nodes[number].parent == parent && nodes[number].step == step && nodes[number].presence == .inPlace
    }
  }

  /// The number of the node of an entry, if there is one.
  func child(_ parent: Int, _ key: MapKey) -> Int? {
    index.find(hash(parent, key)) { number in
      guard nodes[number].parent == parent, case .entry(let position) = nodes[number].step else { return false }
      return nodes[number].presence == .inPlace && keys[position] == key
    }
  }

  /// The object for a part.
  ///
  /// - Parameter address: where the part is; nil: it cannot be addressed.
  private func object(
    _ parent: Int, _ step: SliceNode.Step, _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer?
  ) -> LuaObject {
    if let number = child(parent, step) { return seen(number, at: address) }
    return addPart(shape(of: part), parent, step, address, hash(parent, step))
  }

  private func object(
    _ parent: Int, _ key: MapKey, rank: Int, _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer?
  ) -> LuaObject {
    let number: Int
    if let known = child(parent, key) {
      _ = seen(known, at: address)
      number = known
    } else {
      keys.append(key)
      _ = addPart(shape(of: part), parent, .entry(keys.count - 1), address, hash(parent, key))
      number = nodes.count - 1
    }
    nodes[number].rank = rank
    return object(number)
  }

  private func seen(_ number: Int, at address: UnsafeRawPointer?) -> LuaObject {
    if nodes[number].time != time {
      nodes[number].address = UnsafeMutableRawPointer(mutating: address)
      nodes[number].isMutable = false
      nodes[number].time = time
      if let address { showRecord(number, nodes[number].shape, at: address) }
    }
    return object(number)
  }

  private func addPart(
    _ shape: Unmanaged<SliceShape>, _ parent: Int, _ step: SliceNode.Step, _ address: UnsafeRawPointer?, _ hash: Int
  ) -> LuaObject {
    let draft = parent < 0 ? 0 : nodes[parent].draft
    let made = add(
      SliceNode(
        shape: shape, parent: parent, step: step, draft: draft, address: UnsafeMutableRawPointer(mutating: address),
        time: time))
    index.insert(nodes.count - 1, hash) { self.hash(ofNode: $0) }
    if let address { showRecord(nodes.count - 1, shape, at: address) }
    return made
  }

  @inline(__always)
  private func shape(of part: UnsafeMutablePointer<SlicePart>) -> Unmanaged<SliceShape> {
    if let shape = part.pointee.shape { return shape }
    let shape = findShape(of: part.pointee.schema.unwrapped)
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

  // MARK: Whole values

  /// The whole value of an object.
  func value(of object: LuaObject) throws(SchemaError) -> Value {
    guard object.tag == Tag.node, object.generation == generation, object.id < nodes.count else {
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "an object of the shell"))
    }
    guard let number = try? number(of: object) else {
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "a part of the state that was replaced"))
    }
    let schema = shape(number).schema
    var value = Value.none
    look(number) { value = schema.access.read($0) }
    return value
  }

  /// The value of a Lua one, whatever it holds.
  func value(of lua: LuaValue) throws(SchemaError) -> Value {
    try LuaBridge.value(of: lua) { (object) throws(SchemaError) in try value(of: object) }
  }

  /// The type of an object that stands for a part of the state.
  func schema(of object: LuaObject) -> Schema? {
    guard object.tag == Tag.node, object.generation == generation, object.id < nodes.count else { return nil }
    return shape(Int(object.id)).schema
  }

  func shape(_ number: Int) -> SliceShape { nodes[number].shape.takeUnretainedValue() }

  // MARK: Reading

  func get(_ object: LuaObject, key: LuaKeyArgument, into result: inout LuaResult) throws {
    guard object.tag == Tag.node else {
      if object.tag == Tag.state { return try getModule(key.text, into: &result) }
      return try facades[object.id]?.get(key.text, into: &result) ?? ()
    }
    let number = try number(of: object)
    guard number < LuaObject.maximumID else { throw LuaFailure("too many parts of the state are in use") }
    try nodes[number].shape._withUnsafeGuaranteedRef { shape in
      switch (shape.form, key) {
      case (.record, .string(let text)):
        guard let position = shape.position(of: text) else { throw unknownField(number, text.text) }
        readField(number, shape, position, into: &result)
      case (.list, .integer(let position)):
        readElement(number, shape, position - 1, into: &result)
      case (.integerMap, _), (.textMap, _):
        guard let mapKey = shape.mapKey(key) else { throw wrongKey(number, key) }
        readEntry(number, shape, mapKey, into: &result)
      case (.record, _): throw unknownField(number, key.text)
      case (.list, _), (.none, _): throw wrongKey(number, key)
      }
    }
  }

  @inline(__always)
  func readField(_ number: Int, _ shape: SliceShape, _ position: Int, into result: inout LuaResult) {
    let part = shape.part(position)
    if let record = address(number) {
      if !windows.isOpen(number) { showRecord(number, nodes[number].shape, at: record) }
      let fields = shape.isDynamic ? RecordAccess.fields(record) : record
      write(part, fields + part.pointee.offset, number, .field(position), to: &result)
    } else {
      read(number) { shape.record.read($0, position) { write(part, $0, number, .field(position), to: &result) } }
    }
  }

  @inline(__always)
  private func readElement(_ number: Int, _ shape: SliceShape, _ position: Int, into result: inout LuaResult) {
    func write(_ list: UnsafeRawPointer) {
      guard let element = shape.element(at: position, in: list) else { return }
      self.write(shape.element, element, number, .element(position), to: &result)
    }
    if let list = address(number) { write(list) } else { read(number) { write($0) } }
  }

  func readEntry(_ number: Int, _ shape: SliceShape, _ key: MapKey, into result: inout LuaResult) {
    if shape.isRanked, let map = address(number) {
      guard let (rank, value) = shape.find(key, in: map) else { return }
      return writeEntry(shape.element, value, number, key, rank: rank, to: &result)
    }
    look(number) { map in
      if shape.isRanked {
        guard let (rank, value) = shape.find(key, in: map) else { return }
        writeEntry(shape.element, value, number, key, rank: rank, to: &result)
      } else {
        _ = shape.map.read(map, key) { writeEntry(shape.element, $0, number, key, rank: nil, to: &result) }
      }
    }
  }

  /// Writes what stands at an address: a scalar as it is, what has parts as an object.
  @inline(__always)
  func write(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int, _ step: SliceNode.Step,
    to result: inout LuaResult
  ) {
    guard part.pointee.hasParts else { return part.pointee.write(address, to: &result) }
    part.pointee.ifPresent(address) { result.append(object(parent, step, part, addressable(part, address, parent))) }
  }

  /// - Parameter rank: nil: the value has no address of its own, only one for the moment.
  private func writeEntry(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int, _ key: MapKey, rank: Int?,
    to result: inout LuaResult
  ) {
    guard part.pointee.hasParts else { return part.pointee.write(address, to: &result) }
    part.pointee.ifPresent(address) {
      let place = rank == nil ? nil : addressable(part, address, parent)
      result.append(object(parent, key, rank: rank ?? 0, part, place))
    }
  }

  /// The address of a part that its node may keep: of parts of a draft, which stay where they are.
  @inline(__always)
  private func addressable(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int
  ) -> UnsafeRawPointer? {
    nodes[parent].address == nil || part.pointee.isWrapped ? nil : address
  }

  // MARK: Modules

  func getModule(_ name: String, into result: inout LuaResult) throws {
    guard draft == nil else { throw LuaFailure("state cannot be read in a reducer; it gets its draft") }
    if let refusal = refusal(name) { throw LuaFailure(refusal) }
    var found: Schema?
    _ = view?.readSlice(name) { schema, _ in found = schema }
    guard let found else {
      let suggestion = Suggestion.nearest(to: name, among: view?.moduleNames ?? [])
      throw LuaFailure("state has no module '\(name)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    let shape = shape(of: found)
    if let number = modules.firstIndex(of: name).flatMap({ child(-1, .module($0)) }),
      nodes[number].shape.toOpaque() == shape.toOpaque()
    {
      return result.append(object(number))
    }
    modules.append(name)
    let step = SliceNode.Step.module(modules.count - 1)
    result.append(addPart(shape, -1, step, nil, hash(-1, step)))
  }

  func describe(_ object: LuaObject) -> String {
    switch object.tag {
    case Tag.node: (try? number(of: object)).map { label($0) } ?? "state"
    case Tag.state: "state"
    default: facades[object.id]?.name ?? "object"
    }
  }
}
