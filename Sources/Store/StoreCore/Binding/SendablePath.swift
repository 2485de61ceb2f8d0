/// A writable key path that may be appended to and stays sendable, which the standard library's `appending(path:)` forgets.
struct SendablePath<Root, Value>: @unchecked Sendable {
  // Safe: the path is one that is sendable, or was appended from such; it captures what they capture and no more.
  let path: WritableKeyPath<Root, Value>

  init(_ path: WritableKeyPath<Root, Value> & Sendable) { self.path = path }

  private init(appended path: WritableKeyPath<Root, Value>) { self.path = path }

  func appending<Part>(_ part: WritableKeyPath<Value, Part> & Sendable) -> SendablePath<Root, Part> {
    SendablePath<Root, Part>(appended: path.appending(path: part as WritableKeyPath<Value, Part>))
  }
}
