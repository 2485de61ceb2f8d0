import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// Completes what stands before the cursor, from schemas and names alone: nothing is evaluated.
struct Completer {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// The words that can stand at the cursor.
  ///
  /// - Parameters:
  ///   - line: the line being edited.
  ///   - cursor: the cursor's place in it, in UTF-8 bytes.
  ///   - openLines: the lines of the statement before this one.
  func complete(line: String, cursor: Int, openLines: [String]) -> LineCompletion {
    let before = String(decoding: Array(line.utf8.prefix(cursor)), as: UTF8.self)
    let prefix = openLines.map { $0 + "\n" }.joined()
    var words = CompletionWords(prefix + before)
    words.dropPrefixes(session.commands)
    words.expandAlias(session.names.aliases, session.commands)
    let start = cursor - words.current.utf8.count
    func list(_ candidates: [LineCompletion.Candidate]) -> LineCompletion {
      LineCompletion(replaceFrom: start, candidates: words.spelling.spell(candidates))
    }
    if let lua = words.luaTail(session.commands) {
      return completeLua(lua, cursor: cursor, besides: words.narrowedPath(session.commands).map(fields) ?? [])
    }
    if let typed = words.openVariable {
      let end = typed.hasPrefix("${") ? "}" : ""
      let mark = typed.hasPrefix("${") ? "${" : "$"
      return LineCompletion(
        replaceFrom: cursor - typed.utf8.count,
        candidates: variables.map { "\(mark)\($0)\(end)" }.filter { $0.hasPrefix(typed) }.map {
          LineCompletion.Candidate(text: $0, suffix: words.spelling.isQuoted ? "" : " ")
        })
    }
    var clientFiles: LineCompletion {
      var completion = list(hostFiles(words.spelling.typed))
      completion.wantsClientFiles = !words.spelling.typed.hasPrefix(ClientFiles.hostMark)
      return completion
    }
    let isClients = session.person.files != nil
    if let last = words.complete.last, last == ">" || last == ">>" {
      if isClients { return clientFiles }
      guard session.options.rights.isAll else { return list([]) }
      return list(DirectoryListing.candidates(words.spelling.typed))
    }
    guard let verb = words.complete.first else {
      let verbs = session.commands.definitions.map { LineCompletion.Candidate(text: $0.verb, meaning: $0.summary) }
      let plugins = session.store.modules.filter { !$0.commands.isEmpty }.map { module in
        LineCompletion.Candidate(text: module.name, meaning: module.commands.map(\.name).joined(separator: ", "))
      }
      let aliases = session.names.aliases.map { LineCompletion.Candidate(text: $0.name, meaning: $0.command) }
      let bindings = session.names.bindings.map { LineCompletion.Candidate(text: $0.name, suffix: " := ") }
      return list(verbs + plugins + aliases + bindings)
    }
    let plugin = session.store.plugin(named: verb)
    if let plugin, words.complete.count == 1 {
      return list(
        plugin.module.commands.map {
          LineCompletion.Candidate(text: $0.name, meaning: $0.summary)
        })
    }
    if words.complete.count > 1, words.complete[1] == ":=", let binding = session.names.binding(verb) {
      let field = binding.action.fields[0]
      let values = values(of: field, binding.action, words.spelling.typed[...])
      guard words.complete.count == 2, !words.current.isEmpty || !values.candidates.isEmpty else {
        return LineCompletion(replaceFrom: start, note: "\(verb) := \(field.schema.typeName)")
      }
      return list(values.candidates)
    }
    let known = if let plugin { plugin.definition(ofCommand: words.complete[1]) } else { session.commands[verb] }
    guard let definition = known else { return list([]) }
    if words.current.hasPrefix("-") {
      return list(
        definition.flags.map { flag in
          LineCompletion.Candidate(text: "--\(flag.name)", meaning: flag.summary)
        })
    }
    if let flag = words.openFlag(definition) {
      if flag.name == "changed", definition.verb == "log" { return paths(words, list: list) }
      if isClients, flag.value == "FILE", flag.isClients { return clientFiles }
      return list(flagValues(flag, definition, words))
    }
    let operands = words.operands(definition)
    if verb == "thunk", operands.count > 1 {
      let thunk = session.store.live.thunks.first { $0.fullName == operands[1] || $0.action.name == operands[1] }
      guard let thunk else { return list([]) }
      return completeArguments(
        of: thunk.action, thunk.signature, operands.dropFirst(2), words.current, start: start, list: list)
    }
    if plugin != nil || !definition.arguments.isEmpty {
      let type = ActionType(module: plugin?.module.name ?? "", name: definition.verb, fields: definition.arguments)
      return completeArguments(
        of: type, definition.usage[0], operands.dropFirst(plugin == nil ? 1 : 2), words.current, start: start,
        list: list)
    }
    if verb == "dispatch" { return completeDispatch(operands, words.current, start: start, list: list) }
    if operands.count == (definition.namesFile ? 3 : 2),
      case .behind(let word)? = session.commands.luaVerbs.first(where: { $0.name == verb })?.form,
      !fields(at: operands[1]).isEmpty
    {
      return list([LineCompletion.Candidate(text: word, meaning: "only elements for which an expression holds")])
    }
    let position = operands.count - 1
    guard position < definition.operands.count else { return list([]) }
    switch definition.operands[position] {
    case .path, .pathOrNumber: return paths(words, list: list)
    case .pathOrWords(let others): return paths(words, besides: others, list: list)
    case .file where isClients && definition.operands[position].isClients: return clientFiles
    case let operand: return list(candidates(operand, words))
    }
  }

