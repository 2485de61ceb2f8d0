import ArgumentParser
import LineEditor
import StandardModules
import StoreShell

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a session as the options ask.
struct Program {
  private let options: Stsh
  private let places = Places()

  init(_ options: Stsh) { self.options = options }

  func run() throws -> Int32 {
    let console = Console(width: { isatty(1) == 1 ? TerminalSize.columns : nil })
    console.showsProgress = isatty(2) == 1 && !options.json
    let session = try Session(.standard, options: try sessionOptions(), console: console)
    defer { console.flush() }
    let loaded = session.loadPlugins()
    guard loaded == 0 else { return loaded }
    if let file = options.replay {
      let started = session.start(from: file)
      guard started == 0 else { return started }
    }
    var status: Int32?
    if !options.command.isEmpty {
      status = session.run(commands: options.command)
    } else if let file = options.script.first {
      status = session.run(file: file, arguments: Array(options.script.dropFirst()))
    }
    if let status, !options.interactive || session.hasQuit { return status }
    guard isatty(0) == 1 else { return status ?? session.run(descriptor: 0) }
    return try prompt(session)
  }

  private func prompt(_ session: Session) throws -> Int32 {
    let editor = try ReadlineEditor(
      program: "stsh", historyFile: HistoryFile(path: places.history, now: { time(nil) }))
    defer { editor.close() }
    return try Prompt(session, on: editor).run()
  }

  private func sessionOptions() throws -> SessionOptions {
    var session = SessionOptions()
    session.keepsGoing = options.keepGoing
    session.isJSON = options.json
    session.isQuiet = options.quiet
    session.pluginFolders = options.plugin
    session.grants = Set(options.grant)
    session.allowsPlugins = !options.noPlugins
    session.allowsExecution = !options.noExec
    session.pluginSearchPath = places.pluginSearchPath
    session.grantsFile = places.grants
    guard let format = Format(rawValue: options.format) else {
      throw ValidationError("--as takes one of \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    session.format = format
    switch options.clock {
    case "real": break
    case "virtual": session.hasVirtualClock = true
    default: throw ValidationError("--clock takes real or virtual, not '\(options.clock)'")
    }
    session.usesColor = try usesColor()
    return session
  }

  private func usesColor() throws -> Bool {
    switch options.color {
    case "always": return true
    case "never": return false
    case "auto":
      let isPlain = places.environment("NO_COLOR") != nil || places.environment("TERM") == "dumb"
      return isatty(2) == 1 && !isPlain
    default: throw ValidationError("--color takes auto, always or never, not '\(options.color)'")
    }
  }
}
