import CLua

/// The facts that the code of functions tells without being run; none for a host function.
extension LuaState {
  /// A place in code that uses something by its name.
  public struct CodeUse: Hashable, Sendable {
    /// The name of what is used.
    public var name: String
    /// The field that is read at once of a global, such as `rep` in `string.rep`; nil: none, or one without a constant name.
    public var field: String?
    /// True if the global is assigned to, not read.
    public var isAssignment = false
    /// The chunk of the place.
    public var chunk = ""
    /// The line of the place, 0 if unknown.
    public var line = 0
  }

  /// The assignments to captured locals in a function and in the functions inside it, by line.
  public func captureAssignments(of function: LuaFunction) -> [CodeUse] {
    guard let root = bytecode(of: function) else { return [] }
    return root.uses(outer: root.captures.map(\.name)) { _, instruction, _, outer in
      guard instruction.operation == .setUpvalue, outer.indices.contains(instruction.b) else { return nil }
      return outer[instruction.b].map { CodeUse(name: $0, isAssignment: true) }
    }
  }

  /// True if a function captures nothing but the table of globals, which Lua calls `_ENV`.
  public func capturesOnlyGlobals(_ function: LuaFunction) -> Bool {
    bytecode(of: function)?.captures.allSatisfy { $0.name == "_ENV" } ?? false
  }

  /// The uses of globals in a function and in the functions inside it, by line. In a function with more than 255
  /// constants, not all uses are found.
  public func globalUses(of function: LuaFunction) -> [CodeUse] {
    bytecode(of: function)?.uses(outer: []) { code, instruction, position, _ in
      let isAssignment = instruction.operation == .setUpvalueField
      guard isAssignment || instruction.operation == .getUpvalueField else { return nil }
      let (capture, key) = isAssignment ? (instruction.a, instruction.b) : (instruction.b, instruction.c)
      guard code.captures.indices.contains(capture), code.captures[capture].name == "_ENV",
        let name = code.constant(key)
      else { return nil }
      return CodeUse(name: name, field: isAssignment ? nil : code.field(after: position), isAssignment: isAssignment)
    } ?? []
  }

  /// The uses of a global function after which its results are let go, by line: calls whose results nothing gets, those whose
  /// results the chunk itself returns, and those that hand the function on, as in `pcall(command, text)`.
  public func discardedCalls(of chunk: LuaFunction, global name: String) -> [CodeUse] {
    bytecode(of: chunk)?.uses(outer: []) { code, instruction, position, _ in
      guard instruction.operation == .getUpvalueField, code.captures.indices.contains(instruction.b),
        code.captures[instruction.b].name == "_ENV", code.constant(instruction.c) == name
      else { return nil }
      // The arguments are made behind the function's place.
      let call = code.instructions[position...].first {
        [.call, .tailCall].contains($0.operation) && $0.a <= instruction.a
      }
      guard let call, call.a == instruction.a else { return CodeUse(name: name) }
      let isChunk = code.lineDefined == 0
      return call.operation == .call && call.c == 1 || call.operation == .tailCall && isChunk
        ? CodeUse(name: name) : nil
    } ?? []
  }

  /// The fields that a function reads of the parameter at a position, from 0, in code order. Empty where it does anything else
  /// with it, such as putting something in its place.
  public func fieldReads(of function: LuaFunction, parameter: Int) -> [CodeUse] {
    guard case .fields = function.sketch.use(of: parameter), let code = bytecode(of: function),
      !code.instructions.contains(where: { $0.mayWrite(parameter) })
    else { return [] }
    return code.instructions.enumerated().compactMap { position, instruction in
      guard instruction.operation == .getField, instruction.b == parameter else { return nil }
      return code.constant(instruction.c).map { CodeUse(name: $0, chunk: code.source, line: code.line(of: position)) }
    }
  }

  /// The fields that a function reads of a field of the parameter at a position, from 0, each at once: nobody else gets what has them,
  /// and nothing is left in it. Nil where it may do more with that, or its code calls other code.
  public func fieldReads(of function: LuaFunction, parameter: Int, field: String) -> Set<String>? {
    guard case .fields = function.sketch.use(of: parameter), let code = bytecode(of: function),
      code.instructions.allSatisfy(\.goesOn), !code.instructions.contains(where: { $0.mayWrite(parameter) })
    else { return nil }
    var names: Set<String> = []
    for (read, next) in zip(code.instructions, code.instructions.dropFirst())
    where read.operation == .getField && read.b == parameter && code.constant(read.c) == field {
      // Into the register that it was in.
      guard next.operation == .getField, next.a == read.a, next.b == read.a, let name = code.constant(next.c) else {
        return nil
      }
      names.insert(name)
    }
    return names
  }

