// What the bridge to ReactiveSwift needs of ReactiveSwift. As there, observers are classes that are not `Sendable`.

enum Signal<Value, Error: Swift.Error> {
  final class Observer {
    private var send: ((Value) -> Void)?
    private let terminated: () -> Void

    init(value: @escaping (Value) -> Void, terminated: @escaping () -> Void) {
      send = value
      self.terminated = terminated
    }

    func send(value: Value) { send?(value) }

    func sendCompleted() {
      guard send != nil else { return }
      send = nil
      terminated()
    }
  }
}

final class Lifetime {
  private var actions: [() -> Void] = []

  @discardableResult
  func observeEnded(_ action: @escaping () -> Void) -> (any Disposable)? {
    actions.append(action)
    return nil
  }

  func end() {
    for action in actions { action() }
    actions = []
  }
}

protocol SignalProducerConvertible<Value, Error> {
  associatedtype Value
  associatedtype Error: Swift.Error
  var producer: SignalProducer<Value, Error> { get }
}

struct SignalProducer<Value, Error: Swift.Error>: SignalProducerConvertible {
  private let begin: (Signal<Value, Error>.Observer, Lifetime) -> Void

  init(_ begin: @escaping (Signal<Value, Error>.Observer, Lifetime) -> Void) { self.begin = begin }

  init(_ values: [Value]) {
    self.init { observer, _ in
      values.forEach(observer.send(value:))
      observer.sendCompleted()
    }
  }

  var producer: SignalProducer { self }

  func take(while predicate: @escaping (Value) -> Bool) -> SignalProducer {
    SignalProducer { observer, lifetime in
      begin(
        Signal.Observer(
          value: { predicate($0) ? observer.send(value: $0) : observer.sendCompleted() },
          terminated: observer.sendCompleted), lifetime)
    }
  }

  func on(terminated: @escaping () -> Void) -> SignalProducer {
    SignalProducer { observer, lifetime in
      lifetime.observeEnded(terminated)
      begin(observer, lifetime)
    }
  }

  func startWithValues(_ action: @escaping (Value) -> Void) -> any Disposable where Error == Never {
    let lifetime = Lifetime()
    begin(Signal.Observer(value: action, terminated: lifetime.end), lifetime)
    return Disposables.create(with: lifetime.end)
  }
}
