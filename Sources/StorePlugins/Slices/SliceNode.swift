import LuaRuntime
import StoreSchema

/// A place in a slice that Lua holds an object for: how to get there from its parent, and what stands there.
///
/// A class, because a node is looked at several times for each access: a copy of its parts costs more than the rest.
final class SliceNode {
  /// The node that it is a part of; -1: it is the root of a slice, or no longer a part of one.
  private(set) var parent: Int
  /// The way from the parent, or to the slice.
  private(set) var step: Step
  /// How many replacements in the draft it has been compared with.
  var seen: Int
  /// The type of what stands there, unwrapped where it is optional.
  let schema: Schema
  /// The way through the optional that what stands there is wrapped in, if it is.
  private(set) var wrapper: OptionalAccess?
  /// The field names as the Lua state interned them, where a record stands there.
  let keys: FieldKeys?

  init(
    parent: Int, step: Step, seen: Int, schema: Schema, wrapper: OptionalAccess?, keys: FieldKeys?
  ) {
    self.parent = parent
    self.step = step
    self.seen = seen
    self.schema = schema
    self.wrapper = wrapper
    self.keys = keys
  }

  /// One step inwards.
  enum Step: Equatable {
    /// The slice that the running reducer may change.
    case draft
    /// A module's slice, read-only.
    case module(String)
    /// A field of a record, by position from 0.
    case field(Int)
    /// An element of a list, by position from 0.
    case element(Int)
    /// An entry of a map.
    case entry(MapKey)
    /// What stood in the draft until it was replaced there.
    case loose(LoosePart)
    /// What stood in the draft and could not be kept.
    case gone

    static func == (left: Step, right: Step) -> Bool {
      switch (left, right) {
      case (.field(let left), .field(let right)), (.element(let left), .element(let right)): left == right
      case (.entry(let left), .entry(let right)): left == right
      default: false
      }
    }
  }

  /// Takes the node out of the draft, with the value that it stands for.
  func leave(with value: Value?) {
    parent = -1
    wrapper = nil
    step = value.map { .loose(LoosePart($0)) } ?? .gone
  }

  /// Hands out what stands at an address, through the optional around it.
  func unwrap(_ pointer: UnsafeRawPointer, _ body: PartReader) {
    guard let wrapper else { return body(pointer) }
    _ = wrapper.read(pointer, body)
  }

  /// Hands out what stands at an address for change in place, through the optional around it.
  func unwrap(_ pointer: UnsafeMutableRawPointer, _ body: PartWriter) throws {
    guard let wrapper else { return try body(pointer) }
    _ = try wrapper.modify(pointer, body)
  }
}

/// The field names of a record type as one Lua state interned them: a field is found by comparing addresses.
final class FieldKeys {
  private let keys: [LuaKey]

  init(_ keys: [LuaKey]) { self.keys = keys }

  /// The position of a field, from 0.
  func index(of text: LuaText) -> Int? {
    for index in keys.indices where keys[index] == text { return index }
    return nil
  }
}

extension Schema {
  /// Whether Lua gets an object for a value of the type, through an optional around it.
  var hasParts: Bool {
    switch kind {
    case .record, .list, .map: true
    case .optional(let wrapped): wrapped.hasParts
    default: false
    }
  }
}