  /// The place of a function in the source: its chunk and the line on which it begins. Nil for a host function.
  public func place(of function: LuaFunction) -> (chunk: String, line: Int)? {
    bytecode(of: function).map { ($0.source, $0.lineDefined) }
  }

  private func bytecode(of function: LuaFunction) -> BytecodeReader.Function? {
    function.link === link ? link.bytecode(of: function) : nil
  }
}

extension LuaLink {
  /// The code of a function; nil of a host function.
  func bytecode(of function: LuaFunction) -> BytecodeReader.Function? {
    guard let machine else { return nil }
    var bytes: [UInt8] = []
    let isDumped = withUnsafeMutablePointer(to: &bytes) { target in
      clua_dump(machine, function.reference, target) { context, piece, count in
        let target = context.assumingMemoryBound(to: [UInt8].self)
        target.pointee.append(contentsOf: UnsafeRawBufferPointer(start: piece, count: count))
      }
    }
    guard isDumped, var code = try? BytecodeReader.read(bytes) else { return nil }
    if let state { code.source = state.chunkNames.shown(code.source) }
    return code
  }
}

extension BytecodeReader.Function {
  func constant(_ index: Int) -> String? { constants.indices.contains(index) ? constants[index] : nil }

  fileprivate func line(of position: Int) -> Int { lines.indices.contains(position) ? lines[position] : 0 }

  /// The field that is read, by a constant name, of what an instruction read.
  fileprivate func field(after position: Int) -> String? {
    guard instructions.indices.contains(position + 1) else { return nil }
    let next = instructions[position + 1]
    return next.operation == .getField && next.b == instructions[position].a ? constant(next.c) : nil
  }

  /// The uses found at the instructions of the function and of those inside it, by line.
  ///
  /// - Parameters:
  ///   - outer: the names of those captures that are the outermost function's too; nil for a local of a function in between.
  ///   - find: gets a function, an instruction, its position, and the same names of that function's captures.
  fileprivate func uses(
    outer: [String?], in chunk: String = "", _ find: (Self, Instruction, Int, [String?]) -> LuaState.CodeUse?
  ) -> [LuaState.CodeUse] {
    let chunk = source.isEmpty ? chunk : source
    var found: [LuaState.CodeUse] = []
    for (position, instruction) in instructions.enumerated() {
      guard var use = find(self, instruction, position, outer) else { continue }
      (use.chunk, use.line) = (chunk, line(of: position))
      found.append(use)
    }
    for inner in inner {
      let outer = inner.captures.map { capture in
        capture.isLocalOfParent || !outer.indices.contains(capture.index) ? nil : outer[capture.index]
      }
      found += inner.uses(outer: outer, in: chunk, find)
    }
    return found.sorted { $0.line < $1.line }
  }
}

extension LuaState {
  /// A number for the captures of a function, and the count of values behind it.
  public struct CaptureDigest: Hashable, Sendable {
    /// The number.
    public let value: UInt64
    /// The number of values visited for it.
    public let size: Int
  }

  /// A number that changes when a captured local changes, or anything in a table, function or coroutine reached from
  /// one. Taken before and after a call, it tells if the function kept state of its own. The global table, the
  /// libraries and what host objects stand for do not count. Of a table it is taken of what it holds.
  public func digestOfCaptures(_ function: LuaReference) throws(LuaError) -> CaptureDigest {
    var digest = CLuaDigest()
    if function.link === link { try check(clua_digestCaptures(machine, function.reference, &digest)) }
    return CaptureDigest(value: digest.value, size: Int(digest.size))
  }
}

/// The facts that the code of a function tells about its calls, found without running it.
///
/// With them a call of Lua takes 2,540 instructions instead of 3,270 (row L1), a dispatch through Lua 6,170 instead of 8,480
/// (row L4), by callgrind on 2026-11-22, with a handler of errors that stays on the stack. An ingested record took 39,600
/// instead of 43,800 (row B2) once arguments that nobody reads were not made, among others.
public struct LuaCodeSketch: Hashable, Sendable {
  /// The use that a function makes of a parameter.
  public enum ParameterUse: Hashable, Sendable {
    /// Nothing: it need not be given.
    case none
    /// Only fields with these names are read of it: nobody else gets it, and nothing is left in it.
    case fields(Set<String>)
    /// Anything.
    case any
  }

  /// The use of each parameter; nil: the function takes any number, and does anything with them.
  let uses: [ParameterUse]?
  /// True if a call ends before anybody looks at its budget, given values without metamethods in Lua. The code has no
  /// loops, calls nothing, uses no captured values and is short. Its instructions need not be counted.
  public let isBrief: Bool

