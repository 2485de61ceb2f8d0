import LuaRuntime
import StoreSchema

/// Scalars between Lua and memory, without a ``Value`` where there is none.
extension SlicePart {
  /// True if the value is in a Swift optional, which lets nobody have its address.
  var isWrapped: Bool { form == .optionalParts && memory != .value }

  /// The way that Lua reads and writes the field without asking anybody, where it can.
  ///
  /// - Parameter part: which one of the record's shown parts it is; nil: none.
  func slot(_ key: LuaKey, part: Int?) -> LuaWindowSlot {
    if let part { return LuaWindowSlot(key, offset: offset, .part(part)) }
    var kind: LuaWindowSlot.Kind
    var tag: (offset: Int, value: UInt8)?
    let tags = Value.scalarTags
    func tagged(_ value: UInt8?) -> (offset: Int, value: UInt8)? {
      tags.flatMap { tags in value.map { (tags.offset, $0) } }
    }
    switch form {
    case .int: (kind, tag) = (.integer(minimum...max(minimum, maximum)), tagged(tags?.int))
    case .double: (kind, tag) = (.number, tagged(tags?.double))
    case .bool: (kind, tag) = (.boolean, tagged(tags?.bool))
    case .string:
      kind = ShortText.marks.map { .text(asciiMark: $0.ascii, otherMark: $0.other) } ?? .other
      tag = tagged(tags?.string)
    case .other, .parts, .optionalParts: kind = .other
    }
    switch (memory, form) {
    case (.int, .int), (.double, .double), (.bool, .bool), (.string, .string): tag = nil
    case (.value, _): if tag == nil { kind = .other }
    default: kind = .other
    }
    return LuaWindowSlot(key, offset: offset, kind, tag: tag)
  }

  /// Runs a body where something stands at an address.
  @inline(__always)
  func ifPresent(_ address: UnsafeRawPointer, _ body: () -> Void) {
    guard form == .optionalParts, case .optional(let access) = schema.access.parts else { return body() }
    _ = access.read(address) { _ in body() }
  }

  /// Writes the scalar at an address for Lua.
  @inline(__always)
  func write(_ address: UnsafeRawPointer, to result: inout LuaResult) {
    switch memory {
    case .int: result.append(address.load(as: Int.self))
    case .bool: result.append(address.load(as: Bool.self))
    case .double: result.append(address.load(as: Double.self))
    case .string: result.append(address.assumingMemoryBound(to: String.self).pointee)
    case .value:
      switch address.assumingMemoryBound(to: Value.self).pointee {
      case .int(let value): result.append(value)
      case .bool(let value): result.append(value)
      case .double(let value): result.append(value)
      case .string(let value): result.append(value)
      case let value: LuaBridge.write(value, to: &result)
      }
    case .other: LuaBridge.write(schema.access.read(address), to: &result)
    }
  }

  /// The value that a Lua argument is, where it is a scalar of the type: nothing has to be converted or looked into then.
  @inline(__always)
  func scalar(_ argument: LuaArgument) -> Value? {
    // The Swift type has a say in it, or the value is converted.
    if case .other = memory { return nil }
    return switch (form, argument.kind) {
    case (.int, .integer(let number)): number >= minimum && number <= maximum ? .int(number) : nil
    case (.double, .number(let number)): .double(number)
    case (.double, .integer(let number)): .double(Double(number))
    case (.bool, .boolean(let value)): .bool(value)
    case (.string, .string): argument.text.map { .string($0) }
    default: nil
    }
  }

  /// Exchanges the scalar at an address for another one of the type.
  ///
  /// - Returns: what stood there; nil, and nothing is done, where the memory is of another kind.
  @inline(__always)
  func exchange(_ value: Value, _ address: UnsafeMutableRawPointer) -> Value? {
    func replaced<Scalar>(by scalar: Scalar) -> Scalar {
      let slot = address.assumingMemoryBound(to: Scalar.self)
      defer { slot.initialize(to: scalar) }
      return slot.move()
    }
    switch (memory, value) {
    case (.value, _): return replaced(by: value)
    case (.int, .int(let number)): return .int(replaced(by: number))
    case (.bool, .bool(let isOn)): return .bool(replaced(by: isOn))
    case (.double, .double(let number)): return .double(replaced(by: number))
    case (.string, .string(let text)): return .string(replaced(by: text))
    default: return nil
    }
  }
}
