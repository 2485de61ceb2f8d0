import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

private struct Cart: Equatable, Sendable, CustomStringConvertible {
  var n = 0
  var description: String { "n=\(n)" }
}

private struct Basket: Equatable, Sendable {
  var n = 0
}

private enum CartAction: String, Sendable, CustomStringConvertible {
  case inc, fail
  var description: String { rawValue }
}

private struct Failed: Error, CustomStringConvertible { var description: String { "no" } }

private let cart = Reducer<CartAction, Cart>.throwing("cart", canFail: { $0 == .fail }) { action, cart, _ in
  cart.n += 1
  if action == .fail { throw Failed() }
}

private typealias App = Substated<Int>
private typealias AppAction = SubstatedAction<String>
private typealias AppStore = Store<AppAction, App>

/// A store of one Int with substates, and what it reported.
private final class Bench: Sendable {
  let store: AppStore
  let trace = TraceLines("QRCUFD")
  private let reports = Reports()

  init(_ substates: SubstateReducers = SubstateReducers().registering("cart", cart)) throws {
    let app = Reducer<String, Int>("app") { if $0 == "inc" { $1 += 1 } }
    let reports = reports
    store = try Store(
      initial: Substated(0), reducer: app.substated(substates),
      middleware: Middleware<String, String, Int>.identity.substated(substates) { error, context in
        reports.lines.withLock { $0.append("\(context.number): \(error)") }
      })
    trace.listen(to: store)
  }

  /// Dispatches and says how it went: `ok` or the error.
  @discardableResult
  func run(_ action: SubstateAction) -> String {
    do {
      try store.dispatch(.substates(action)).get()
      return "ok"
    } catch {
      return "\(error)"
    }
  }

  var reported: [String] { reports.lines.withLock { $0 } }
  var cartState: Cart? { store.state.substates["cart"]?.value() }

  private final class Reports: Sendable {
    let lines = Lock<[String]>([])
  }
}

