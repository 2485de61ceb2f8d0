import StoreCore
import StoreSchema

extension CasePath {
  /// Changes the payload in place, where the value is this very case.
  ///
  /// The enum gives its payload away meanwhile, so that what the payload holds has one owner and is not copied.
  ///
  /// - Returns: the closure's result, or nil if the value is another case.
  @inlinable
  public func modify<Result>(_ root: inout Root, _ body: (inout Payload) throws -> Result) rethrows -> Result? {
    try withUnsafeMutablePointer(to: &root) { place in
      guard var payload = take(from: place) else { return nil }
      defer { place.initialize(to: embed(payload)) }
      return try body(&payload)
    }
  }

  /// The payload, moved out of its place, which then holds nothing; nil where the value is another case, which stays.
  @inlinable
  func take(from place: UnsafeMutablePointer<Root>) -> Payload? {
    let root = place.move()
    if let payload = extract(root) { return payload }
    place.initialize(to: root)
    return nil
  }
}

/// The way to the payload of one case of an enum.
@usableFromInline
struct CaseFocus<Whole, Part>: StateFocus {
  @usableFromInline let path: CasePath<Whole, Part>

  @inlinable
  init(_ path: CasePath<Whole, Part>) { self.path = path }

  @inlinable
  func modify(_ whole: inout Whole, at key: Void, _ body: (inout Part) throws -> Void) rethrows {
    try path.modify(&whole, body)
  }
}
