import CLua

/// Tells if the instructions of a function's calls need counting. Lua looks at its count before each instruction, which takes a
/// seventh of the time of a small function.
public enum LuaBrevity: Sendable {
  /// A call may take any time.
  case none
  /// A call ends before anybody looks at its budget while no code of the state has set a metatable, made a coroutine or compiled
  /// a text. Its code has no loops, and all that it calls is known.
  case whilePlain
  /// A call ends so soon in any case (``LuaCodeSketch/isBrief``).
  case always
}

extension LuaState {
  /// Compiles a chunk whose functions ``brevity(of:_:)`` may look into.
  public func loadModule(_ source: String, chunkName: String) throws(LuaError) -> LuaFunction {
    let chunk = try load(source, chunkName: chunkName)
    if let code = link.bytecode(of: chunk) {
      assignedCaptures[code.source, default: []].formUnion(code.assignedCaptures)
      // From the start, so that a call that is repeated is counted as before.
      if code.mentions(["setmetatable", "coroutine", "load"]) { machine.pointee.isElaborate = true }
    }
    return chunk
  }

  /// Tells how soon calls of a function end, whose chunk has run by now.
  ///
  /// - Parameter parameters: the leading parameters that never have metamethods or functions in Lua, nor hold such values.
  public func brevity(of function: LuaFunction, _ parameters: [HostParameter]) -> LuaBrevity {
    if function.sketch.isBrief { return .always }
    var bound = CallBound(state: self)
    guard bound.add(function, parameters), bound.instructions < CLUA_HOOK_PERIOD else { return .none }
    // A function kept in a table could be called as if it were a method there.
    return bound.callsMethods && bound.movesValues ? .none : .whilePlain
  }

  /// The kind of value that a function gets from the host.
  public enum HostParameter: Sendable {
    /// An object or a table of the host's, in which Lua code keeps nothing of its own.
    case sealed
    /// A table of data.
    case data
  }
}

/// The number of instructions that a call of a function runs at most, with those of all that it calls.
private struct CallBound {
  let state: LuaState
  private(set) var instructions = 0
  /// True if it calls methods of what may be a table of data.
  private(set) var callsMethods = false
  /// True if it uses values that may be, or hold, functions of Lua.
  private(set) var movesValues = false
  /// So deep calls are followed.
  private static let maximumDepth = 8

  init(state: LuaState) { self.state = state }

  /// Adds a call of a function.
  ///
  /// - Returns: false: nothing is known of how long it takes.
  mutating func add(
    _ function: LuaFunction, _ parameters: [LuaState.HostParameter] = [], depth: Int = 0
  ) -> Bool {
    guard depth < Self.maximumDepth, let code = state.link.bytecode(of: function), !code.isVariadic,
      let assigned = state.assignedCaptures[code.source]
    else { return false }
    instructions += code.instructions.count
    guard instructions < CLUA_HOOK_PERIOD else { return false }
    for parameter in 0..<code.parameterCount where depth == 0 && parameter >= parameters.count {
      if function.sketch.use(of: parameter) != .none { movesValues = true }
    }
    // Loads of functions that are called and do nothing else.
    var loads: Set<Int> = []
    for (position, instruction) in code.instructions.enumerated() {
      switch instruction.operation {
      case .call, .tailCall:
        guard let load = code.origin(of: instruction.a, before: position) else { return false }
        let loaded = code.instructions[load]
        switch loaded.operation {
        case .getUpvalue:
          guard let inner = called(loaded.b, of: function, code, assigned), add(inner, depth: depth + 1)
          else { return false }
          loads.insert(load)
        case .getUpvalueField:
          guard let name = global(load, of: function, code, assigned), Self.functions.contains(name) else {
            return false
          }
          loads.insert(load)
        case .getField:
          guard let library = code.origin(of: loaded.b, before: load), let name = code.constant(loaded.c),
            let found = global(library, of: function, code, assigned),
            Self.libraries[found].map({ $0.isEmpty || $0.contains(name) }) ?? false
          else { return false }
          loads.insert(library)
        // Looked at where it is.
        case .method: break
        default: return false
        }
      case .method:
        guard code.isHosted(instruction.b, before: position, parameters: parameters.count),
          instruction.isConstant, let name = code.constant(instruction.c), !Self.callers.contains(name)
        else { return false }
        let isSealed = instruction.b < parameters.count && parameters[instruction.b] == .sealed
        if !isSealed { callsMethods = true }
      case .getUpvalue, .getUpvalueField: break
      default: if !instruction.goesOn { return false }
      }
    }
    for (position, instruction) in code.instructions.enumerated() where !loads.contains(position) {
      if [.getUpvalue, .getUpvalueField].contains(instruction.operation) { movesValues = true }
    }
    return true
  }

