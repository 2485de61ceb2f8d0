import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let expression = CommandDefinition(
    "=", needs: .read, usage: ["= EXPR [--as FORMAT] [--json]"],
    summary: "prints the value of a Lua expression, or several as a list",
    flags: FlagDefinition.format,
    examples: [
      CommandExample("= state.counter.value * 10", output: "0\n"),
      CommandExample("= project('tasks.summary') .. '!'", output: "\"0 of 0 done!\"\n"),
      CommandExample("= state.counter.value, state.counter.step", output: "0\n1\n"),
    ],
    lua: LuaVerb("=", takesFlags: true),
    isBrief: true,
    read: { reader in (text: try reader.luaText("an expression"), form: try reader.form()) },
    perform: { request, session in
      do {
        return try session.answer(
          session.lua().evaluate(request.text, chunk: session.chunkName, takesAll: true), as: request.form)
      } catch let error as SessionLuaError
        where request.text.contains("|") && (error.message.contains("bitwise operation") || error.unknownName != nil)
      {
        var described = ShellError(describing: error)
        described.message = "= cannot be piped: to Lua | is an operator of its own"
        described.hint = "write: show $(…) | COMMAND"
        throw described
      }
    })

  static let lua = CommandDefinition(
    "lua", needs: .read, usage: ["lua CHUNK"],
    summary: "runs Lua: state, dispatch(name, args), project(name) and variables",
    examples: [
      CommandExample("lua for i = 1, 3 do dispatch(\"counter.increment\") end", "show counter.value", output: "3\n"),
      CommandExample("lua print(#state.tasks.items)", output: "0\n"),
    ],
    lua: LuaVerb("lua"),
    defines: .anything,
    read: { try $0.luaText("a chunk") },
    perform: { text, session in
      try session.lua().run(
        text, calls: LuaText.places(ofGlobals: ["command"], in: Array(text.utf8)[...]).map(\.range.lowerBound),
        chunk: session.chunkName)
      return .none
    })

  static let `let` = CommandDefinition(
    "let", needs: .read, usage: ["let [NAME = EXPR]"],
    summary: "sets a variable to the value of a Lua expression, or lists them",
    flags: FlagDefinition.format,
    examples: [
      CommandExample("let n = 3", "= n + 1", output: "4\n"),
      CommandExample("let n = 3", "let", output: "n  3\n"),
    ],
    lua: LuaVerb("let", .named),
    isBrief: true,
    defines: .firstOperand,
    removal: Removal(
      noun: "variable", names: { $0.names.variables.names },
      remove: { session, name in
        session.names.variables.remove(name)
        try session.lua().remove(name)
        return .none
      }),
    listing: { CommandListing(try $0.variables(), of: "variables") },
    read: { reader in
      guard let tail = reader.statement.lua else {
        let word = reader.operands[0]
        try reader.vocabulary.requireFree(word.text, as: .variable, at: word)
        throw ShellError(
          code: .missingArgument, message: "let \(word.text) needs a value", at: word,
          hint: "usage: let NAME = EXPR; show $NAME shows a variable")
      }
      let name = try reader.free(try reader.required(0, "a name"), as: .variable)
      guard tail.text.contains(where: { !$0.isWhitespace }) else { throw reader.missing("an expression") }
      return (name: name, expression: tail.text)
    },
    addNames: { request, session in
      if let name = request.name.known { session.names.variables.insert(name) }
    },
    perform: { request, session in
      let name = try request.name.value(in: session)
      var failed: (name: String, status: Int)?
      let value = try session.lua().evaluate(
        request.expression, chunk: session.chunkName, keptUnread: { failed = ($0, $1) }
      )
      .value
      try session.lua().set(name, value)
      session.names.variables.insert(name)
      if let failed { throw Session.failure(ofUnread: failed.name, failed.status) }
      guard Session.functionsOfLua.contains(name) else { return .none }
      return CommandResult(json: nil, notes: ["the variable \(name) hides the function \(name) of Lua"])
    })

  static let assert = CommandDefinition(
    "assert", needs: .read, usage: ["assert EXPR [-- MESSAGE]"],
    summary: "fails with status 3 unless a Lua expression holds; shows both sides of a comparison",
    examples: [
      CommandExample("assert state.counter.value == 0 -- starts at zero", output: ""),
      CommandExample(
        "assert state.counter.step > 1",
        output: """
          error[assert-failed]: state.counter.step > 1 does not hold
            left   state.counter.step = 1
            right  1 = 1

          """),
    ],
    lua: LuaVerb("assert"),
    isBrief: true,
    read: { reader in
      guard let tail = reader.statement.lua else { throw reader.missing("an expression") }
      let text = tail.splittingComment.lua
      guard !text.isEmpty else { throw reader.missing("an expression") }
      do throws(SyntaxFault) {
        return (text: text, message: try tail.message())
      } catch {
        throw ShellError(code: .syntax, message: error.message, place: .span(tail.span), status: 2)
      }
    },
    perform: { request, session in
      let (text, chunk) = (request.text, session.chunkName)
      let lua = try session.lua()
      var details: [String] = []
      var hint: String?
      // A comment would swallow the rest of the function.
      if let sides = text.contains("--") ? nil : Comparison(text),
        let answer = try lua.comparison(sides.left, sides.sign, sides.right, chunk: chunk)
      {
        guard !answer.holds else { return .none }
        let values = answer.sides.map { $0.map(ActionText.literal) ?? "no value" }
        details = ["left   \(sides.left) = \(values[0])", "right  \(sides.right) = \(values[1])"]
        let haveParts = answer.sides.allSatisfy { side in
          switch side {
          case .list?, .map?, .record?: true
          default: false
          }
        }
        if haveParts, sides.sign == "==" { hint = "two tables are never equal in Lua: compare their fields" }
      } else {
        guard try !lua.holds(text, chunk: chunk) else { return .none }
      }
      var said: String?
      do {
        said = try request.message.map { try session.text(of: $0) }
      } catch {
        // It does not take the place of the failure that it explains.
        details.append("the message is missing: \(ShellError(describing: error).message)")
      }
      throw ShellError(
        code: .assertFailed, message: said ?? "\(text) does not hold", details: details, hint: hint, status: 3)
    })
}

extension Session {
  /// The variables that `let` set.
  fileprivate func variables() throws -> Reading {
    let lua = try lua()
    return Reading("Variables", names.variables.names.map { ($0, lua.variable($0) ?? .none) })
  }
}
