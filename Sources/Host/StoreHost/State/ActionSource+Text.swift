import StoreCore

extension ActionSource {
  /// The source in one word: `repl:3`, `demo.stsh:7`, `-c:1`, `plugin:pomodoro/clock`.
  package var short: String {
    switch kind {
    case .plugin, .effect:
      // Swift code says where it stands.
      plugin.map { "plugin:\($0)/\(unit ?? "")" } ?? "\(file):\(line)"
    default: "\(file):\(line)"
    }
  }
}
