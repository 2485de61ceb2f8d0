import CLua
import Synchronization

/// The part of a state that its functions and tables share: they may outlive it.
@usableFromInline
final class LuaLink {
  /// Null once the state is gone.
  @exclusivity(unchecked) @usableFromInline var machine: UnsafeMutablePointer<CLuaMachine>?
  /// Nil once the state is gone, which says so itself before its memory goes.
  @exclusivity(unchecked) unowned(unsafe) var state: LuaState?

  private let released = Mutex<[Int32]>([])
  private let releasedCount = Atomic<Int>(0)

  /// Notes that a reference is no longer needed. A reference may end on any thread; the state drops it later on its own.
  func release(_ reference: Int32) {
    released.withLock { $0.append(reference) }
    releasedCount.add(1, ordering: .relaxed)
  }

  /// Drops what was released; called where the state is in use anyway. While items wait to be pushed nothing is dropped:
  /// one of them may name a reference whose holder is gone already.
  @inline(__always)
  func dropReleased() {
    guard releasedCount.load(ordering: .relaxed) > 0, let machine else { return }
    if machine.pointee.items.count == 0 { dropAll(machine) }
  }

  private func dropAll(_ machine: UnsafeMutablePointer<CLuaMachine>) {
    let references = released.withLock { references in
      defer { references.removeAll(keepingCapacity: true) }
      return references
    }
    releasedCount.subtract(references.count, ordering: .relaxed)
    for reference in references { clua_release(machine, reference) }
  }

  /// The value at an index of the current stack.
  func value(at index: Int32) -> LuaValue {
    guard let machine else { return .nil }
    var value = CLuaValue()
    clua_read(machine, index, &value)
    return self.value(of: value)
  }

  /// The same for a value already read.
  func value(of value: CLuaValue) -> LuaValue {
    switch value.kind {
    case .nil: return .nil
    case .boolean: return .boolean(value.boolean)
    case .integer: return .integer(Int(value.integer))
    case .number: return .number(value.number)
    case .decimal: return .decimal(LuaDecimal(value))
    case .string:
      guard hold(value.count) else { return .nil }
      return LuaBytes(value).validText.map { .string($0) } ?? .other(LuaValue.badText)
    case .object: return .object(LuaObject(value.object))
    case .other: return .other(String(cString: value.typeName))
    case .table: return anchor(value.index).map { .table(LuaTable(self, $0)) } ?? .nil
    case .function: return anchor(value.index).map { .function(LuaFunction(self, $0)) } ?? .nil
    }
  }

  /// A copy of a string; bytes that are no UTF-8 are replaced by U+FFFD.
  func copy(_ text: LuaBytes) throws(LuaError) -> String {
    guard hold(text.count) else { throw Self.lost }
    if let valid = text.validText { return valid }
    let replaced = text.text
    guard hold(replaced.utf8.count) else { throw Self.lost }
    return replaced
  }

  private func anchor(_ index: Int32) -> Int32? {
    guard let machine else { return nil }
    var reference: Int32 = 0
    guard clua_anchor(machine, index, &reference) == .done else {
      // Lua has no memory, or no C stack left for the attempt.
      machine.pointee.isShort = true
      return nil
    }
    return reference
  }

  /// Counts bytes that the host is about to hold for the running call (``LuaMeter/hold(_:)``).
  @inline(__always)
  func hold(_ bytes: Int) -> Bool { machine.map { clua_hold($0, bytes) } ?? true }

  /// Counts the work and the memory of taking over the entries of a table.
  func holdEntries(_ count: Int) -> Bool { machine.map { LuaMeter(machine: $0).holdEntries(count) } ?? true }

  /// Throws when a value could not be kept since the last look; a nil in its place must not pass for the value.
  @inline(__always)
  func checkLost() throws(LuaError) {
    if let lost = takeLost() { throw lost }
  }

  /// The error that ``checkLost()`` throws.
  @inlinable
  @inline(__always)
  func takeLost() -> LuaError? {
    guard let machine, machine.pointee.isShort else { return nil }
    machine.pointee.isShort = false
    return LuaLink.lost
  }

  @usableFromInline static var lost: LuaError {
    LuaError(kind: .memory, message: "no room to keep a value (C stack overflow or no memory)")
  }
}
