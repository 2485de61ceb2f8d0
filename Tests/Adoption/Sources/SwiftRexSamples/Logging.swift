import StoreCore

// README 0.8.12, "Middleware Examples": a middleware of the whole store that dispatches nothing.

struct LogEntry: Equatable, Sendable {
  var action: AppAction
  var source: String
  var before, after: AppState
  var time: Duration
}

func logger(_ log: @escaping @Sendable (LogEntry) -> Void) -> Middleware<AppAction, Never, AppState> {
  Middleware("logger") { action, context, state in
    let before = state()
    return IO { _ in
      let source = "\(context.source.file):\(context.source.line) - \(context.source.function)"
      log(LogEntry(action: action, source: source, before: before, after: state(), time: context.time))
    }
  }
}
