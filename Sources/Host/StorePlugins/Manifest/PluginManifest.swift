import StoreModules
import StoreSchema

/// The data of a plugin's `plugin.json`, read without running any Lua.
public struct PluginManifest: Hashable, Sendable {
  /// The module's name: `[a-z][a-z0-9_]*`.
  public let name: String
  /// The plugin's version, for people.
  public let version: String
  /// The plugin API that it is written for.
  public let api: Int
  /// The plugin's purpose, in one sentence.
  public let summary: String
  /// The permissions that it asks for, in the order of the file.
  public let permissions: [Permission]
  /// The limits that hold for it: those that it sets itself, and what plugins have where they say nothing.
  public internal(set) var limits: Limits
  /// The names of the limits that it sets itself.
  let statedLimits: Set<String>

  /// The plugin APIs that this host serves.
  public static let servedAPIs = 1...1

  /// The limits of one plugin.
  public struct Limits: Hashable, Sendable {
    /// VM instructions a call.
    public var instructions = 200_000
    /// Bytes of Lua memory.
    public var memory = 4 << 20
    /// Tasks that run at a time.
    public var tasks = 4
    /// Lines that it says in a second.
    public var logLines = 100
    /// Actions that its tasks and thunks dispatch in a second.
    public var actions = 10_000
  }

  /// A limit by its name in manifests.
  public struct NamedLimit: Sendable {
    /// The name.
    public let name: String
    /// The limited quantity, in words.
    public let summary: String
    /// The place of the limit in `Limits`.
    public let path: WritableKeyPath<Limits, Int> & Sendable
    /// True if it is a number of bytes, which may be written as a size.
    public var isSize = false
  }

  /// All limits, by name.
  public static let limits = [
    NamedLimit(name: "actions", summary: "actions a second from tasks and thunks", path: \.actions),
    NamedLimit(name: "instructions", summary: "instructions a call", path: \.instructions),
    NamedLimit(name: "log_lines", summary: "log lines a second", path: \.logLines),
    NamedLimit(name: "memory", summary: "bytes of memory", path: \.memory, isSize: true),
    NamedLimit(name: "tasks", summary: "tasks at a time", path: \.tasks),
  ]

  /// The limits above which no plugin may set its own.
  public static let ceiling: Limits = {
    var limits = Limits()
    limits.instructions = 20_000_000
    limits.memory = 256 << 20
    limits.tasks = 1_000_000
    limits.logLines = 1000
    limits.actions = 1_000_000
    return limits
  }()
}

extension PluginManifest {
  /// The manifest below a ceiling: a limit that it does not set itself gives way.
  ///
  /// - Throws: ``PluginError`` where it sets itself one above the ceiling.
  public func bounded(by ceiling: Limits) throws(PluginError) -> PluginManifest {
    var bounded = self
    for limit in Self.limits where limits[keyPath: limit.path] > ceiling[keyPath: limit.path] {
      let most = ceiling[keyPath: limit.path]
      guard !statedLimits.contains(limit.name) else {
        throw PluginError(
          .load, of: name, "limits.\(limit.name) is \(limits[keyPath: limit.path]), the most is \(most)",
          hint: "set plugin.ceiling.\(limit.name) says how much plugins may ask for")
      }
      bounded.limits[keyPath: limit.path] = most
    }
    return bounded
  }

  /// The number of bytes in a size such as `4MiB` or `64KiB`; nil if a text is none.
  public static func bytes(_ size: String) -> Int? {
    for (suffix, unit) in [("KiB", 1 << 10), ("MiB", 1 << 20)] where size.hasSuffix(suffix) {
      guard let number = Int(size.dropLast(suffix.count)), number > 0 else { return nil }
      let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: unit)
      return isTooMuch ? nil : bytes
    }
    return nil
  }
}

extension PluginManifest {
  /// True if the plugin may read a module's slice: its own, or one that it asked for.
  public func mayRead(_ module: String) -> Bool { module == name || permissions.contains(.read(module: module)) }

  func readRefusal(_ module: String) -> String {
    "may not read '\(module)' (add \"read:\(module)\" to permissions in plugin.json)"
  }

  func mayDispatch(_ type: ActionType) -> Bool {
    type.module == name
      || permissions.contains { $0.covers(.dispatch(module: type.module, action: type.name)) }
  }
}
