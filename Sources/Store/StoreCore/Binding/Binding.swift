/// A value of a store, to be read and to be written; writing dispatches the one action declared for it.
///
/// A write is an action like any other: recorded, and perhaps answered otherwise by the reducers. The new value is read
/// back only once the action has been reduced. The idea comes from the bindings of SwiftRex and Bindable Redux.
public struct Binding<Value: Equatable & Sendable>: Sendable {
  private let target: any BindingTarget<Value>

  init(_ target: any BindingTarget<Value>) { self.target = target }

  /// The value now.
  public var value: Value { target.read() }

  /// Dispatches the action that stands for a new value; its source is the line of the call. Nil where a projection's map
  /// drops the action.
  @discardableResult
  public func set(
    _ value: Value, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult? {
    set(value, source: .here(info: info, file: file, function: function, line: line))
  }

  /// Dispatches the action that stands for a new value, from a known source. Nil where a projection's map drops the action.
  @discardableResult
  public func set(_ value: Value, source: ActionSource) -> DispatchResult? { target.write(value, source) }

  /// Tells a watcher of the value, now and after every commit that changed it, whoever did.
  public func watch(
    _ name: String = "binding", _ onChange: @escaping @Sendable (Notification<Value>) -> Void
  ) -> Subscription { target.watch(name, { $0 }, onChange) }

  /// A part of the value, to be read and to be written.
  ///
  /// In a store that takes a ``BindingUpdate``, a write carries nothing but the part. Else it carries the whole value
  /// with the part replaced, the rest as it is when ``set(_:source:)`` is called. Of two parts written while the store
  /// is busy, the second write then takes the first one back.
  public func part<Part: Equatable & Sendable>(_ path: WritableKeyPath<Value, Part> & Sendable) -> Binding<Part> {
    Binding<Part>(target.part(path))
  }
}

extension Store {
  /// Binds something of the state to the one action that sets it.
  ///
  /// - Parameters:
  ///   - get: the value in the state.
  ///   - action: the action that stands for a new value.
  public func binding<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (State) -> Value, set action: @escaping @Sendable (Value) -> Action
  ) -> Binding<Value> {
    Binding(ActionTarget(base: self, get: get, action: action))
  }

  /// Binds a path of the state, and all paths below it, to the one action that takes updates.
  ///
  /// - Parameters:
  ///   - path: the value in the state.
  ///   - action: the action that carries an update; see ``BindingUpdate``.
  public func binding<Value: Equatable & Sendable>(
    _ path: WritableKeyPath<State, Value> & Sendable,
    update action: @escaping @Sendable (BindingUpdate<State>) -> Action
  ) -> Binding<Value> {
    Binding(PathTarget(base: self, path: SendablePath(path), action: action))
  }
}

extension StoreProjection {
  /// Binds something of the projected state to the one action that sets it.
  ///
  /// - Parameters:
  ///   - get: the value in the projected state.
  ///   - action: the view's action that stands for a new value.
  public func binding<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (State) -> Value, set action: @escaping @Sendable (Value) -> Action
  ) -> Binding<Value> {
    func bind<Base: ProjectionBase<Action, State>>(_ base: Base) -> Binding<Value> {
      Binding(ActionTarget(base: base, get: get, action: action))
    }
    return bind(base)
  }

  /// Binds a path of the projected state, and all paths below it, to the one action that takes updates.
  ///
  /// - Parameters:
  ///   - path: the value in the projected state.
  ///   - action: the view's action that carries an update; see ``BindingUpdate``.
  public func binding<Value: Equatable & Sendable>(
    _ path: WritableKeyPath<State, Value> & Sendable,
    update action: @escaping @Sendable (BindingUpdate<State>) -> Action
  ) -> Binding<Value> {
    func bind<Base: ProjectionBase<Action, State>>(_ base: Base) -> Binding<Value> {
      Binding(PathTarget(base: base, path: SendablePath(path), action: action))
    }
    return bind(base)
  }
}