  private func paths(
    _ words: CompletionWords, besides others: [String] = [], list: ([LineCompletion.Candidate]) -> LineCompletion
  ) -> LineCompletion {
    let found = completePath(words.spelling, besides: others)
    // A value may be quoted, whatever is typed.
    var completion =
      found.isValue
      ? LineCompletion(replaceFrom: list([]).replaceFrom, candidates: found.candidates) : list(found.candidates)
    completion.rest = found.rest
    return completion
  }

  // MARK: Actions

  private func completeDispatch(
    _ operands: [String], _ current: String, start: Int, list: ([LineCompletion.Candidate]) -> LineCompletion
  ) -> LineCompletion {
    guard operands.count > 1 else {
      var completion = list(nameCandidates(actionNames, WordSpelling(current).typed))
      // Of very many each would be looked up in vain: the screen has no room for them.
      guard completion.candidates.count <= 100 else { return completion }
      for index in completion.candidates.indices {
        let action = session.store.action(named: completion.candidates[index].display)
        let form = action?.fields.map(\.signature).joined(separator: " ")
        completion.candidates[index].meaning = form == "" ? nil : form
      }
      return completion
    }
    guard case .type(let type) = session.actionTarget(operands[1]) else { return list([]) }
    return completeArguments(
      of: type, type.signature, operands.dropFirst(2), current, start: start, list: list)
  }

  /// The arguments of an action, a thunk or a command.
  ///
  /// - Parameter given: the words that stand there already.
  private func completeArguments(
    of type: ActionType, _ signature: String, _ given: ArraySlice<String>, _ current: String, start: Int,
    list: ([LineCompletion.Candidate]) -> LineCompletion
  ) -> LineCompletion {
    let missing = missingFields(among: type.fields, after: given)
    if current.isEmpty {
      // After a complete action, its signature is what helps; nothing is inserted until a letter is typed.
      if let first = missing.first, case .items(let values) = values(of: first, type, "") {
        return LineCompletion(
          replaceFrom: start, candidates: values.candidates(), note: first.signature, rest: values.rest())
      }
      var lines = [signature]
      for cases in type.fields.compactMap(\.schema.namedCases) where !lines.contains("  \(cases)") {
        lines.append("  \(cases)")
      }
      return LineCompletion(replaceFrom: start, note: lines.joined(separator: "\n"))
    }
    let spelling = WordSpelling(current)
    if !spelling.isQuoted, let equals = current.firstIndex(of: "=") {
      let name = String(current[..<equals])
      guard let field = type.fields.first(where: { $0.name == name }) else { return list([]) }
      let typed = current[current.index(after: equals)...]
      return complete(values(of: field, type, typed), behind: "\(name)=", list: list)
    }
    let names = missing.map { field in
      LineCompletion.Candidate(text: "\(field.name)=", meaning: field.schema.typeName, suffix: "")
    }
    // A value without a name fills the first argument that is missing; within quotes no name is read.
    let values = missing.first.map { self.values(of: $0, type, spelling.typed[...]) } ?? .listed([])
    return complete(values, besides: spelling.isQuoted ? [] : names, list: list)
  }

