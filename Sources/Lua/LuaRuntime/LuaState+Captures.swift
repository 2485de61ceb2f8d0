import CLua

extension LuaState {
  /// What a function captures, in a number, and how many values that is.
  public struct CaptureDigest: Hashable, Sendable {
    /// The number.
    public let value: UInt64
    /// How many values were looked at for it.
    public let size: Int
  }

  /// A number that changes when a local that the function captures changes, or anything in a table, function or coroutine
  /// that is reached from one: taken before and after a call it tells whether the function kept state of its own. The
  /// global table, the libraries and what host objects stand for do not count.
  /// Of a table it is taken of what it holds.
  public func digestOfCaptures(_ function: LuaReference) throws(LuaError) -> CaptureDigest {
    var digest = CLuaDigest()
    if function.link === link { try check(clua_digestCaptures(machine, function.reference, &digest)) }
    return CaptureDigest(value: digest.value, size: Int(digest.size))
  }

  /// A place in a function's code that assigns to a local captured from outside it.
  public struct CaptureAssignment: Hashable, Sendable {
    /// The name of the captured local.
    public var name: String
    /// The chunk of the assignment.
    public var chunk: String
    /// The line of the assignment, 0 if unknown.
    public var line: Int
  }

  /// The assignments to captured locals in a function and in the functions inside it, in code order, found in the
  /// bytecode without running it. Empty for a host function.
  public func captureAssignments(of function: LuaFunction) -> [CaptureAssignment] {
    guard let root = bytecode(of: function) else { return [] }
    return root.assignments(captures: root.captures.indices.map { $0 }, names: root.captures.map(\.name), root.source)
  }

  /// Whether a function captures nothing but the table of globals, which Lua calls `_ENV`. False for a host function.
  public func capturesOnlyGlobals(_ function: LuaFunction) -> Bool {
    bytecode(of: function)?.captures.allSatisfy { $0.name == "_ENV" } ?? false
  }

  /// A place in a function's code that uses a global by its name.
  public struct GlobalUse: Hashable, Sendable {
    /// The name of the global.
    public var name: String
    /// The field that is read of it at once, such as `rep` in `string.rep`; nil: none, or one without a constant name.
    public var field: String?
    /// Whether it is assigned to, not read.
    public var isAssignment: Bool
    /// The chunk of the use.
    public var chunk: String
    /// The line of the use, 0 if unknown.
    public var line: Int
  }

  /// The uses of globals in a function and in the functions inside it, by line, found in the bytecode without running
  /// it. Those of a function with more than 255 constants are not all found. Empty for a host function.
  public func globalUses(of function: LuaFunction) -> [GlobalUse] {
    guard let root = bytecode(of: function) else { return [] }
    return root.globalUses(root.source)
  }

  /// A place in a function's code that reads a field of one of its parameters by name.
  public struct FieldRead: Hashable, Sendable {
    /// The name of the field.
    public var name: String
    /// The chunk of the place.
    public var chunk: String
    /// The line of the place, 0 if unknown.
    public var line: Int
  }

  /// The fields that a function reads of the parameter at a position, from 0, in code order. Empty where it does anything else
  /// with it, such as putting something in its place, and for a host function.
  public func fieldReads(of function: LuaFunction, parameter: Int) -> [FieldRead] {
    guard case .fields = function.sketch.use(of: parameter), let code = bytecode(of: function) else { return [] }
    var found: [FieldRead] = []
    for (position, instruction) in code.instructions.enumerated() {
      if instruction.mayWrite(parameter) { return [] }
      guard instruction.operation == .getField, instruction.b == parameter,
        code.constants.indices.contains(instruction.c), let name = code.constants[instruction.c]
      else { continue }
      let line = code.lines.indices.contains(position) ? code.lines[position] : 0
      found.append(FieldRead(name: name, chunk: code.source, line: line))
    }
    return found
  }

  /// Where a function is written: its chunk and the line on which it begins. Nil for a host function.
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
  fileprivate func globalUses(_ outerSource: String) -> [LuaState.GlobalUse] {
    let source = source.isEmpty ? outerSource : source
    let own = namedUses.filter { captures.indices.contains($0.capture) && captures[$0.capture].name == "_ENV" }
      .map {
        LuaState.GlobalUse(
          name: $0.name, field: $0.field, isAssignment: $0.isAssignment, chunk: source, line: $0.line)
      }
    return (own + inner.flatMap { $0.globalUses(source) }).sorted { $0.line < $1.line }
  }

  /// `captures` says for each of this function's upvalues which of the outermost function's it is, nil for a local of a
  /// function in between.
  fileprivate func assignments(
    captures: [Int?], names: [String], _ outerSource: String
  ) -> [LuaState.CaptureAssignment] {
    let source = source.isEmpty ? outerSource : source
    var found: [LuaState.CaptureAssignment] = []
    for assignment in assignments where captures.indices.contains(assignment.capture) {
      guard let outermost = captures[assignment.capture], names.indices.contains(outermost) else { continue }
      found.append(LuaState.CaptureAssignment(name: names[outermost], chunk: source, line: assignment.line))
    }
    for inner in inner {
      let origins = inner.captures.map { capture -> Int? in
        guard !capture.isLocalOfParent, captures.indices.contains(capture.index) else { return nil }
        return captures[capture.index]
      }
      found += inner.assignments(captures: origins, names: names, source)
    }
    return found.sorted { $0.line < $1.line }
  }
}