  /// The use of the argument at a position, from 0.
  public func use(of position: Int) -> ParameterUse {
    guard let uses else { return .any }
    return position < uses.count ? uses[position] : .none
  }
}

extension LuaCodeSketch {
  init(_ code: BytecodeReader.Function?) {
    guard let code, !code.isVariadic else {
      self.init(uses: nil, isBrief: false)
      return
    }
    let isBrief = code.instructions.count < CLUA_HOOK_PERIOD && code.instructions.allSatisfy(\.goesOn)
    self.init(uses: (0..<code.parameterCount).map { code.use(of: $0) }, isBrief: isBrief)
  }
}

extension LuaFunction {
  /// True if a call ends before its budget is looked at, whatever it gets that has no metamethods in Lua and leads to no function
  /// in Lua. Its instructions need not be counted. Its chunk, which has run, was loaded as a module.
  ///
  /// The code has no loops, and calls no function in Lua but those that it captures for good, of which the same is true. It gets hold
  /// of no other: it makes none, reads no captured table, and of the globals only functions in C that call nothing back.
  public var isBrief: Bool {
    if sketch.isBrief { return true }
    var instructions = 0
    return isBrief(&instructions, depth: 0)
  }

  private func isBrief(_ instructions: inout Int, depth: Int) -> Bool {
    guard depth < 8, let state = link.state, !state.machine.pointee.hasHiddenCode, let code = link.bytecode(of: self),
      !code.isVariadic, let assigned = state.assignedCaptures[code.source]
    else { return false }
    instructions += code.instructions.count
    guard instructions < CLUA_HOOK_PERIOD else { return false }
    for (position, instruction) in code.instructions.enumerated() {
      switch instruction.operation {
      case .call, .tailCall, .method: continue
      case .getUpvalue, .getUpvalueField:
        guard code.captures.indices.contains(instruction.b), !assigned.contains(code.captures[instruction.b].name)
        else {
          return false
        }
        var inner: Int32 = 0
        let captured = clua_captured(state.machine, reference, Int32(instruction.b + 1), &inner)
        switch (captured, instruction.operation) {
        case (.scalar, .getUpvalue): continue
        case (.globals, .getUpvalueField):
          guard let name = code.constant(instruction.c), Self.plainGlobals.contains(name) else { return false }
        case (.function, _):
          let function = LuaFunction(link, inner)
          guard instruction.operation == .getUpvalue, code.onlyCalls(from: position),
            function.isBrief(&instructions, depth: depth + 1)
          else { return false }
        default: return false
        }
      default: if !instruction.goesOn { return false }
      }
    }
    return true
  }

  /// Globals of a sandbox, which no code changes: functions that neither call one that they are given nor make one, and libraries of
  /// such functions or of those that call what they are given.
  private static let plainGlobals: Set = [
    "assert", "decimal", "error", "math", "refuse", "round", "select", "string", "table", "tonumber", "tostring",
    "type",
    "utf8",
  ]
}

extension BytecodeReader.Function {
  /// The names of the captured locals that the function, or one inside it, assigns to.
  var assignedCaptures: Set<String> {
    let own = instructions.filter { $0.operation == .setUpvalue && captures.indices.contains($0.b) }
    return inner.reduce(into: Set(own.map { captures[$0.b].name })) { $0.formUnion($1.assignedCaptures) }
  }

  /// True if what the instruction at a position loads is called behind it, and used for nothing else.
  fileprivate func onlyCalls(from load: Int) -> Bool {
    let register = instructions[load].a
    let call = instructions.indices.dropFirst(load + 1).first {
      instructions[$0].a == register && [.call, .tailCall].contains(instructions[$0].operation)
    }
    guard let call else { return false }
    return (load + 1..<call).allSatisfy { position in
      let instruction = instructions[position]
      let leadsPast = instruction.operation == .jump && position + 1 + instruction.distance > call
      return !leadsPast && !instruction.mayRead(register)
    }
  }

  // A parameter has its register to itself for as long as the function runs.
  fileprivate func use(of parameter: Int) -> LuaCodeSketch.ParameterUse {
    let isCaptured = inner.contains { $0.captures.contains { $0.isLocalOfParent && $0.index == parameter } }
    let readers = instructions.filter { $0.mayRead(parameter) }
    if isCaptured { return .any }
    if readers.isEmpty { return .none }
    var names: Set<String> = []
    for reader in readers where reader.operation != .test {
      guard reader.operation == .getField, let name = constant(reader.c) else { return .any }
      names.insert(name)
    }
    return .fields(names)
  }
}
