import StoreCore
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

@Schema
struct Cart: Hashable, Sendable {
  var n: Int
}

@Schema
enum CartAction: Hashable, Sendable {
  case inc
  case put(n: Int)
}

/// Substates that come and go (R23).
@Suite struct SubstateTests {
  @Test func oneGoesByItsName() throws {
    let shell = try Shell()
    _ = shell.run("substate add memo --value {n = 1} > /dev/null")
    #expect(shell.run("substate --remove memo").output == "#2 shell.resetSubstates names=[\"memo\"]\n")
    #expect(shell.run("substate").output == "(no substates)\n")
    #expect(shell.run("substate --remove tasks").errors.contains("there is no substate 'tasks'"))
  }

  static func cart(_ options: SessionOptions, _ console: Console) throws -> Session {
    let standard = Application.hosted
    let reducer = Reducer<CartAction, Cart>("cart") { action, cart in
      switch action {
      case .inc: cart.n += 1
      case .put(let n): cart.n = n
      }
    }
    return try Session(
      Application(
        initial: standard.initial, reducer: standard.reducer, projections: standard.projections,
        substates: [ApplicationSubstate("cart", reducer)]), options: options, console: console)
  }

  /// S-21.
  @Test func substatesComeAndGo() throws {
    let shell = try Shell({ $0.keepsGoing = true }, over: Self.cart)
    let outcome = try shell.run(
      script: """
        substate add cart --value '{"n":1}'
        show cart.n
        substate add cart --value {n=1}
        show cart.n
        substate add cart --value '{"n":5}' --replace
        show cart.n
        dispatch cart.inc
        substate reset cart
        trace on --stable
        dispatch cart.inc
        trace off
        echo goes on
        substate reset
        substate
        log
        """, named: "s21.cmds")
    let file = shell.folder + "/s21.cmds"
    #expect(
      outcome.output == """
        #1 shell.addSubstate name="cart" value={ n = 1 }
        1
        1
        #3 shell.addSubstate name="cart" value={ n = 5 } replace=true
          cart.n  1 -> 5
        5
        #4 cart.inc
          cart.n  5 -> 6
        #5 shell.resetSubstates names=["cart"]
        #6 cart.inc  (changed nothing)
        goes on
        #7 shell.resetSubstates names=[]
        (no substates)
        n   at    source\(String(repeating: " ", count: file.utf8.count - 1))action                                                      changed
        #1  0.0s  \(file):1   shell.addSubstate name="cart" value={ n = 1 }               -
        #2  0.0s  \(file):3   shell.addSubstate name="cart" value={ n = 1 }               failed: name-taken
        #3  0.0s  \(file):5   shell.addSubstate name="cart" value={ n = 5 } replace=true  cart.n
        #4  0.0s  \(file):7   cart.inc                                                    cart.n
        #5  0.0s  \(file):8   shell.resetSubstates names=["cart"]                         -
        #6  0.0s  \(file):10  cart.inc                                                    -
        #7  0.0s  \(file):13  shell.resetSubstates names=[]                               -

        """)
    #expect(
      outcome.errors == """
        \(file):3:1: error[name-taken]: substate cart exists; replace it explicitly, or reset it first
          substate add cart --value {n=1}
        Q 6 cart.inc
        U 6
        D 6
        \(file):10:1: error[unknown-substate]: no substate cart
          dispatch cart.inc
        note: #6 cart.inc was applied
        2 of 15 commands failed

        """)
    #expect(shell.session.store.live.recent().allSatisfy { $0.source.kind == .batch })
    #expect(outcome.status == 1)
  }

  @Test func substatesAreReadLikeModules() throws {
    let shell = try Shell(over: Self.cart)
    let outcome = shell.run(
      "substate add cart --value {n = 2} > /dev/null", "= state.cart.n + 1", "describe cart", "watch cart.n",
      "dispatch cart.put n=$(state.cart.n * 10) --quiet", "show --as json", "substate", "use cart",
      "dispatch inc --quiet",
      "show n")
    #expect(outcome.errors == "[watch 1] cart.n  2 -> 20  (#2 cart.put)\n[watch 1] cart.n  20 -> 21  (#3 cart.inc)\n")
    #expect(
      outcome.output == """
        3
        module cart (swift)
        state
          n  Int
        actions
          cart.inc
          cart.put n:Int
        watch 1: cart.n = 2
        {"counter":{"value":0,"step":1},"tasks":{"nextId":1,"items":[]},"cart":{"n":20}}
        name  type  value
        cart  Cart  { n = 20 }
        21

        """)
  }

  @Test func aSubstateThatNobodyDeclaredHoldsAnyValue() throws {
    let outcome = try Shell().run(
      "substate add note --value hello --json", "show note", "substate add more --value {a = [1, {b = 2}]}",
      "show more.a[2].b", "= state.more.a[2].b + 40", "= state.note .. '!'", "substate reset note",
      "substate")
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("\"hello\"\n") && outcome.output.contains("\n2\n42\n\"hello!\"\n"))
    #expect(outcome.output.hasSuffix("name  type  value\nmore  Any   { a = [1, { b = 2 }] }\n"))
  }

  @Test func aPluginAddsAnActionToASubstateThatTheApplicationDeclares() throws {
    let shell = try Shell({ $0.grants = ["p"] }, over: Self.cart)
    let folder = try shell.plugin("p", Self.doubling("cart"), permissions: #"["reduce:cart"]"#)
    let outcome = try shell.type(
      "substate add cart --value {n = 2} > /dev/null", "plugin load \(folder) > /dev/null", "dispatch cart.double",
      "substate reset > /dev/null", "dispatch cart.double")
    #expect(outcome.output == "#3 cart.double\n  cart.n  2 -> 4\n#5 cart.double  (changed nothing)\n")
    #expect(outcome.errors.hasPrefix("error[unknown-substate]: no substate cart\n"), "\(outcome.errors)")
  }

  @Test func noReducerIsLiftedOverASubstateOfAnyType() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.doubling("cart"), permissions: #"["reduce:cart"]"#)
    let outcome = try shell.type("substate add cart --value {n = 2} > /dev/null", "plugin load \(folder)")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors == """
        error[plugin-schema]: p: lifted: 'cart' is a substate of no declared type, by which writes could be checked
          at \(folder)/init.lua:1
          hint: give the plugin a state of its own, or have the application declare the substate

        """)
  }

  private static func doubling(_ module: String) -> String {
    "return plugin { lifted = { { at = '\(module)', on = '\(module).double', args = {}, "
      + "reduce = function(s) s.n = s.n * 2 end } } }"
  }

  @Test(arguments: [
    ("substate add cart", "1:14: error[missing-argument]: substate needs --value V"),
    ("substate add cart --value {n=two}", "1:27: error[type-mismatch]: 'cart.n' must be Int, got string \"two\""),
    ("substate add cart --value {}", "1:27: error[missing-argument]: 'cart' needs 'n' (Int)"),
    ("substate add cart --value 3", "1:27: error[type-mismatch]: 'cart' must be Cart, got string \"3\""),
    ("substate add tasks --value 3", "1:14: error[name-taken]: 'tasks' is a module"),
    ("substate add show --value 3", "1:14: error[name-taken]: 'show' is a command"),
    ("substate ad cart", "1:10: error[unexpected-argument]: substate takes add or reset, got 'ad'"),
    ("show cart", "1:6: error[unknown-path]: there is no module 'cart'"),
  ])
  func mistakesChangeNothing(line: String, error: String) throws {
    let shell = try Shell(over: Self.cart)
    let outcome = shell.run(line)
    #expect(outcome.errors.hasPrefix("-c:\(error)\n"), "\(outcome.errors)")
    #expect(shell.session.store.live.recent().isEmpty)
  }

  @Test func resettingWhatIsNotThereIsReported() throws {
    let outcome = try Shell(over: Self.cart).run("substate reset cart other")
    #expect(outcome.output == "#1 shell.resetSubstates names=[\"cart\", \"other\"]\n")
    #expect(outcome.errors.contains("no substate cart") && outcome.errors.contains("no substate other"))
    #expect(outcome.status == 1)
  }
}