  /// The values of an argument.
  ///
  /// - Parameters:
  ///   - names: candidates beside them.
  ///   - prefix: what stands before a value in its word.
  private func complete(
    _ values: ArgumentValues, besides names: [LineCompletion.Candidate] = [], behind prefix: String = "",
    list: ([LineCompletion.Candidate]) -> LineCompletion
  ) -> LineCompletion {
    var completion = list(names)
    guard case .items(let found) = values else {
      return list(names + values.candidates(behind: prefix))
    }
    // What is typed may be the start of a title: the ids need not begin like it.
    completion.candidates += found.candidates(behind: prefix)
    completion.rest = found.rest(behind: prefix)
    return completion
  }

  /// The arguments that are not given yet, by name or by position.
  func missingFields(among fields: [Field], after words: ArraySlice<String>) -> [Field] {
    var missing = fields
    var positional = 0
    for word in words {
      let name = String(word.prefix { $0 != "=" })
      if name.count < word.count, name.isName {
        missing.removeAll { $0.name == name }
      } else {
        positional += 1
      }
    }
    return Array(missing.dropFirst(positional))
  }

  private var actionNames: [String] { session.actionNames }

  /// Values that a field may have, as far as they can be listed: cases, truth values, ids of existing items.
  private func values(of field: Field, _ type: ActionType, _ typed: Substring) -> ArgumentValues {
    var schema = field.schema
    while case .optional(let wrapped) = schema.kind { schema = wrapped }
    switch schema.kind {
    case .bool: return .listed(["true", "false"])
    case .choice(_, let cases): return .listed(cases)
    case .int where field.name == "id":
      let found = KnownElements(view: session.store.view, typed: typed).idsOfFirstList(in: type.module)
      return found.values.isEmpty ? .listed([]) : .items(found)
    default: return .listed([])
    }
  }

  // MARK: Names with dots

