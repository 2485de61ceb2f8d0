import StoreCore
import StorePlugins
import StoreSchema

extension LiveStore {
  /// Does what a plugin needs before it stands in the store: it is heard, and its interceptors are made.
  ///
  /// - Parameter isHeard: false: it only shows what was, and what it says is no news.
  package func prepare(_ plugin: Plugin, isHeard: Bool = true) throws(PluginError) {
    plugin.describeTables { InlineText.text(of: $0, spelling: .lua) }
    plugin.attachLog(now: { [clock] in clock.now }, onDrop: { [unowned self] in noteDroppedLogLine() }) {
      [unowned self] line in
      guard isHeard else { return }
      for client in clients { client.hearing.plugins?(line) }
    }
    try plugin.interceptors.build(view: view)
  }

  /// Has the clients say soon, but not with each line, that lines of plugins were dropped.
  private func noteDroppedLogLine() {
    _ = attendance.hasDroppedLogLines.set(true)
    let now = ContinuousClock.now
    if let last = attendance.saidDroppedLogLines, now - last < .seconds(1) { return }
    attendance.saidDroppedLogLines = now
    for client in clients { client.hearing.words?() }
  }

  /// The thunks of the application and of the plugins that run.
  package var thunks: [ThunkType] {
    turn {
      let shell = store.withState { $0.shell }
      return application.thunks.map(\.type)
        + plugins.map(\.plugin).filter { shell.condition(of: $0.module.name) == .on }.flatMap(\.tasks.thunkTypes)
    }
  }

  /// Puts the interceptors of the application and of the plugins that run into the chain, the application's outermost, then
  /// those of the plugin that was loaded first (R5). One that stays keeps what it holds; those of a plugin that is off stand aside (R29).
  package func replaceInterceptors() throws(StoreError) {
    let shell = store.withState { $0.shell }
    let running = plugins.filter { shell.condition(of: $0.plugin.module.name) == .on }
    let wanted = application.interceptors + running.flatMap(\.interceptors)
    guard !wanted.elementsEqual(store.interceptors, by: { $0 === $1 }) else { return }
    try store.replaceInterceptors(wanted)
  }
}
