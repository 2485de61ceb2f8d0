extension PersistentList: Schematic where Element: Schematic {
  /// `[Element]`; a snapshot shares all that did not change.
  @inlinable
  public static var schema: Schema {
    let element = Element.schema
    return Schema(
      kind: .list(element),
      access: Access(
        byteCount: MemoryLayout<Self>.size, copies: Access.copying(Self.self),
        read: { .list(PersistentList<Value>($0.assumingMemoryBound(to: Self.self).pointee.map(\.schemaValue))) },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Self.self).pointee = try Self(schemaValue: value)
        },
        isEqual: { left, right in
          let left = left.assumingMemoryBound(to: Self.self).pointee
          let right = right.assumingMemoryBound(to: Self.self).pointee
          guard left.count == right.count else { return false }
          return Self.commonEnds(left, right) { element.access.isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1)) }
            .prefix
            == left.count
        },
        parts: .list(
          ListAccess(
            count: { $0.assumingMemoryBound(to: Self.self).pointee.count },
            address: { source, index in
              source.assumingMemoryBound(to: Self.self).pointee.withElement(at: index) { UnsafeRawPointer($0) }
            },
            mutableAddress: { target, index in
              target.assumingMemoryBound(to: Self.self).pointee.withMutableElement(at: index) {
                UnsafeMutableRawPointer($0)
              }
            },
            insert: { (target, index, value) throws(SchemaError) in
              let value = try Element(schemaValue: value)
              target.assumingMemoryBound(to: Self.self).pointee.insert(value, at: index)
            },
            remove: { target, index in
              target.assumingMemoryBound(to: Self.self).pointee.remove(at: index)
            },
            commonEnds: { left, right in
              Self.commonEnds(
                left.assumingMemoryBound(to: Self.self).pointee, right.assumingMemoryBound(to: Self.self).pointee
              ) { element.access.isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1)) }
            }, find: { $0.assumingMemoryBound(to: Self.self).pointee.findElement(at: $1) }))))
  }

  /// The list; its elements must be of the element type.
  @inlinable
  public init(schemaValue value: Value) throws(SchemaError) {
    self.init(try value.elements(as: Element.self))
  }
}

extension Array: Schematic where Element: Schematic {
  /// `[Element]`; a snapshot that is held makes the next change copy the array. For lists that grow, prefer
  /// ``PersistentList``.
  @inlinable
  public static var schema: Schema {
    let element = Element.schema
    return Schema(
      kind: .list(element),
      access: Access(
        byteCount: MemoryLayout<Self>.size, copies: Access.copying(Self.self),
        read: { .list(PersistentList<Value>($0.assumingMemoryBound(to: Self.self).pointee.map(\.schemaValue))) },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Self.self).pointee = try Self(schemaValue: value)
        },
        isEqual: { left, right in
          let left = left.assumingMemoryBound(to: Self.self).pointee
          let right = right.assumingMemoryBound(to: Self.self).pointee
          return left.count == right.count && left.commonEnds(with: right, element.access.isEqual).prefix == left.count
        },
        parts: .list(
          ListAccess(
            count: { $0.assumingMemoryBound(to: Self.self).pointee.count },
            address: { source, index in
              source.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { elements in
                guard let start = elements.baseAddress, elements.indices.contains(index) else {
                  preconditionFailure("Index out of range")
                }
                return UnsafeRawPointer(start + index)
              }
            },
            mutableAddress: { target, index in
              target.assumingMemoryBound(to: Self.self).pointee.withUnsafeMutableBufferPointer { elements in
                guard let start = elements.baseAddress, elements.indices.contains(index) else {
                  preconditionFailure("Index out of range")
                }
                return UnsafeMutableRawPointer(start + index)
              }
            },
            insert: { (target, index, value) throws(SchemaError) in
              let value = try Element(schemaValue: value)
              target.assumingMemoryBound(to: Self.self).pointee.insert(value, at: index)
            },
            remove: { target, index in
              target.assumingMemoryBound(to: Self.self).pointee.remove(at: index)
            },
            commonEnds: { left, right in
              left.assumingMemoryBound(to: Self.self).pointee.commonEnds(
                with: right.assumingMemoryBound(to: Self.self).pointee, element.access.isEqual)
            }))))
  }

  /// The array; its elements must be of the element type.
  @inlinable
  public init(schemaValue value: Value) throws(SchemaError) {
    self = try value.elements(as: Element.self)
  }
}

extension Array {
  @inlinable
  func commonEnds(with other: [Element], _ isEqual: Access.Compare) -> (prefix: Int, suffix: Int) {
    withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in
        let shared = Swift.min(left.count, right.count)
        guard let left = left.baseAddress, let right = right.baseAddress else { return (0, 0) }
        if left == right, count == other.count { return (shared, 0) }
        var prefix = 0
        while prefix < shared, isEqual(UnsafeRawPointer(left + prefix), UnsafeRawPointer(right + prefix)) {
          prefix += 1
        }
        var suffix = 0
        while suffix < shared - prefix,
          isEqual(
            UnsafeRawPointer(left + (count - 1 - suffix)), UnsafeRawPointer(right + (other.count - 1 - suffix)))
        {
          suffix += 1
        }
        return (prefix, suffix)
      }
    }
  }
}

extension Value {
  /// The elements of a list, as Swift values. An empty map counts as an empty list: Lua writes both as `{}`.
  @inlinable
  public func elements<Element: Schematic>(as type: Element.Type) throws(SchemaError) -> [Element] {
    switch self {
    case .list(let list):
      var elements: [Element] = []
      elements.reserveCapacity(list.count)
      for value in list {
        do throws(SchemaError) {
          elements.append(try Element(schemaValue: value))
        } catch {
          throw error.under(Path([.index(elements.count + 1)]))
        }
      }
      return elements
    case .map(let map) where map.isEmpty: return []
    default: throw SchemaError(Path(), .typeMismatch(expected: "[\(Element.schema.typeName)]", found: described))
    }
  }
}