  /// Names up to the next dot: `counter.` first, then `counter.increment`.
  private func nameCandidates(_ names: [String], _ typed: String) -> [LineCompletion.Candidate] {
    let matching = names.lazy.filter { $0.hasPrefix(typed) }
    guard !typed.contains(".") else { return matching.map { LineCompletion.Candidate(text: $0) } }
    var candidates: [LineCompletion.Candidate] = []
    var module = ""
    // A module's actions stand together.
    for name in matching where module.isEmpty || !name.hasPrefix(module) {
      if let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) {
        candidates.append(LineCompletion.Candidate(text: String(name[..<dot]), suffix: "."))
        module = String(name[...dot])
      } else {
        candidates.append(LineCompletion.Candidate(text: name))
      }
    }
    return candidates
  }

  private func candidates(
    _ operand: CommandDefinition.Operand, _ words: CompletionWords
  ) -> [LineCompletion.Candidate] {
    func plain(_ names: [String]) -> [LineCompletion.Candidate] { names.map { LineCompletion.Candidate(text: $0) } }
    if operand.namesFile, !session.options.rights.isAll {
      if case .plugin = operand { return plain(session.store.loadedPlugins.map(\.name)) }
      return []
    }
    switch operand {
    case .action: return nameCandidates(actionNames, words.spelling.typed)
    case .path, .pathOrNumber, .pathOrWords: return pathCandidates(words.spelling.typed)
    case .number(let names): return plain(names)
    case .watch:
      guard words.complete.last == "stop" else { return [] }
      return plain(session.watches.list.map { "\($0.id)" } + ["all"])
    case .effect:
      guard words.complete.last == "cancel" else { return [] }
      return plain(session.store.live.effects.map(\.id) + ["all"])
    case .module:
      let typed = words.spelling.typed
      // An action is described where its module is.
      return typed.contains(".") ? nameCandidates(actionNames, typed) : plain(session.store.modules.map(\.name))
    case .thunk:
      let thunks = session.store.live.thunks
      // The module may be left out where no other has a thunk of the name.
      let short = thunks.map(\.action.name).filter { name in thunks.count { $0.action.name == name } == 1 }
      let typed = words.spelling.typed
      return nameCandidates(thunks.map(\.fullName) + (typed.isEmpty ? [] : short), typed)
    case .middleware: return plain(session.store.units.map(\.name))
    case .loadedPlugin: return plain(session.store.loadedPlugins.map(\.name))
    case .plugin:
      guard ["load", "check", "test", "info", "grant", "new", "stubs"].contains(words.complete.last) else {
        return plain(session.store.loadedPlugins.map(\.name))
      }
      return pluginFolders(words.spelling.typed)
    case .file: return DirectoryListing.candidates(words.spelling.typed)
    case .words(let names): return plain(names)
    case .setting: return Setting.all.map { LineCompletion.Candidate(text: $0.name, meaning: $0.summary) }
    case .settingValue: return plain(Setting.all.first { $0.name == words.complete.last }?.values ?? [])
    case .substate:
      guard words.complete.last != "add" else { return [] }
      return plain(session.store.modules.map(\.name).filter { session.store.isSubstate($0) })
    case .newName: return []
    case .scope:
      return plain(session.store.modules.map(\.name) + session.names.projections.names + ["root"])
    case .helpPart:
      guard let topic = words.complete.last else { return [] }
      let plugin = session.store.plugin(named: topic)?.module.commands.map(\.name)
      return plain(session.commands[topic]?.parts ?? plugin ?? [])
    case .helpTopic:
      let typed = words.spelling.typed
      // The purpose of an action is asked where it is known by its module.
      let others =
        typed.contains(".") ? nameCandidates(actionNames, typed) : plain(ErrorCode.words)
      let plugins = session.store.loadedPlugins.map(\.name)
      return session.commands.definitions.map { LineCompletion.Candidate(text: $0.verb, meaning: $0.summary) }
        + plain(plugins + HelpTopic.names + ["commands", "keys"]) + others
    }
  }

  /// Files of the host that begin as a client has typed, behind the mark.
  private func hostFiles(_ typed: String) -> [LineCompletion.Candidate] {
    guard typed.hasPrefix(ClientFiles.hostMark), session.options.rights.isAll else { return [] }
    return DirectoryListing.candidates(String(typed.dropFirst(ClientFiles.hostMark.count))).map { file in
      var marked = file
      marked.text = ClientFiles.hostMark + file.text
      return marked
    }
  }

  private var variables: [String] { session.names.variables.names + ["_"] + Session.ownVariables }

  /// Plugins by name and folders.
  private func pluginFolders(_ typed: String) -> [LineCompletion.Candidate] {
    session.options.pluginSearchPath.flatMap { DirectoryListing.folders(in: $0) }.sorted()
      .map { LineCompletion.Candidate(text: $0) } + DirectoryListing.folderCandidates(typed)
  }

  private func flagValues(
    _ flag: FlagDefinition, _ definition: CommandDefinition, _ words: CompletionWords
  ) -> [LineCompletion.Candidate] {
    let typed = words.spelling.typed
    if flag.namesFile, !session.options.rights.isAll { return [] }
    if flag.value == "FILE" { return DirectoryListing.candidates(typed) }
    return switch (flag.name, definition.verb) {
    case ("as", "ingest"), ("action", "log"): nameCandidates(actionNames, typed)
    case ("match", "ingest"): ["common", "combined"].map { LineCompletion.Candidate(text: $0) }
    case ("delimiter", "ingest"): ["tab"].map { LineCompletion.Candidate(text: $0) }
    case ("quote", "ingest"), ("header", "ingest"): ["none"].map { LineCompletion.Candidate(text: $0) }
    case ("format", "ingest"): RecordFormat.allCases.map { LineCompletion.Candidate(text: $0.rawValue) }
    case ("as", "export"):
      ["jsonl", "stsh", "redux-devtools"].map { LineCompletion.Candidate(text: $0) }
    case ("map", "ingest"):
      (words.value(of: "--as").flatMap(session.store.action(named:))?.fields ?? []).map {
        LineCompletion.Candidate(text: "\($0.name)=", suffix: "")
      }
    case ("remove", "alias"): session.names.aliases.map { LineCompletion.Candidate(text: $0.name, meaning: $0.command) }
    case ("sort", _), ("columns", _): fieldLists(words)
    case ("with", "replay"): pluginFolders(typed)
    case ("as", _): Format.allCases.map { LineCompletion.Candidate(text: $0.rawValue) }
    default: []
    }
  }
}

extension Schema {
  /// The cases of an enum that goes by a name: `Direction{up, down}`.
  fileprivate var namedCases: String? {
    switch kind {
    case .choice: typeDetail
    case .optional(let wrapped): wrapped.namedCases
    default: nil
    }
  }
}

