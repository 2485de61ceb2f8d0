import ShellLanguage
import StoreModules
import StoreSchema

/// The parts of the state, the actions and the projections that Lua names, looked at before anything runs.
extension Session {
  /// The error of the first path behind `state`, or name of an action or a projection, that a module does not declare, or whose module
  /// is not there and has a name much like that of one; nil: the text has none, or gives the words another meaning.
  func missingName(inLua text: String) -> ShellError? {
    // Such Lua may ask whether it is there.
    guard !text.contains("pcall") else { return nil }
    let uses = LuaUse.all(of: ["state"], in: Array(text.utf8)[...])
    // By itself, it may be given another value.
    if uses.allSatisfy({ !$0.steps.isEmpty }), let error = uses.lazy.compactMap(missingPart).first { return error }
    let actions = Self.names(givenTo: "dispatch", in: text)
    if let error = actions.lazy.compactMap(missingAction).first { return error }
    return Self.names(givenTo: "project", in: text).lazy.compactMap(missingProjection).first
  }

  /// The texts that stand as first arguments of the calls of a function; none where the text gives its name another meaning.
  private static func names(givenTo function: String, in text: String) -> [String] {
    let calls = LuaCall.all(of: [function], in: text)
    guard !calls.isEmpty, !text.contains("function \(function)"),
      LuaText.places(ofGlobals: [function], in: Array(text.utf8)[...]).count == calls.count
    else { return [] }
    return calls.compactMap { call in
      guard let pieces = call.arguments.first?.pieces, pieces.count == 1, case .text(let name) = pieces[0] else {
        return nil
      }
      return name
    }
  }

  private func missingAction(_ name: String) -> ShellError? {
    guard store.action(named: name) == nil else { return nil }
    let isOfModule = store.modules.contains { name.hasPrefix("\($0.name).") }
    return isOfModule || Suggestion.nearest(to: name, among: actionNames) != nil
      ? unknownAction(name, at: .command) : nil
  }

  private func missingProjection(_ name: String) -> ShellError? {
    guard let path = try? Path(parsing: name), store.modules.contains(where: { path.steps.first == .field($0.name) })
    else { return nil }
    do {
      _ = try declaredType(at: path)
      return nil
    } catch {
      return (error as? PathError).map { ShellError(code: .unknownPath, message: $0.message, hint: $0.hint) }
    }
  }

  private func missingPart(of use: LuaUse) -> ShellError? {
    guard case .field(let module)? = use.steps.first, module != "shell" else { return nil }
    let modules = store.modules
    guard let found = modules.first(where: { $0.name == module }) else {
      // Another may be there by then, whose name is another.
      return Suggestion.nearest(to: module, among: modules.map(\.name)).map {
        ShellError(code: .unknownPath, message: "state has no module '\(module)'", hint: "did you mean '\($0)'?")
      }
    }
    guard
      case .missing(let name, let path, let fields)? = found.schema?.reached(by: use.steps.dropFirst(), from: module)
    else { return nil }
    return ShellError(
      code: .unknownPath, message: "\(path) has no field '\(name)'",
      hint: hint(onMissing: name, of: path, among: fields))
  }

  /// A hint at the field or the projection that was probably meant by an unknown field.
  ///
  /// - Parameter path: the path of the record without that field.
  func hint(onMissing name: String, of path: String, among fields: [String]) -> String? {
    let projections = store.modules.first { $0.name == path }?.projections.map(\.name) ?? []
    if projections.contains(name) { return "in Lua a projection is project(\"\(path).\(name)\")" }
    guard let nearest = Suggestion.nearest(to: name, among: fields + projections) else { return nil }
    let meant = projections.contains(nearest) ? "project(\"\(path).\(nearest)\")" : "'\(nearest)'"
    return "did you mean \(meant)?"
  }

  /// The unknown fields in a condition: names behind `it` that no element has, and functions
  /// of Lua that are compared with something.
  func unknownFields(in condition: String, among fields: Set<String>) -> [String] {
    var names = (try? lua())?.fields(of: "it", readBy: condition) ?? []
    if let sides = Comparison(condition) {
      names += [sides.left, sides.right].map { LuaText.trimmed(Array($0.utf8)[...]) }.filter { name in
        guard name.utf8.allSatisfy(\.isNameByte), name.utf8.first?.isDigit == false else { return false }
        let kind = try? lua().evaluate("type(\(name))", chunk: chunkName, isReadOnly: true).value
        return kind == .string("function")
      }
    }
    return names.filter { !fields.contains($0) }
  }
}
