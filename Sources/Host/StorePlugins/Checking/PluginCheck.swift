import LuaRuntime
import Platform
import StoreModules
import StoreSchema

/// The findings about a plugin that is not installed. The check reads the manifest without running code. The definition
/// runs in a Lua state that goes with the check.
public struct PluginCheck: Sendable {
  /// A finding of the check.
  public struct Finding: Hashable, Sendable {
    /// True if the plugin is wrong here.
    public let isFault: Bool
    /// True if the plugin works, but not as its users may expect.
    public let isWarning: Bool
    /// The text of the finding, in one line.
    public let text: String

    /// A finding from its parts.
    public init(isFault: Bool, isWarning: Bool = false, text: String) {
      self.isFault = isFault
      self.isWarning = isWarning
      self.text = text
    }
  }

  /// The findings, in the order of the checks.
  public private(set) var findings: [Finding] = []

  /// The number of findings that are faults.
  public var faultCount: Int { findings.count { $0.isFault } }

  /// Checks a plugin whose manifest was read.
  ///
  /// - Parameters:
  ///   - source: the plugin's folder.
  ///   - surroundings: the store that it is written for.
  ///   - view: the state of that store.
  public init(_ source: PluginSource, in surroundings: Plugin.Surroundings, view: any StateView) {
    let manifest = source.manifest
    note("manifest: \(manifest.name) \(manifest.version), API \(manifest.api)")
    checkPermissions(manifest, surroundings)
    checkDefinition(source, surroundings, view)
    let tests = source.testNames
    if checkSyntax(source, tests) { note("tests: \(Self.list(tests))") }
    for name in source.idleTestNames {
      fault("tests: \(name) is never run: a file of tests is tests/NAME_test.lua")
    }
  }

  private static func list(_ texts: [String]) -> String { texts.isEmpty ? "none" : texts.joined(separator: ", ") }

  private mutating func note(_ text: String) { findings.append(Finding(isFault: false, text: text)) }

  private mutating func fault(_ text: String) {
    let finding = Finding(isFault: true, text: text)
    if !findings.contains(finding) { findings.append(finding) }
  }

  /// Notes an error without the plugin's name, which the reader knows.
  private mutating func fault(_ error: PluginError, in source: PluginSource) {
    let place = error.namesPlace ? nil : error.trace.first
    fault(error.line(withoutName: source.manifest.name) + (place.map { " (\($0))" } ?? ""))
  }

  /// Looks for permissions that nothing in the store answers to.
  private mutating func checkPermissions(_ manifest: PluginManifest, _ surroundings: Plugin.Surroundings) {
    let faultsBefore = faultCount
    for permission in manifest.permissions {
      guard let module = permission.module, module != manifest.name else { continue }
      guard surroundings.moduleNames.contains(module) else {
        let hint = Suggestion.question(module, among: surroundings.moduleNames)
        fault(
          "permission \(permission): there is no module '\(module)' "
            + "(\(hint ?? "if a plugin brings it, load that one first"))")
        continue
      }
      guard case .dispatch(_, let name?) = permission, surroundings.action("\(module).\(name)") == nil else { continue }
      let hint = Suggestion.remark("\(module).\(name)", among: surroundings.actionNames())
      fault("permission \(permission): there is no action '\(module).\(name)'\(hint)")
    }
    if faultCount == faultsBefore { note("permissions: \(Self.list(manifest.permissions.map(\.description)))") }
  }

  private mutating func checkDefinition(
    _ source: PluginSource, _ surroundings: Plugin.Surroundings, _ view: any StateView
  ) {
    let plugin: Plugin
    do throws(PluginError) {
      plugin = try Plugin(unproven: source, into: surroundings)
    } catch {
      return fault(error, in: source)
    }
    let faultsBefore = faultCount
    for text in plugin.captureFaults { fault(text) }
    checkArguments(of: plugin)
    checkGlobals(of: plugin)
    checkInterceptors(of: plugin, view)
    warnOfKeywords(in: plugin.module)
    if faultCount == faultsBefore { note("reducers: \(Self.reducers(of: plugin))") }
  }

  /// Warns of names that are keywords of Lua: no expression can read `state.x.end`.
  private mutating func warnOfKeywords(in module: Module) {
    func warn(_ name: String, _ what: String) {
      guard name.isLuaKeyword else { return }
      let text = "names: \(what) '\(name)' is a keyword of Lua: an expression must write [\"\(name)\"]"
      let finding = Finding(isFault: false, isWarning: true, text: text)
      if !findings.contains(finding) { findings.append(finding) }
    }
    for projection in module.projections { warn(projection.name, "the projection") }
    for action in module.actions {
      warn(action.name, "the action")
      for field in action.fields { warn(field.name, "the argument") }
    }
    for field in module.schema?.fieldsWithin ?? [] { warn(field, "the field") }
  }