extension Completer {
  /// The words that can stand at the cursor; where none begins as typed, those that begin so in small or large letters.
  func complete(line: String, cursor: Int, openLines: [String], ignoresCase: Bool) -> LineCompletion {
    let found = complete(line: line, cursor: cursor, openLines: openLines)
    guard ignoresCase, found.candidates.isEmpty, found.note == nil else { return found }
    let bytes = line.utf8.prefix(cursor)
    let word = String(decoding: bytes.dropFirst(found.replaceFrom), as: UTF8.self)
    let before = String(decoding: bytes.prefix(found.replaceFrom), as: UTF8.self)
    let candidates = candidates(for: word[...], behind: before, openLines: openLines)
    return candidates.isEmpty ? found : LineCompletion(replaceFrom: found.replaceFrom, candidates: candidates)
  }

  /// The candidates that begin as a word does in small or large letters. Each name in it that a dot ends is looked up first.
  private func candidates(
    for word: Substring, behind before: String, openLines: [String]
  ) -> [LineCompletion.Candidate] {
    var start = ""
    if let dot = word.dropLast().lastIndex(of: ".") {
      let names = candidates(for: word[..<dot], behind: before, openLines: openLines)
      guard let name = names.first(where: { $0.text.lowercased() == word[..<dot].lowercased() }) else { return [] }
      start = name.text + "."
    }
    let line = before + start
    let all = complete(line: line, cursor: line.utf8.count, openLines: openLines).candidates
    return all.filter { $0.text.lowercased().hasPrefix(word.lowercased()) }
  }
}

extension Completer {
  /// The form of the words that may follow, as help writes it: `title:String`; nil: nothing is known of them.
  func form(behind text: CompletionWords) -> String? {
    var words = text
    words.dropPrefixes(session.commands)
    words.expandAlias(session.names.aliases, session.commands)
    guard let verb = words.complete.first else { return nil }
    let signs = [">", ">>", "|"]
    if words.isWords(session.commands), let redirection = words.complete.lastIndex(where: signs.contains) {
      let isMissing = redirection == words.complete.count - 1 && words.complete[redirection] != "|"
      return isMissing && words.current.isEmpty ? "FILE" : nil
    }
    let plugin = session.store.plugin(named: verb)
    if let plugin, words.complete.count == 1 {
      return words.current.isEmpty ? plugin.module.commands.map(\.name).joined(separator: "|") : nil
    }
    if let binding = session.names.binding(verb), words.complete.dropFirst().first == ":=" {
      let isMissing = words.complete.count == 2 && words.current.isEmpty
      return isMissing ? binding.action.fields[0].schema.typeName : nil
    }
    let known = if let plugin { plugin.definition(ofCommand: words.complete[1]) } else { session.commands[verb] }
    guard let definition = known else { return nil }
    if let lua = words.luaTail(session.commands), lua.contains(where: { !$0.isWhitespace }) { return nil }
    if let flag = words.openFlag(definition) { return words.current.isEmpty ? flag.value : nil }
    let operands = words.operands(definition)
    if let (fields, given) = fields(of: definition, operands, plugin) {
      return form(of: fields, after: given, words.current)
    }
    guard words.current.isEmpty else { return nil }
    let flags = Set(words.complete.filter { $0.hasPrefix("--") })
    let rests = definition.usage.flatMap(UsageForm.all).compactMap { $0.rest(behind: operands.dropFirst(), flags) }
    // Of two that may be meant, the one whose own words stand there; of a list the one that narrows it.
    guard let own = rests.map(\.own).max() else { return nil }
    let likely = rests.filter { $0.own == own }
    let narrowing = isList(operands) ? likely.first { $0.text.hasPrefix("[where") } : nil
    guard let text = (narrowing ?? likely.first)?.text, !text.isEmpty else { return nil }
    return text
  }

  /// True if the last operand is the path of a list or a map.
  private func isList(_ operands: [String]) -> Bool {
    guard operands.count == 2, let path = try? Path(parsing: operands[1]),
      let type = try? session.declaredType(at: session.scoped(path))
    else { return false }
    switch type.kind {
    case .list, .map: return true
    default: return false
    }
  }

