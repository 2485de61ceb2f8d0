import Platform
import ShellLanguage

/// The advice on words of bash, psql and SQL, by those who write them out of habit.
enum Habit {
  private static let advice: [String: String] = {
    let groups: [([String], String)] = [
      (
        [
          "if", "then", "elif", "else", "fi", "case", "esac", "for", "while", "until", "do", "done", "function",
          "loops",
        ],
        "Lua has conditions and loops: lua if EXPR then command(\"…\") end"
      ),
      (["exit", "logout", "return", "\\q"], "quit leaves"),
      (["test"], "assert EXPR fails unless it holds; run test -f FILE asks for a file"),
      (["true"], "assert EXPR fails unless it holds"), (["unset"], "let --remove NAME takes a variable away"),
      (["read"], "a script takes arguments: $1, $2, … and $(arg[1] or \"x\")"), (["sleep"], "wait 2s lets time pass"),
      (["print", "printf"], "echo prints words"), (["cd"], "run --in FOLDER PROGRAM runs a program in a folder"),
      ([".", "include", "\\i", "\\ir"], "source FILE runs a script"),
      (["man", "?", "h", "\\?", "\\h"], "help COMMAND explains a command, help language the language"),
      (["select", "sql"], "show PATH where EXPR chooses elements; --sort, --limit and --columns shape the list"),
      (
        ["insert", "update", "delete", "add"],
        "dispatch ACTION changes the state, ingest FILE --as ACTION takes many records"
      ),
      (
        ["desc", "\\d", "\\d+", "\\dt", "\\dt+", "\\dn", "\\df", "\\l"],
        "describe lists the modules, describe MODULE explains one"
      ),
      (["begin", "commit", "rollback"], "each action is done as a whole, and undo takes back your last statement"),
      (["load", "copy", "csv", "\\copy"], "ingest FILE --as ACTION takes records, export PATH FILE writes them"),
      (["count", "join"], "Lua computes: = #state.tasks.items"),
      (
        ["with", "having", "group", "order", "limit"], "show PATH where EXPR chooses elements; help where has the rest"
      ), (["\\timing"], "time COMMAND says how long it took"),
      (["\\watch"], "watch PATH prints each change, show PATH --every 1s draws it again and again"),
      (["\\!"], "! LINE has your shell run a line"), (["\\e"], "Ctrl-X Ctrl-E edits the line in your editor"),
      (["jobs", "bg", "fg"], "effects lists what runs or waits"),
      (["local", "var", "$"], "let NAME = … sets a variable"),
      (["save", "store"], "--store FILE keeps a store, export state FILE writes one down"),
      (["match", "rejects"], "help ingest explains --match and --rejects"),
      (["--", "//", "/*", "rem"], "# begins a comment"), (["get"], "show PATH prints a value"),
      ([".tables", ".schema"], "describe lists the modules, describe MODULE explains one"),
    ]
    return Dictionary(uniqueKeysWithValues: groups.flatMap { words, hint in words.map { ($0, hint) } })
  }()

  /// The advice on a word; nil: it is no such word.
  static func hint(on word: String) -> String? { advice[word.lowercased()] }

  /// The advice on a line that calls a function of Lua without a verb; nil: it calls none.
  static func hint(onCallIn line: String) -> String? {
    let line = line.drop { $0 == " " }
    let call = line.prefix { $0 == "." || $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    let rest = line[call.endIndex...].drop { $0 == " " }
    guard call.first?.isLetter == true, rest.first == "(", call.endIndex == rest.startIndex else { return nil }
    return "Lua stands behind its verb, on the same line: lua \(call)(…)"
  }

  /// The advice on a `let` of several names; nil: the line is none.
  static func hint(onSeveralNamesIn line: some StringProtocol) -> String? {
    guard line.hasPrefix("let "), line.prefix(while: { $0 != "=" }).contains(",") else { return nil }
    return "let sets one variable: lua a, b = … sets several"
  }

  /// The advice on a statement that begins with a word that is no command; nil: there is none.
  static func hint(on statement: Statement, in session: Session) -> String? {
    let verb = statement.words[0].text
    let isAtPrompt = session.running.origin.kind == .repl
    if isAtPrompt, ["clear", "cls"].contains(verb) { return "Ctrl-L clears the screen" }
    let name = verb.drop { $0 == "$" }.prefix { $0 != "=" }
    if isName(name), verb.contains("=") || statement.words.dropFirst().first?.text == "=" {
      return "let \(name) = … sets a variable"
    }
    if let hint = hint(on: verb) { return hint }
    if verb.hasPrefix("$"), (try? session.isVariable(String(verb.dropFirst()))) == true {
      return "show \(verb) prints it"
    }
    guard session.runsPrograms, isProgram(verb) else { return nil }
    return isAtPrompt ? "! \(verb) … has your shell run it" : "run \(verb) … runs the program"
  }

  /// The advice on a flag that a command does not have; nil: there is none.
  static func hint(onFlag name: String, of definition: CommandDefinition) -> String? {
    guard name == "where" else { return hint(onOperand: name, of: definition) }
    guard definition.takesCondition else { return nil }
    return "where has no dashes and ends the line: \(definition.verb) … where EXPR"
  }

  /// The advice on a word that a command does not take; nil: there is none.
  static func hint(onOperand word: String, of definition: CommandDefinition) -> String? {
    func has(_ flag: String) -> Bool { definition.flags.contains { $0.name == flag } }
    if word.hasPrefix("-"), has(String(word.dropFirst())) { return "did you mean -\(word)?" }
    switch word.lowercased() {
    case "order", "orderby", "order-by", "sort", "sort-by":
      return has("sort") ? "--sort FIELD sorts, --sort -FIELD from the greatest" : nil
    case "desc", "asc": return has("sort") ? "--sort FIELD sorts, --sort -FIELD from the greatest" : nil
    case "==", "~=", "=", "<", "and", "or", "not":
      return has("where") ? "a condition has quotes: --where 'a == 2'" : nil
    case "limit", "top", "head", "first": return has("limit") ? "--limit N takes the first N" : nil
    case "group", "groupby", "group-by", "having":
      return definition.takesCondition ? "Lua sums up: help where shows how to group" : nil
    case "format", "output", "f", "o": return has("as") ? "--as FORMAT chooses the format" : nil
    default: return nil
    }
  }

  /// The advice on a word that is no path; nil: there is none.
  static func hint(onPath word: String) -> String? {
    if ["tables", "databases", "schemas", "all", "*"].contains(word.lowercased()) {
      return "describe lists the modules"
    }
    if word.contains("(") { return "Lua computes: = #state.tasks.items, show $(…)" }
    guard let sign = word.firstIndex(of: "="), isName(word[..<sign]) else { return nil }
    return "let \(word[..<sign]) = … sets a variable"
  }

  private static func isName(_ text: Substring) -> Bool {
    text.first.map { !$0.isNumber } ?? false && text.utf8.allSatisfy { $0 == 0x5F || isAlphanumeric($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// True if a program of that name is on the search path.
  static func isProgram(_ name: String) -> Bool {
    guard !name.isEmpty, !name.contains("/"), let path = getenv("PATH") else { return false }
    return String(cString: path).split(separator: ":").contains { folder in
      var status = stat()
      let file = "\(folder)/\(name)"
      return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(file, X_OK) == 0
    }
  }
}

extension Session {
  /// True if a line of this conversation may run programs of this process's machine.
  var runsPrograms: Bool { options.allowsExecution && !running.origin.isThroughDoor }
}
