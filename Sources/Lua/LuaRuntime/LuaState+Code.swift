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