  /// The arguments of the action, the thunk or the command that a line names, and the words after it; nil: its words are
  /// none.
  private func fields(
    of definition: CommandDefinition, _ operands: [String], _ plugin: Plugin?
  ) -> ([Field], ArraySlice<String>)? {
    if plugin != nil { return (definition.arguments, operands.dropFirst(2)) }
    if !definition.arguments.isEmpty { return (definition.arguments, operands.dropFirst()) }
    guard operands.count > 1 else { return nil }
    switch definition.verb {
    case "dispatch":
      guard case .type(let type) = session.actionTarget(operands[1]) else { return ([], []) }
      return (type.fields, operands.dropFirst(2))
    case "thunk":
      let thunk = session.store.live.thunks.first { $0.fullName == operands[1] || $0.action.name == operands[1] }
      return (thunk?.action.fields ?? [], operands.dropFirst(2))
    default: return nil
    }
  }

  private func form(of fields: [Field], after given: ArraySlice<String>, _ current: String) -> String? {
    if current.isEmpty {
      let missing = missingFields(among: fields, after: given)
      return missing.isEmpty ? nil : missing.map(\.signature).joined(separator: " ")
    }
    guard current.last == "=" else { return nil }
    return fields.first { $0.name == current.dropLast() }?.schema.typeName
  }
}

/// A form of a command, as its usage writes it, of which some words are typed.
private struct UsageForm {
  private let words: ArraySlice<Substring>

  /// The forms of a usage line: `add NAME | reset [NAME…]` are two.
  static func all(in usage: String) -> [UsageForm] {
    // Behind two spaces it says what the form is for.
    let form = usage.firstRange(of: "  ").map { usage[..<$0.lowerBound] } ?? usage[...]
    return form.split(separator: " ").dropFirst().split(separator: "|").map { UsageForm(words: $0) }
  }

  /// The rest behind some operands, and the number of them that are its own words; nil: they are not of this form.
  ///
  /// - Parameter flags: those that stand there already.
  func rest(behind operands: ArraySlice<String>, _ flags: Set<String>) -> (text: String, own: Int)? {
    var rest = words
    var own = 0
    for operand in operands {
      guard let word = rest.first, !word.hasPrefix("[--"), word != "…" else { return nil }
      let choices = word.drop { $0 == "[" }.split(separator: "|").map { $0.prefix { $0 != "]" } }
      guard let choice = choices.firstIndex(where: { $0 == operand }) ?? choices.firstIndex(where: { !Self.isOwn($0) })
      else { return nil }
      if Self.isOwn(choices[choice]) { own += 1 }
      // What repeats may follow itself.
      if !word.contains("…") { rest = rest.dropFirst() }
      // Of `DURATION|idle|until EXPR` only the last one goes on; of `on|off NAME` each does.
      if choice + 1 < choices.count, !choices.allSatisfy(Self.isOwn) { rest = rest.drop { !$0.hasPrefix("[") } }
    }
    return (Self.balanced(Self.without(flags, Self.alternative(rest)).joined(separator: " ")), own)
  }

  /// The words up to the end of the alternative that was begun: of `[PART]|MODULE` only the first.
  private static func alternative(_ words: ArraySlice<Substring>) -> ArraySlice<Substring> {
    guard let first = words.first, first.hasPrefix("["), let end = first.firstRange(of: "]|"),
      !first[..<end.lowerBound].dropFirst().contains("[")
    else { return words }
    return [first[..<end.lowerBound] + "]"]
  }

  /// The words without those of some flags.
  private static func without(_ flags: Set<String>, _ words: ArraySlice<Substring>) -> [Substring] {
    var kept: [Substring] = []
    var rest = words
    while let word = rest.popFirst() {
      guard flags.contains(String(word.drop { $0 == "[" }.prefix { $0 != "]" })) else {
        kept.append(word)
        continue
      }
      if word.hasPrefix("[") {
        if !word.hasSuffix("]") { while let word = rest.popFirst(), !word.hasSuffix("]") {} }
      } else if rest.first?.first?.isUppercase == true {
        rest.removeFirst()
      }
    }
    return kept
  }

  private static func isOwn(_ word: Substring) -> Bool { word.allSatisfy { $0.isLowercase } }

  /// A part of the line without the ends of brackets that begin before it, and with those that it lacks.
  private static func balanced(_ text: String) -> String {
    var depth = 0
    let kept = text.filter { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      defer { depth = max(0, depth) }
      return depth >= 0
    }
    return kept + String(repeating: "]", count: depth)
  }
}
