import StoreCore

// What the article on bridges shows for RxSwift, against a stand-in for it.

extension StoreConnection {
  var observable: Observable<State> {
    Observable.create { observer in
      nonisolated(unsafe) let observer = observer
      let subscription = subscribe({ observer.onNext($0) }, { observer.onCompleted() })
      return Disposables.create { subscription.cancel() }
    }
  }
}

extension ObservableConvertibleType {
  func dispatch<State>(
    to connection: StoreConnection<Element, State>, file: String = #fileID, function: String = #function,
    line: Int = #line
  ) -> Disposable {
    let source = ActionSource(file: file, function: function, line: line, kind: .effect)
    return asObservable().take(while: { _ in connection.isOpen() })
      .subscribe(onNext: { _ = connection.dispatch(DispatchedAction($0, source: source)) })
  }
}

enum RequestAction: Equatable, Sendable {
  case ask
  case found(Int)
  case failed(String)
}

func requesting(_ request: @escaping @Sendable () -> Observable<Int>) -> Effect<Void, RequestAction> {
  Effect.stream({ _ in request().values }, action: { .found($0) }, failure: { .failed("\($0)") }).token("request")
}