  /// Has the interceptors made, as loading does; no action meets them.
  private mutating func checkInterceptors(of plugin: Plugin, _ view: any StateView) {
    do throws(PluginError) {
      try plugin.interceptors.build(view: view)
    } catch {
      fault(error, in: plugin.source)
    }
  }

  /// Looks through the reducers for arguments that none of the actions has that they answer: a running plugin meets nil there.
  private mutating func checkArguments(of plugin: Plugin) {
    var readers: [LuaState.CodeUse: [ActionType]] = [:]
    for plan in plugin.reducers.own.all + plugin.reducers.lifted {
      for read in Set(plugin.machine.lua.fieldReads(of: plan.watched.function, parameter: 1)) {
        readers[read, default: []].append(plan.type)
      }
    }
    let inOrder = readers.sorted { ($0.key.chunk, $0.key.line, $0.key.name) < ($1.key.chunk, $1.key.line, $1.key.name) }
    for (read, actions) in inOrder {
      // A function may answer several actions.
      let names = actions.flatMap { $0.fields.map(\.name) }
      guard !names.contains(read.name), let action = actions.map(\.fullName).min() else { continue }
      let hint = Suggestion.remark(read.name, among: names)
      fault("reducer '\(action)' reads the unknown argument '\(read.name)' (\(read.chunk):\(read.line))\(hint)")
    }
  }

  private static func reducers(of plugin: Plugin) -> String {
    let own = plugin.module.actions.filter { plugin.definition.reducers[$0.fullName] != nil }.count
    let foreign = plugin.definition.reducers.count - own
    var parts: [String] = []
    if !plugin.module.actions.isEmpty { parts.append("\(own) of \(plugin.module.actions.count) own actions") }
    if foreign > 0 { parts.append("\(foreign) foreign") }
    if plugin.reducers.liftedCount > 0 { parts.append("\(plugin.reducers.liftedCount) lifted") }
    return list(parts)
  }

  /// Looks through the code for globals that do not exist, and for names that the libraries lack. A running plugin
  /// meets them one by one.
  private mutating func checkGlobals(of plugin: Plugin) {
    let known = Set(plugin.machine.lua.globalNames)
    let libraries = Files.luaFiles(below: "\(plugin.source.folder)/lib").map { "lib/\($0)" }
    for name in ["init.lua"] + libraries {
      do throws(PluginError) {
        let (text, chunk) = try plugin.source.lua(name)
        do throws(LuaError) {
          for use in plugin.machine.lua.globalUses(of: try plugin.machine.lua.load(text, chunkName: chunk)) {
            let place = "(\(use.chunk):\(use.line))"
            if use.isAssignment {
              fault("assigns to the global '\(use.name)' \(place)")
            } else if !known.contains(use.name) {
              fault("uses the unknown global '\(use.name)' \(place)")
            } else if let field = use.field, let names = names(in: use.name, of: plugin), !names.contains(field) {
              let hint = Suggestion.remark(field, among: names)
              fault("uses '\(use.name).\(field)', which is not there \(place)\(hint)")
            }
          }
        } catch {
          throw plugin.machine.calls.faults.load(error)
        }
      } catch {
        fault(error, in: plugin.source)
      }
    }
  }

  /// The members of a library; nil: the global is none. The members of `log` stand behind a proxy.
  private func names(in global: String, of plugin: Plugin) -> [String]? {
    if global == "log" { return PluginLogLine.Level.allCases.map(\.rawValue) }
    guard case .table(let library) = plugin.machine.lua.global(global) else { return nil }
    return library.names
  }

  /// Compiles files without running them.
  private mutating func checkSyntax(_ source: PluginSource, _ files: [String]) -> Bool {
    let faultsBefore = faultCount
    for name in files {
      do throws(PluginError) {
        let (text, chunk) = try source.lua(name)
        do throws(LuaError) {
          _ = try LuaState().load(text, chunkName: chunk)
        } catch {
          throw PluginFaults(manifest: source.manifest).load(error)
        }
      } catch {
        fault(error, in: source)
      }
    }
    return faultCount == faultsBefore
  }
}
