/// A value to be written at one path of a state: the content of the action that a ``Binding`` dispatches.
///
/// A single case of an action, `case edit(BindingUpdate<Form>)`, then serves all bindings into one slice. Its reducer
/// is ``Reducer/updates``, lifted. The idea is Bindable Redux's `BindingUpdateAction`.
public struct BindingUpdate<State>: Sendable {
  private let edit: any BindingEdit<State>

  /// An update of one path.
  public init<Value: Equatable & Sendable>(_ path: WritableKeyPath<State, Value> & Sendable, _ value: Value) {
    self.init(SendablePath(path), value)
  }

  init<Value: Equatable & Sendable>(_ path: SendablePath<State, Value>, _ value: Value) {
    edit = PathEdit(path: path, value: value)
  }

  /// The path of the part to write.
  public var path: PartialKeyPath<State> { edit.target }

  /// The value to write, of the type at the path.
  public var value: any Sendable { edit.content }

  /// Writes the value; nothing else of the state is touched.
  public func apply(to state: inout State) { edit.apply(to: &state) }
}

extension BindingUpdate: Equatable {
  /// True if both write an equal value at the same path.
  public static func == (left: BindingUpdate, right: BindingUpdate) -> Bool { left.edit.isEqual(to: right.edit) }
}

extension BindingUpdate: CustomStringConvertible {
  /// The path and the value, for traces.
  public var description: String { "\(path) = \(value)" }
}

extension Reducer where Action == BindingUpdate<State> {
  /// Writes each update into the state: `.updates.lift(action: \.edit, state: \.form)`.
  public static var updates: Reducer { Reducer("updates") { update, state in update.apply(to: &state) } }
}

private protocol BindingEdit<State>: Sendable {
  associatedtype State

  var target: PartialKeyPath<State> { get }
  var content: any Sendable { get }
  func apply(to state: inout State)
  func isEqual(to other: any BindingEdit) -> Bool
}

private struct PathEdit<State, Value: Equatable & Sendable>: BindingEdit {
  let path: SendablePath<State, Value>
  let value: Value

  var target: PartialKeyPath<State> { path.path }
  var content: any Sendable { value }

  func apply(to state: inout State) { state[keyPath: path.path] = value }

  func isEqual(to other: any BindingEdit) -> Bool {
    guard let other = other as? PathEdit else { return false }
    return path.path == other.path.path && value == other.value
  }
}
