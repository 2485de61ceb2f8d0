// What the bridge to RxSwift needs of RxSwift. As there, nothing of it is `Sendable`, and observers are classes or hold them.

protocol Disposable { func dispose() }

enum Disposables {
  static func create(with dispose: @escaping () -> Void) -> Disposable { AnonymousDisposable(action: dispose) }
}

private final class AnonymousDisposable: Disposable {
  private var action: (() -> Void)?

  init(action: @escaping () -> Void) { self.action = action }

  func dispose() {
    action?()
    action = nil
  }
}

final class AnyObserver<Element> {
  private var next: ((Element) -> Void)?
  private let completed: () -> Void

  init(next: @escaping (Element) -> Void, completed: @escaping () -> Void) {
    self.next = next
    self.completed = completed
  }

  func onNext(_ element: Element) { next?(element) }

  func onCompleted() {
    guard next != nil else { return }
    next = nil
    completed()
  }
}

protocol ObservableConvertibleType {
  associatedtype Element
  func asObservable() -> Observable<Element>
}

final class Observable<Element>: ObservableConvertibleType {
  private let start: (AnyObserver<Element>) -> Disposable

  init(_ start: @escaping (AnyObserver<Element>) -> Disposable) { self.start = start }

  static func create(_ start: @escaping (AnyObserver<Element>) -> Disposable) -> Observable { Observable(start) }

  static func of(_ elements: Element...) -> Observable {
    create { observer in
      elements.forEach(observer.onNext)
      observer.onCompleted()
      return Disposables.create {}
    }
  }

  func asObservable() -> Observable { self }

  func take(while predicate: @escaping (Element) -> Bool) -> Observable {
    Observable { observer in
      self.start(
        AnyObserver(
          next: { predicate($0) ? observer.onNext($0) : observer.onCompleted() }, completed: observer.onCompleted))
    }
  }

  func subscribe(onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil) -> Disposable {
    start(AnyObserver(next: { onNext?($0) }, completed: { onCompleted?() }))
  }

  var values: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream { continuation in
      nonisolated(unsafe) let disposable = self.subscribe(
        onNext: { element in
          nonisolated(unsafe) let element = element
          continuation.yield(element)
        }, onCompleted: { continuation.finish() })
      continuation.onTermination = { _ in disposable.dispose() }
    }
  }
}
