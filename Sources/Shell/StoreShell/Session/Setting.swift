import ShellLanguage
import StoreHistory
import StoreHost
import StorePlugins
import StoreSchema

/// A setting: its name, its values, and how it is read and changed.
struct Setting: Sendable {
  let name: String
  /// The effect, in a few words.
  let summary: String
  /// The values it may have; empty: any of its form.
  let values: [String]
  /// The form of its values, where they cannot be listed, or of those that it may have besides.
  let form: String
  /// True if it may have other values than those listed, of its form.
  private let takesOthers: Bool
  let read: @Sendable (Session) -> String
  /// True if a value may be several words, as the setting prints them.
  var takesWords: Bool { values.isEmpty || takesOthers }
  /// The right that a change needs; nil: all.
  var need: Need? { isOfSession && name != "sessions.keep" ? .read : isOfPlugins ? .plugins : nil }
  private var isOfPlugins: Bool { name == "plugin.purity" }
  /// True if it is the session's own; else it is the store's, and comes and goes with its state.
  private let isOfSession: Bool
  /// Reads a value.
  ///
  /// - Throws: ``ShellError`` for a value that the setting cannot have.
  private let change: @Sendable (String) throws -> Assignment

  /// Gives a setting a value that was read. A setting of the store is changed by an action.
  typealias Assignment = (Session) throws -> CommandResult

  private init(
    _ name: String, _ values: [String], _ summary: String, form: String = "a number", takesOthers: Bool = false,
    isOfSession: Bool = false, read: @escaping @Sendable (Session) -> String,
    change: @escaping @Sendable (String) throws -> Assignment
  ) {
    self.name = name
    self.summary = summary
    self.values = values
    self.form = form
    self.takesOthers = takesOthers
    self.isOfSession = isOfSession
    self.read = read
    self.change = change
  }

  static let all = (others + PluginManifest.limits.map(ceiling)).sorted { $0.name < $1.name }

  static func named(_ name: String, at word: Word) throws -> Setting {
    if let setting = all.first(where: { $0.name == name }) { return setting }
    throw ShellError(
      code: .unknownSetting, message: "there is no setting '\(name)'", at: word,
      hint: name.hasPrefix("-")
        ? "a script ends at its first error, and trace on shows each phase"
        : name.contains("=")
          ? "a space stands between: set \(name.replacing("=", with: " ", maxReplacements: 1))"
          : Suggestion.question(name, among: all.map(\.name)) ?? "set lists them, and let \(name) = … sets a variable")
  }

  var valuesInWords: String {
    values.isEmpty ? form : (values + (takesOthers ? [form] : [])).joined(separator: ", ")
  }

  private static let others = [
    Setting(
      "emit", LiveStore.policies, "when watchers are notified", form: "or a Lua expression over state and before",
      takesOthers: true, read: { $0.store.settings.emission },
      change: { value in
        guard !LiveStore.policies.contains(value) else { return { try $0.perform(.setEmission(value), by: "set") } }
        let predicate = try StatePredicate(value)
        guard !predicate.isConstant else {
          throw ShellError(
            code: .typeMismatch, message: "emit is an expression over state and before, got '\(value)'",
            hint: "it is one of \(LiveStore.policies.joined(separator: ", ")) otherwise")
        }
        return { session in
          let view = session.store.view
          do throws(SessionLuaError) {
            _ = try predicate.holds(in: view, after: view)
          } catch {
            throw ShellError(code: .luaError, message: "emit: \(error.message)")
          }
          return try session.perform(.setEmission(value), by: "set")
        }
      }),
    toggle("highlight", "whether the prompt colours the line while it is typed", \.settings.highlights),
    toggle("hints", "whether the prompt shows what may come next", \.settings.showsHints),
    Setting(
      "journal.limit", [], "how much of the history is kept in memory",
      form: "a number of actions, a size such as 32MiB, or both",
      read: { $0.store.live.historyLimits.text },
      change: { value in
        guard HistoryLimits().changed(by: value) != nil else {
          throw ShellError(
            code: .typeMismatch,
            message: "journal.limit is a number of actions, a size such as 32MiB, or both, got '\(value)'")
        }
        return { session in
          let source = session.source(function: "set")
          return try session.finish(
            session.store.turn {
              let limits = session.store.live.historyLimits
              return session.store.dispatch(.setHistoryLimits(limits.changed(by: value) ?? limits), source)
            })
        }
      }),
    Setting(
      "output", Format.allCases.map(\.rawValue), "how results are shown", isOfSession: true,
      read: { $0.options.format.rawValue },
      change: { value in
        {
          $0.options.format = Format(rawValue: value) ?? .auto
          return .none
        }
      }),
    Setting(
      "plugin.purity", Purity.allCases.map(\.rawValue), "how often reducers are checked for state of their own",
      read: { $0.store.live.purity.rawValue },
      change: { value in
        { session in
          guard !session.settings.isTest || value == Purity.always.rawValue else {
            throw ShellError(
              code: .notAllowed, message: "plugin.purity stays always in a test: it looks at every call of a reducer")
          }
          return try session.perform(.setPurity(Purity(rawValue: value) ?? .always), by: "set")
        }
      }),
    Setting(
      "plugin.watch", ["on", "off"], "whether plugins are loaded again when their files change",
      read: { $0.store.live.watchesPlugins ? "on" : "off" },
      change: { value in { try $0.perform(.setPluginWatch(value == "on"), by: "set") } }),
    Setting(
      "runaway", [], "how many actions one dispatch may cause", read: { "\($0.store.settings.runaway)" },
      change: { value in
        let limit = try number(value, "runaway", atMost: .max)
        return { try $0.perform(.setRunaway(limit), by: "set") }
      }),
    Setting(
      "sessions.keep", [], "how many old sessions at the prompt are kept in the state folder", isOfSession: true,
      read: { "\($0.options.keptSessions)" },
      change: { value in
        let count = try number(value, "sessions.keep", atMost: .max)
        return {
          $0.options.keptSessions = count
          return .none
        }
      }),
    toggle("traceback", "whether errors in Lua show the whole stack", \.settings.showsTraceback),
  ]