  /// The function of Lua that a function captures for good; nil: none, or no one knows.
  private func called(
    _ capture: Int, of function: LuaFunction, _ code: BytecodeReader.Function, _ assigned: Set<String>
  ) -> LuaFunction? {
    guard code.captures.indices.contains(capture), !assigned.contains(code.captures[capture].name) else { return nil }
    let reference = clua_capturedFunction(state.machine, function.reference, Int32(capture + 1))
    return reference == 0 ? nil : LuaFunction(state.link, reference)
  }

  /// The name of the global that an instruction reads; nil: it reads something else.
  private func global(
    _ position: Int, of function: LuaFunction, _ code: BytecodeReader.Function, _ assigned: Set<String>
  ) -> String? {
    let instruction = code.instructions[position]
    guard instruction.operation == .getUpvalueField, code.captures.indices.contains(instruction.b),
      !assigned.contains(code.captures[instruction.b].name),
      clua_capturesGlobals(state.machine, function.reference, Int32(instruction.b + 1))
    else { return nil }
    return code.constant(instruction.c)
  }

  // No code changes the globals and the libraries of a plugin's sandbox. None of these functions calls one that it is given.

  private static let functions: Set = [
    "assert", "decimal", "error", "rawequal", "rawget", "rawlen", "refuse", "round", "select", "tonumber", "tostring",
    "type",
  ]
  /// The functions of libraries; of one without names, all.
  private static let libraries: [String: Set<String>] = [
    "log": [], "math": [], "utf8": [], "table": ["concat", "insert", "remove", "unpack"],
    "string": ["byte", "char", "find", "format", "len", "lower", "match", "rep", "reverse", "sub", "upper"],
  ]
  /// The methods of texts that may call a function that they are given.
  private static let callers: Set = ["gsub"]
}

extension BytecodeReader.Function {
  /// The names of the captures that the function, or one inside it, assigns to.
  fileprivate var assignedCaptures: Set<String> {
    let own = instructions.filter { $0.operation == .setUpvalue && captures.indices.contains($0.b) }
    return inner.reduce(into: Set(own.map { captures[$0.b].name })) { $0.formUnion($1.assignedCaptures) }
  }

  /// True if a name is a constant of the function, or of one inside it.
  fileprivate func mentions(_ names: [String]) -> Bool {
    constants.contains { constant in constant.map(names.contains) ?? false } || inner.contains { $0.mentions(names) }
  }

  /// The position of the instruction that wrote what a register holds when an instruction runs. Nil: no one knows, since the
  /// code may have come another way.
  fileprivate func origin(of register: Int, before position: Int) -> Int? {
    guard let load = instructions[..<position].lastIndex(where: { $0.mayHaveWritten(register) }),
      instructions[load].a == register, load == 0 || !instructions[load - 1].mayPassOver
    else { return nil }
    for (source, instruction) in instructions.enumerated() where instruction.operation == .jump {
      let target = source + 1 + instruction.distance
      if target > load, target <= position, source < load || source >= position { return nil }
    }
    return load
  }

  /// True if a register holds one of the leading parameters, or a part of one.
  fileprivate func isHosted(_ register: Int, before position: Int, parameters: Int) -> Bool {
    let parameterCount = min(parameters, parameterCount)
    if register < parameterCount { return !instructions.contains { $0.mayHaveWritten(register) } }
    guard let load = origin(of: register, before: position) else { return false }
    switch instructions[load].operation {
    case .move, .getField, .getIndex, .getInteger:
      return isHosted(instructions[load].b, before: load, parameters: parameters)
    default: return false
    }
  }
}

extension Instruction {
  /// True if the instruction may put something into a register.
  fileprivate func mayHaveWritten(_ register: Int) -> Bool {
    switch operation {
    case .jump, .test, .extraArgument, .returnNone, .returnOne, .returnMany, .setUpvalue, .setUpvalueField, .setField,
      .setIndex, .setInteger, .setList, .equal, .less, .lessOrEqual, .equalConstant, .equalInteger, .lessInteger,
      .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger, .metamethod, .metamethodInteger,
      .metamethodConstant:
      false
    case .loadNil: register >= a && register <= a + b
    case .method: register == a || register == a + 1
    case .call, .tailCall, .variadic, .genericLoopCall, .genericLoop, .genericLoopStart, .numericLoop,
      .numericLoopStart, nil:
      register >= a
    default: a == register
    }
  }

  /// True if the next instruction may be left out.
  fileprivate var mayPassOver: Bool {
    switch operation {
    case .equal, .less, .lessOrEqual, .equalConstant, .equalInteger, .lessInteger, .lessOrEqualInteger, .greaterInteger,
      .greaterOrEqualInteger, .test, .testAndSet, .loadFalseAndSkip:
      true
    default: false
    }
  }
}
