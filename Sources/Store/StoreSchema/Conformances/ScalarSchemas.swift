extension Schema {
  /// A schema for a Swift type without parts, or one whose parts are read and replaced as a whole.
  ///
  /// With it a type of one's own has a schema, whatever it holds; the page of this library shows one. Two values are the
  /// same that are written alike, byte by byte.
  ///
  /// - Parameters:
  ///   - type: the Swift type.
  ///   - kind: the form in which its values are written.
  ///   - read: a value in that form.
  @inlinable
  public static func scalar<Scalar: Schematic>(
    _ type: Scalar.Type, _ kind: Kind, read: @escaping @Sendable (Scalar) -> Value
  ) -> Schema {
    scalar(type, kind, read: read) { read($0) == read($1) }
  }

  /// The same for values that can be told apart without being written.
  ///
  /// - Parameter name: the name that users read; nil: that of the form.
  @inlinable
  package static func scalar<Scalar: Schematic>(
    _ type: Scalar.Type, _ kind: Kind, name: String? = nil, read: @escaping @Sendable (Scalar) -> Value,
    isEqual: @escaping @Sendable (Scalar, Scalar) -> Bool
  ) -> Schema {
    let memory = Access.Memory(of: Scalar.self)
    var normalize: Normalize?
    // Of the others the kind says all.
    if case .other = memory { normalize = { (value) throws(SchemaError) in read(try Scalar(schemaValue: value)) } }
    return Schema(
      kind: kind,
      access: Access(
        byteCount: kind.hasParts ? MemoryLayout<Scalar>.size : 0, memory: memory, copies: Access.copying(Scalar.self),
        read: { read($0.assumingMemoryBound(to: Scalar.self).pointee) },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Scalar.self).pointee = try Scalar(schemaValue: value)
        },
        isEqual: {
          isEqual($0.assumingMemoryBound(to: Scalar.self).pointee, $1.assumingMemoryBound(to: Scalar.self).pointee)
        }), normalize: normalize, givenName: name)
  }
}

extension Schema.Kind {
  /// True if values have parts that are read one by one, though a Swift type may change them together only.
  @inlinable
  public var hasParts: Bool {
    switch self {
    case .list, .map, .record: true
    case .bool, .int, .double, .decimal, .string, .choice, .optional, .union, .any: false
    }
  }
}

extension Bool: Schematic {
  /// `Bool`.
  public static let schema = Schema.scalar(Bool.self, .bool, read: { .bool($0) }, isEqual: ==)
  /// The truth value.
  public init(schemaValue value: Value) throws(SchemaError) {
    guard case .bool(let value) = value else { throw Bool.schema.mismatch(value) }
    self = value
  }
}

extension Int: Schematic {
  /// `Int`, without bounds.
  public static let schema = Schema.scalar(
    Int.self, .int(minimum: nil, maximum: nil), read: { .int($0) }, isEqual: ==)
  /// The integer.
  public init(schemaValue value: Value) throws(SchemaError) {
    guard case .int(let value) = value else { throw Int.schema.mismatch(value) }
    self = value
  }
}

extension Double: Schematic {
  /// `Double`.
  public static let schema = Schema.scalar(Double.self, .double) { .double($0) }
  /// The number; an integer is one too.
  public init(schemaValue value: Value) throws(SchemaError) {
    switch value {
    case .double(let value): self = value
    case .int(let value): self = Double(value)
    case .decimal(let value): self = value.nearestFloat
    default: throw Double.schema.mismatch(value)
    }
  }
}

extension Float: Schematic {
  /// `Double`: the number that the shortest decimal of the `Float` stands for, so that 0.1 stays 0.1.
  public static let schema = Schema.scalar(Float.self, .double) { number in
    if let shown = Double("\(number)"), Float(shown) == number { return .double(shown) }
    return .double(Double(number))
  }
  /// The number, rounded to the nearest `Float`, of which there must be one; an integer is one too.
  public init(schemaValue value: Value) throws(SchemaError) {
    let number = try Double(schemaValue: value)
    self.init(number)
    if isInfinite, number.isFinite {
      let bound = Float.greatestFiniteMagnitude
      throw SchemaError(Path(), .outOfRange(bounds: "\(-bound)...\(bound)", found: ScalarText.text(of: number)))
    }
  }
}

extension String: Schematic {
  /// `String`. Two texts are the same that agree byte by byte.
  public static let schema = Schema.scalar(String.self, .string, read: { .string($0) }) { $0.hasSameBytes(as: $1) }
  /// The text.
  public init(schemaValue value: Value) throws(SchemaError) {
    guard case .string(let value) = value else { throw String.schema.mismatch(value) }
    self = value
  }
}

extension Optional: Schematic where Wrapped: Schematic {
  /// `Wrapped?`.
  @inlinable
  public static var schema: Schema {
    let wrapped = Wrapped.schema
    return Schema(
      kind: .optional(wrapped),
      access: Access(
        copies: Access.copying(Wrapped?.self),
        read: { source in
          source.assumingMemoryBound(to: Wrapped?.self).pointee.map(\.schemaValue) ?? .none
        },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Wrapped?.self).pointee = try Wrapped?(schemaValue: value)
        },
        isEqual: { left, right in
          switch (
            left.assumingMemoryBound(to: Wrapped?.self).pointee, right.assumingMemoryBound(to: Wrapped?.self).pointee
          )
          {
          case (nil, nil): true
          case (let left?, let right?):
            withUnsafePointer(to: left) { left in
              withUnsafePointer(to: right) { wrapped.access.isEqual(UnsafeRawPointer(left), UnsafeRawPointer($0)) }
            }
          default: false
          }
        },
        parts: .optional(
          OptionalAccess(
            read: { source, body in
              guard let value = source.assumingMemoryBound(to: Wrapped?.self).pointee else { return false }
              withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
              return true
            },
            modify: { target, body in
              let optional = target.assumingMemoryBound(to: Wrapped?.self)
              guard var value = optional.pointee else { return false }
              // Emptied meanwhile, so that `value` is the only owner and changes in place.
              optional.pointee = nil
              defer { optional.pointee = value }
              try withUnsafeMutablePointer(to: &value) { try body(UnsafeMutableRawPointer($0)) }
              return true
            }))))
  }

  /// The wrapped value, or nil.
  @inlinable
  public init(schemaValue value: Value) throws(SchemaError) {
    if case .none = value { self = nil } else { self = try Wrapped(schemaValue: value) }
  }
}
