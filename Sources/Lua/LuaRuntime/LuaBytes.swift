import CLua

/// The bytes of a Lua string, in place. Valid during the callback that got it.
public struct LuaBytes {
  /// The first byte; for a string of up to 40 bytes the same address as that of every equal string of the state.
  public let pointer: UnsafeRawPointer
  /// The number of bytes.
  public let count: Int

  @usableFromInline
  init(_ value: CLuaValue) {
    pointer = UnsafeRawPointer(value.bytes)
    count = value.count
  }

  /// The bytes.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pointer, count: count) }

  /// A copy as text; nil where the bytes are no UTF-8.
  public var validText: String? {
    // Most texts are ASCII, and looking at that is many times quicker than the general way.
    isASCII ? text : String(validating: bytes, as: UTF8.self)
  }

  private var isASCII: Bool {
    var seen: UInt8 = 0
    for byte in bytes { seen |= byte }
    return seen < 0x80
  }

  /// A copy as text; bytes that are no UTF-8 are replaced by U+FFFD.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A string that a state keeps for its whole life, so that a key is recognised by its address.
public struct LuaKey {
  /// The text.
  public let text: String
  /// The address of the string in the state.
  public let pointer: UnsafeRawPointer
  @usableFromInline let reference: Int32

  /// True if a string argument of the same state is this key.
  @inlinable
  public static func == (key: LuaKey, text: LuaBytes) -> Bool {
    key.pointer == text.pointer || (text.count > 40 && text.count == key.text.utf8.count && text.text == key.text)
  }
}
