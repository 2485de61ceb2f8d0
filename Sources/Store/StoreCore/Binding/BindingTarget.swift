protocol BindingTarget<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  func read() -> Value
  func write(_ value: Value, _ source: ActionSource) -> DispatchResult?
  func watch<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription
  func part<Part: Equatable & Sendable>(_ path: WritableKeyPath<Value, Part> & Sendable) -> any BindingTarget<Part>
}

/// A value that one action sets as a whole.
struct ActionTarget<Base: ProjectionBase, Value: Equatable & Sendable>: BindingTarget {
  let base: Base
  let get: @Sendable (Base.State) -> Value
  let action: @Sendable (Value) -> Base.Action

  func read() -> Value { base.read(get) }

  func write(_ value: Value, _ source: ActionSource) -> DispatchResult? { base.send(action(value), source) }

  func watch<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    let get = get
    return base.watch(name, { part(get($0)) }, isDifferent: { $0 != $1 }, onChange)
  }

  func part<Part: Equatable & Sendable>(_ path: WritableKeyPath<Value, Part> & Sendable) -> any BindingTarget<Part> {
    PartTarget(whole: self, path: path)
  }
}

/// A part of a value that is set as a whole.
struct PartTarget<Whole: BindingTarget, Value: Equatable & Sendable>: BindingTarget {
  let whole: Whole
  let path: WritableKeyPath<Whole.Value, Value> & Sendable

  func read() -> Value { whole.read()[keyPath: path] }

  func write(_ value: Value, _ source: ActionSource) -> DispatchResult? {
    var all = whole.read()
    all[keyPath: path] = value
    return whole.write(all, source)
  }

  func watch<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    let path = path
    return whole.watch(name, { part($0[keyPath: path]) }, onChange)
  }

  func part<Part: Equatable & Sendable>(_ path: WritableKeyPath<Value, Part> & Sendable) -> any BindingTarget<Part> {
    PartTarget<Self, Part>(whole: self, path: path)
  }
}

struct PathTarget<Base: ProjectionBase, Value: Equatable & Sendable>: BindingTarget {
  let base: Base
  let path: SendablePath<Base.State, Value>
  let action: @Sendable (BindingUpdate<Base.State>) -> Base.Action

  func read() -> Value { base.read { $0[keyPath: path.path] } }

  func write(_ value: Value, _ source: ActionSource) -> DispatchResult? {
    base.send(action(BindingUpdate(path, value)), source)
  }

  func watch<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    let path = path
    return base.watch(name, { part($0[keyPath: path.path]) }, isDifferent: { $0 != $1 }, onChange)
  }

  func part<Part: Equatable & Sendable>(_ path: WritableKeyPath<Value, Part> & Sendable) -> any BindingTarget<Part> {
    PathTarget<Base, Part>(base: base, path: self.path.appending(path), action: action)
  }
}
