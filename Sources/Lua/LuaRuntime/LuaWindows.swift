import CLua

/// A field of a record in memory as a window shows it.
public struct LuaWindowSlot {
  @usableFromInline let raw: CLuaWindowSlot

  /// The content of the field.
  public enum Kind {
    /// An `Int` within bounds.
    case integer(ClosedRange<Int>)
    /// A `Double`.
    case number
    /// A `Bool`.
    case boolean
    /// A `String` kept in place: up to fifteen bytes, zeros and a byte that is the count plus a mark. The mark is one
    /// for ASCII and another for other text.
    case text(asciiMark: UInt8, otherMark: UInt8)
    /// Something that the host has an object for: which one of these it is in the record, from 0.
    case part(Int)
    /// A value that only the host can read.
    case other
  }

  /// Describes a field.
  ///
  /// - Parameters:
  ///   - key: its name, interned in the state.
  ///   - offset: the offset from the start of the record, in bytes.
  ///   - tag: the offset of the tag byte from the field's start, and the value that the tag must have; nil: no tag.
  public init(_ key: LuaKey, offset: Int, _ kind: Kind, tag: (offset: Int, value: UInt8)? = nil) {
    var raw = CLuaWindowSlot()
    raw.key = key.pointer
    raw.offset = UInt32(truncatingIfNeeded: offset)
    raw.tagOffset = UInt16(truncatingIfNeeded: tag?.offset ?? 0)
    raw.tag = tag?.value ?? 0
    raw.kind = .other
    switch kind {
    case .integer(let bounds):
      raw.kind = .integer
      (raw.minimum, raw.maximum) = (Int64(bounds.lowerBound), Int64(bounds.upperBound))
    case .number: raw.kind = .number
    case .boolean: raw.kind = .boolean
    case .text(let asciiMark, let otherMark):
      raw.kind = .text
      (raw.asciiMark, raw.textMark) = (asciiMark, otherMark)
    case .part(let position):
      raw.kind = .part
      raw.part = UInt32(truncatingIfNeeded: position)
    case .other: break
    }
    self.raw = raw
  }

  /// True if Lua can read it without the host.
  public var isShown: Bool { raw.kind != .other }
}

/// The windows of a state: fields of records in the host's memory that Lua reads and writes in place, behind host objects.
///
/// A window has the number that is the `id` of its object, and is open until ``time`` moves on. Reads that a window
/// does not show, and writes that it may not take, go to the ``LuaObjectHandler`` as without one. Before the first
/// write through a window the handler is asked to make it writable.
public struct LuaWindows {
  @usableFromInline let raw: UnsafeMutablePointer<CLuaWindows>

  /// When the windows that are open were opened: moving on shuts all of them.
  @inlinable public var time: Int {
    get { Int(raw.pointee.time) }
    nonmutating set { raw.pointee.time = Int64(newValue) }
  }

  /// Opens a window behind the object of a number.
  ///
  /// - Parameters:
  ///   - slots: the fields, which must stay where they are while it is open.
  ///   - memory: the start of the record.
  ///   - parts: the number of the object of the first field that is a ``LuaWindowSlot/Kind/part(_:)``; the others
  ///     follow in order. 0: the host is to be asked for them.
  @inlinable
  public func open(
    _ number: Int, _ slots: UnsafeMutableBufferPointer<LuaWindowSlot>, _ memory: UnsafeMutableRawPointer,
    isWritable: Bool, parts: Int = 0
  ) {
    let start = UnsafeRawPointer(slots.baseAddress)?.assumingMemoryBound(to: CLuaWindowSlot.self)
    guard let start else { return }
    clua_openWindow(
      raw, number, start, UInt32(truncatingIfNeeded: slots.count), memory, isWritable,
      UInt32(truncatingIfNeeded: parts))
  }

  /// True if the window of a number is open.
  @inlinable
  public func isOpen(_ number: Int) -> Bool {
    number < raw.pointee.count && raw.pointee.windows[number].time == raw.pointee.time
  }

  /// The memory that the window of a number shows, and whether it is writable; nil where it is not open.
  @inlinable
  public func memory(of number: Int) -> (start: UnsafeMutableRawPointer, isWritable: Bool)? {
    guard isOpen(number), let memory = raw.pointee.windows[number].memory else { return nil }
    return (UnsafeMutableRawPointer(memory), raw.pointee.windows[number].isWritable)
  }

  /// Shuts all windows; from now on they stand behind objects with the tag and the generation of this one.
  @inlinable
  public func moveOn(to object: LuaObject) {
    raw.pointee.time += 1
    raw.pointee.stamp = object.raw >> 24
  }

  // MARK: Writes

  /// The number of writes since ``forgetWrites()``.
  @inlinable public var writeCount: Int { raw.pointee.writeCount }

  /// Forgets what the writes overwrote.
  @inlinable
  public func forgetWrites() { raw.pointee.writeCount = 0 }

  /// The bytes that a write overwrote.
  public struct Write {
    /// The number of the window.
    public let window: Int
    /// The position of the slot.
    public let slot: Int
    @usableFromInline let raw: CLuaWrite

    /// Puts it back.
    public func restore(_ slot: LuaWindowSlot, at field: UnsafeMutableRawPointer) {
      withUnsafePointer(to: slot.raw) { slot in
        withUnsafeBytes(of: raw.former) { former in
          UnsafeMutableRawBufferPointer(start: field, count: clua_slotSize(slot)).copyBytes(
            from: former.prefix(clua_slotSize(slot)))
        }
      }
    }
  }

  /// Takes the last write out.
  public func popWrite() -> Write? {
    guard raw.pointee.writeCount > 0 else { return nil }
    raw.pointee.writeCount -= 1
    return write(raw.pointee.writeCount)
  }

  /// The window and the slot of the write at a position, from the first on.
  @inlinable
  public func place(ofWrite position: Int) -> (window: Int, slot: Int) {
    let write = raw.pointee.writes + position
    return (Int(write.pointee.window), Int(write.pointee.slot))
  }

  /// The integer that the write at a position overwrote.
  @inlinable
  public func integer(ofWrite position: Int) -> Int {
    withUnsafeBytes(of: raw.pointee.writes[position].former) { $0.loadUnaligned(as: Int.self) }
  }

  /// The write at a position, from the first on.
  public func write(_ position: Int) -> Write {
    let write = raw.pointee.writes[position]
    return Write(window: Int(write.window), slot: Int(write.slot), raw: write)
  }
}

extension LuaState {
  /// The windows of this state.
  public var windows: LuaWindows { LuaWindows(raw: clua_windows(machine)) }
}