/// R23, S-21, rows 116–121.
@Suite struct SubstatesTests {
  @Test func s21DynamicSubstates() throws {
    let bench = try Bench()
    #expect(bench.run(.add("cart", Cart(n: 1))) == "ok")
    #expect(bench.cartState?.n == 1)
    #expect(
      bench.run(.add("cart", Cart())) == "substate cart exists; replace it explicitly, or reset it first")
    #expect(bench.cartState?.n == 1)
    bench.run(.add("cart", Cart(n: 5), replacing: true))
    #expect(bench.cartState?.n == 5)
    bench.run(.send("cart", CartAction.inc))
    #expect(bench.cartState?.n == 6)
    bench.run(.reset("cart"))
    #expect(bench.cartState == nil)
    #expect(bench.run(.send("cart", CartAction.inc)) == "ok", "reported, not fatal")
    #expect(bench.reported == ["6: no substate cart"])
    bench.run(.resetAll)
    #expect(bench.store.state == Substated(0))
    #expect(
      bench.trace.take()
        == scenario(
          """
          Q 1 substate add cart · R 1 substates [:]→["cart": n=1] · C 1 0 [:]→0 ["cart": n=1] · D 1
          Q 2 substate add cart · F 2 substate cart exists; replace it explicitly, or reset it first · D 2
          Q 3 substate add cart --replace · R 3 substates ["cart": n=1]→["cart": n=5]
          C 3 0 ["cart": n=1]→0 ["cart": n=5] · D 3
          Q 4 cart.inc · R 4 cart n=5→n=6 · C 4 0 ["cart": n=5]→0 ["cart": n=6] · D 4
          Q 5 substate reset cart · R 5 substates ["cart": n=6]→[:] · C 5 0 ["cart": n=6]→0 [:] · D 5
          Q 6 cart.inc · U 6 · D 6
          Q 7 substate reset · R 7 substates [:]→[:] · U 7 · D 7
          """))
    try bench.store.dispatch(.app("inc")).get()
    #expect(
      bench.trace.take() == scenario("Q 8 inc · R 8 app 0→1 · C 8 0 [:]→1 [:] · D 8"), "the store lives on")
  }

  @Test func aReplayGivesTheSameState() throws {
    let bench = try Bench()
    let records = Lock<[(AppAction, ActionContext)]>([])
    bench.store.setRecorder { record in records.withLock { $0.append((record.action, record.context)) } }
    let actions: [SubstateAction] = [
      .send("cart", CartAction.inc), .add("cart", Cart(n: 1)), .add("cart", Cart()), .send("cart", CartAction.inc),
      .add("other", "text"), .send("cart", CartAction.fail), .add("cart", Cart(n: 7), replacing: true),
      .send("cart", CartAction.inc), .reset("other", "nothing"),
    ]
    for action in actions { bench.store.dispatch(.substates(action)) }
    bench.store.dispatch(.app("inc"))
    var replayed = App(0)
    let reducer = Reducer<String, Int>("app") { if $0 == "inc" { $1 += 1 } }
      .substated(SubstateReducers().registering("cart", cart))
    for (action, context) in records.withLock({ $0 }) {
      // What failed in the store fails here, and changes nothing in either.
      try? reducer.reduce(action, &replayed, context: context)
    }
    #expect(replayed == bench.store.state)
    #expect("\(replayed)" == #"1 ["cart": n=8]"#)
  }

  @Test func namesMayBeAnything() throws {
    let bench = try Bench()
    for name in ["", "b", "a.b", "ä", "a"] { #expect(bench.run(.add(name, 1)) == "ok") }
    #expect(bench.store.state.substates.names == ["", "a", "a.b", "b", "ä"])
    bench.run(.reset("", "a.b", "ä"))
    #expect(bench.store.state.substates.names == ["a", "b"])
    #expect(bench.reported.isEmpty)
  }

  @Test func aValueOfAnotherTypeThanTheReducersIsRefused() throws {
    let bench = try Bench()
    #expect(bench.run(.add("cart", Basket())) == "substate cart is of type Cart, got Basket")
    #expect(bench.store.state.substates.names.isEmpty)
    bench.run(.add("cart", Cart(n: 1)))
    #expect(bench.run(.add("cart", Basket(), replacing: true)) == "substate cart is of type Cart, got Basket")
    #expect(bench.cartState?.n == 1)
  }

  @Test func anActionOfAnotherTypeIsRefused() throws {
    let bench = try Bench()
    bench.run(.add("cart", Cart(n: 1)))
    #expect(bench.run(.send("cart", "inc")) == "substate cart is of type CartAction, got String")
    #expect(bench.cartState?.n == 1)
    bench.run(.resetAll)
    #expect(bench.run(.send("cart", "inc")) == "ok")
    #expect(bench.reported == ["4: no substate cart"])
  }

  @Test func withoutReducersATypeIsFree() throws {
    let bench = try Bench(SubstateReducers())
    bench.run(.add("x", Cart()))
    #expect(bench.run(.add("x", Basket(n: 2), replacing: true)) == "ok")
    #expect(bench.store.state.substates["x"]?.typeName == "Basket")
    bench.run(.send("x", CartAction.inc))
    bench.run(.send("y", CartAction.inc))
    #expect(bench.reported == ["3: no reducer of substate x takes actions of type CartAction", "4: no substate y"])
    #expect(bench.store.state.substates["x"] == Substate(Basket(n: 2)))
  }

  @Test func reducersThatComeLaterMeetAnotherType() throws {
    let bench = try Bench(SubstateReducers())
    bench.run(.add("cart", Basket(n: 2)))
    let substates = SubstateReducers().registering("cart", cart)
    try bench.store.replaceReducer(Reducer<String, Int>.identity.substated(substates))
    let reports = Lock<[SubstateError]>([])
    try bench.store.replaceMiddleware(
      Middleware<String, String, Int>.identity.substated(substates) { error, _ in reports.withLock { $0.append(error) }
      })
    bench.run(.send("cart", CartAction.inc))
    #expect(reports.withLock { $0 } == [.typeMismatch(name: "cart", expected: "Basket", found: "Cart")])
    #expect(bench.store.state.substates["cart"] == Substate(Basket(n: 2)))
  }

  @Test func severalReducersOfOneSubstateRunInOrder() throws {
    let double = Reducer<CartAction, Cart>("double") { $1.n *= 2 }
    let text = Reducer<String, Cart>("text") { $1.n += $0.count }
    let bench = try Bench(
      SubstateReducers().registering("cart", cart).registering("cart", double).registering("cart", text))
    bench.run(.add("cart", Cart(n: 1)))
    bench.run(.send("cart", CartAction.inc))
    bench.run(.send("cart", "abc"))
    #expect(bench.cartState?.n == 7)
    #expect(bench.run(.send("cart", 1.5)) == "substate cart is of type CartAction, got Double")
    #expect(
      bench.trace.lines.filter { $0.hasPrefix("R") }.dropFirst()
        == [
          "R 2 cart n=1→n=2", "R 2 double n=2→n=4", "R 3 text n=4→n=7", #"R 4 substates ["cart": n=7]→["cart": n=7]"#,
        ].dropLast())
  }

  @Test func aFailingReducerLeavesTheSubstateAsItWas() throws {
    let bench = try Bench()
    bench.run(.add("cart", Cart(n: 1)))
    #expect(bench.run(.send("cart", CartAction.fail)) == "no")
    #expect(bench.cartState?.n == 1)
    #expect(bench.trace.take().suffix(2) == ["F 2 no", "D 2"])
  }

  @Test func resetOfWhatIsNotThereIsReportedAndTheRestDone() throws {
    let bench = try Bench()
    bench.run(.add("cart", Cart()))
    bench.run(.reset("one", "cart", "two", "cart"))
    #expect(bench.reported == ["2: no substate one", "2: no substate two"])
    #expect(bench.store.state.substates.names.isEmpty)
  }

  @Test func valuesAreReadByNameAndType() throws {
    let bench = try Bench()
    bench.run(.add("cart", Cart(n: 3)))
    bench.run(.add("number", 4))
    let substates = bench.store.state.substates
    #expect(try substates.value(of: "cart", as: Cart.self) == Cart(n: 3))
    #expect(throws: SubstateError.absent(name: "x")) { try substates.value(of: "x", as: Cart.self) }
    #expect(throws: SubstateError.typeMismatch(name: "number", expected: "Int", found: "Cart")) {
      try substates.value(of: "number", as: Cart.self)
    }
    #expect(substates["number"]?.schemaValue == .int(4))
    #expect(substates["cart"]?.schemaValue == nil)
    #expect(Substate(1) != Substate(1.0))
    #expect(Substate(1) == Substate(1))
  }

  @Test func typesAreExactAndToldApart() throws {
    struct Basket: Equatable, Sendable {}
    #expect(Substate(5).value(as: Int?.self) == nil)
    #expect(Substate(5 as Int?).value(as: Int.self) == nil)
    #expect(Substate(5 as Int?) != Substate(5))
    #expect(Substate(nil as Int?).value(as: Int?.self) == .some(nil))
    var substates = SubstateReducers()
    substates.register("x", Reducer<Int, Basket>.identity)
    let bench = try Bench(substates)
    let message = bench.run(.add("x", SubstatesTests.outer))
    #expect(message.hasPrefix("substate x is of type "))
    #expect(message != "substate x is of type Basket, got Basket", "the modules or places tell them apart")
    #expect(bench.run(.add("x", Basket())) == "ok")
  }

  private static let outer = Basket()

  @Test func aSubstateChangesInPlace() throws {
    let bump = Reducer<Int, [Int]>("bump") { $1[$0] += 1 }
    let store = try Store(
      initial: Substates(), reducer: SubstateReducers().registering("list", bump).reducer, emission: .never)
    store.dispatch(.add("list", Array(repeating: 0, count: 100)))
    func address() -> UnsafeRawPointer? {
      store.withState { state in
        let list: [Int]? = state["list"]?.value()
        return list?.withUnsafeBytes { $0.baseAddress }
      }
    }
    let before = address()
    store.dispatch(.send("list", 3))
    #expect(address() == before)
    let list: [Int]? = store.state["list"]?.value()
    #expect(list?[3] == 1)
  }
}