  private static func toggle(
    _ name: String, _ summary: String, _ path: ReferenceWritableKeyPath<Session, Bool> & Sendable
  ) -> Setting {
    Setting(
      name, ["on", "off"], summary, isOfSession: true, read: { $0[keyPath: path] ? "on" : "off" },
      change: { value in
        {
          $0[keyPath: path] = value == "on"
          return .none
        }
      })
  }

  private static func ceiling(_ limit: PluginManifest.NamedLimit) -> Setting {
    let name = "plugin.ceiling.\(limit.name)"
    return Setting(
      name, [], "the most \(limit.summary) that a plugin may ask for",
      form: limit.isSize ? "a size such as 4MiB, or a number of bytes" : "a number",
      read: { "\($0.store.settings.ceiling[keyPath: limit.path])" },
      change: { value in
        let size = limit.isSize ? PluginManifest.bytes(value).map { "\($0)" } : nil
        let most = try number(size ?? value, name, atMost: PluginManifest.ceiling[keyPath: limit.path])
        return { try $0.perform(.setCeiling(limit, most), by: "set") }
      })
  }

  private static func number(_ value: String, _ name: String, atMost maximum: Int) throws -> Int {
    if let number = Int(value), number > 0, number <= maximum { return number }
    // What is too large for an Int is told the limit; what is no number, or below it, the rest.
    let isTooLarge = value.allSatisfy(\.isNumber) && Int(value) == nil
    let bounds = maximum == .max && !isTooLarge ? "above 0" : "in 1...\(maximum)"
    throw ShellError(code: .outOfRange, message: "\(name) is a number \(bounds), got '\(value)'")
  }

  /// The place that the setting got its value from: the place of a `set`, an option of the program, or `default`.
  func origin(in session: Session) -> String {
    (isOfSession ? session.settings.origins[name] : session.store.settings.settingOrigins[name]) ?? "default"
  }

  /// Reads a value that a word says.
  func change(to value: String, at word: Word) throws -> Assignment {
    // A name alone is one of the others misspelt.
    guard values.isEmpty || values.contains(value) || takesOthers && !value.isName else {
      let suggestion = Suggestion.nearest(to: value, among: values)
      throw ShellError(
        code: .typeMismatch, message: "expected one of \(values.joined(separator: ", ")), got '\(value)'", at: word,
        hint: suggestion.map { "did you mean \($0)?" })
    }
    do {
      return try change(value)
    } catch {
      var error = ShellError(describing: error)
      error.place = .span(word.span)
      throw error
    }
  }

  /// Changes the setting, and keeps where that was said.
  func perform(_ change: Assignment, in session: Session) throws -> CommandResult {
    let result = try change(session)
    if isOfSession {
      session.settings.origins[name] = "\(session.running.origin.file):\(session.running.statement?.line ?? 0)"
    }
    return result
  }
}
