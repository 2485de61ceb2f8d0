import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

@Schema
private struct Pen: Hashable, Sendable {
  var ink = 5
  var name = "blue"
}

@Schema
private struct Desk: Hashable, Sendable {
  var sheet = Sheet()
  var pens: [Pen] = [Pen(), Pen(ink: 3, name: "red")]
  var marks: [String: Int] = [:]
}

private enum DeskAction: Equatable, Sendable {
  case inc
  case write(pen: Int)
  case mark(String)
  case rename(String)
  case noop
  case open(Bool)
}

private let desk = Reducer<DeskAction, Desk>("desk") { action, desk in
  switch action {
  case .inc: desk.sheet.count += 1
  case .write(let pen): desk.pens[pen].ink -= 1
  case .mark(let name): desk.marks[name, default: 0] += 1
  case .rename(let title): desk.sheet.title = title
  case .noop, .open: break
  }
}

private typealias DeskLogger = Middleware<DeskAction, Never, Desk>
private typealias Desks = Middleware<DeskAction, DeskAction, Desk>

extension Middleware where Output == Never, Input == DeskAction, State == Desk {
  fileprivate var whole: Desks { lift(input: { $0 }, to: DeskAction.self, state: { $0 }) }
}

/// R22, rows 134 to 140, D7, D8.
@Suite struct LogTextTests {
  private func logged(
    _ actions: [DeskAction] = [], trace: TraceLines? = nil, _ middleware: (LogWriter) -> Desks
  ) throws -> [String] {
    let log = WrittenLog()
    let writer = LogWriter(to: log)
    let store = try Store(initial: Desk(), reducer: desk, middleware: middleware(writer))
    trace?.listen(to: store)
    for action in actions {
      store.dispatch(action, source: ActionSource(file: "desk.cmds", function: "dispatch", line: 7, kind: .batch))
    }
    writer.flush()
    return log.lines
  }

  /// The lines about the state.
  private func states(_ text: LogStateText<Desk>, _ actions: [DeskAction]) throws -> [String] {
    try logged(actions) { DeskLogger.logger(action: .none, state: text, to: $0).whole }
  }

  @Test func anActionIsNamedOrShownWithItsPlaceOrAsWished() throws {
    let actions: [DeskAction] = [.inc, .write(pen: 1)]
    #expect(try logged(actions) { DeskLogger.logger(action: .short, state: .none, to: $0).whole } == ["inc", "write"])
    #expect(
      try logged(actions) { DeskLogger.logger(action: .long, state: .none, to: $0).whole }
        == ["#1 inc desk.cmds:7 dispatch", "#2 write(pen: 1) desk.cmds:7 dispatch"])
    #expect(
      try logged(actions) {
        DeskLogger.logger(action: .custom { "\($1.number)=\($0)" }, state: .none, to: $0).whole
      } == ["1=inc", "2=write(pen: 1)"])
    #expect(try logged(actions) { DeskLogger.logger(action: .none, state: .none, to: $0).whole }.isEmpty)
  }

  @Test func fieldsAreTypedDifferencesAndNoChangeSaysSo() throws {
    #expect(
      try logged([.inc, .noop, .write(pen: 1), .mark("a"), .mark("a"), .rename("b\n\"")]) {
        DeskLogger.logger(action: .short, state: .fields(), to: $0).whole
      } == [
        "inc", "  sheet.count: 0 → 1", "noop", "  no change", "write", "  pens[2].ink: 3 → 2", "mark",
        "  marks.a: added 1", "mark", "  marks.a: 1 → 2", "rename", #"  sheet.title: "a" → "b\n\"""#,
      ])
  }

  @Test func ignoredPathsAreLeftOutWithAllThatIsInThem() throws {
    let all = Path([.field("pens"), .all, .field("ink")])
    #expect(try states(.fields(ignoring: [all]), [.write(pen: 1), .inc]) == ["no change", "sheet.count: 0 → 1"])
    #expect(
      try states(.fields(ignoring: [Path([.field("sheet")])]), [.inc, .rename("x"), .write(pen: 0)])
        == ["no change", "no change", "pens[1].ink: 5 → 4"])
    #expect(try states(.fields(ignoring: [Path([.field("she")])]), [.inc]) == ["sheet.count: 0 → 1"])
    #expect(
      try states(.fields(ignoring: [Path([.field("marks"), .key(.string("a"))])]), [.mark("a"), .mark("b")])
        == ["no change", "marks.b: added 1"])
    #expect(try states(.fields(ignoring: [Path()]), [.inc]) == ["no change"])
    #expect(try states(.lines(ignoring: [all]), [.write(pen: 1)]) == ["no change"])
    #expect(
      try states(.new(ignoring: [Path([.field("pens")]), Path([.field("sheet"), .field("items")])]), [.inc])
        == ["sheet.count: 1", "sheet.flag: false", #"sheet.title: "a""#, "marks: {}"])
  }

  @Test func linesAreUnifiedHunksWithTwoLinesAround() throws {
    #expect(
      try states(.lines(), [.write(pen: 0), .noop]) == [
        "@@ -4,5 +4,5 @@", " sheet.items[2]: 2", #" sheet.title: "a""#, "-pens[1].ink: 5", "+pens[1].ink: 4",
        #" pens[1].name: "blue""#, " pens[2].ink: 3", "no change",
      ])
    #expect(
      try states(.lines(context: 0), [.rename("b")]) == [
        "@@ -5,1 +5,1 @@", #"-sheet.title: "a""#, #"+sheet.title: "b""#,
      ])
    #expect(try states(.lines(context: 1), [.mark("a")]).first == "@@ -9,2 +9,2 @@")
  }

  /// The texts of any states can be compared, and far differences stand apart.
  @Test func textsOfAnyKindAreComparedByLines() throws {
    func difference(_ old: String, _ new: String, context: Int = 1) throws -> [String] {
      let texts = Lock([old, new])
      // The first call is for the state before.
      return try states(.lines(context: context) { _ in texts.withLock { $0.removeFirst() } }, [.inc])
    }
    #expect(try difference("", "") == ["no change"])
    #expect(try difference("a", "a") == ["no change"])
    #expect(try difference("", "a\nb") == ["@@ -0,0 +1,2 @@", "+a", "+b"])
    #expect(try difference("a\nb", "") == ["@@ -1,2 +0,0 @@", "-a", "-b"])
    #expect(try difference("a\n", "a") == ["@@ -1,2 +1,1 @@", " a", "-"])
    #expect(
      try difference("1\n2\n3\n4\n5\n6\n7", "1\nx\n3\n4\n5\n7")
        == ["@@ -1,3 +1,3 @@", " 1", "-2", "+x", " 3", "@@ -5,3 +5,2 @@", " 5", "-6", " 7"])
    // Where the lines around touch, there is one hunk.
    #expect(try difference("1\n2\n3\n4", "x\n2\n3\ny") == ["@@ -1,4 +1,4 @@", "-1", "+x", " 2", " 3", "-4", "+y"])
    #expect(
      try difference("a\nb\nc", "c\na\nb", context: 5).filter { $0.hasPrefix("-") || $0.hasPrefix("+") }.count == 2)
    let long = (0..<3_000).map { "\($0)" }.joined(separator: "\n")
    #expect(try difference(long, long + "\nx") == ["@@ -3000,1 +3000,2 @@", " 2999", "+x"])
    #expect(try difference(long, "y").count == 3_002)
  }

  @Test func newAndCustomTextsSayWhatTheyAreToldTo() throws {
    #expect(try states(.new { "\($0.sheet.count)" }, [.inc, .noop, .inc]) == ["1", "1", "2"])
    #expect(
      try states(.custom { $0 == $1 ? nil : "\($0.sheet.count)>\($1.sheet.count)" }, [.inc, .noop, .inc])
        == ["0>1", "1>2"])
  }

  /// Row 137: a filtered action is not even handled.
  @Test func filteredActionsCostNothing() throws {
    let described = Lock(0)
    let trace = TraceLines("HI")
    let lines = try logged([.inc, .noop, .inc], trace: trace) {
      DeskLogger.logger(
        only: { $0 == .noop },
        action: .custom { action, _ in
          described.withLock { $0 += 1 }
          return "\(action)"
        }, state: .none, to: $0
      ).whole
    }
    #expect(lines == ["noop"])
    #expect(described.withLock { $0 } == 1)
    #expect(trace.lines.map { $0.prefix(10) } == ["H 2 logger", "I 2 logger"])
  }

  /// Row 134.
  @Test func aLogStandsWhereItIsPut() throws {
    let actions: [DeskAction] = [.inc, .write(pen: 0), .mark("a")]
    let pens = Middleware<Int, Never, [Pen]>("pens") { _, _, _ in .none }
    let writing: @Sendable (DeskAction) -> Int? = { if case .write(let pen) = $0 { pen } else { nil } }
    let lift: (Middleware<Int, Never, [Pen]>) -> Desks = {
      $0.lift(input: writing, to: DeskAction.self, state: { $0.pens })
    }
    // The whole application.
    #expect(
      try logged(actions) { .compose(DeskLogger.logger(action: .short, state: .none, to: $0).whole, lift(pens)) }
        == ["inc", "write", "mark"])
    // Around one unit, before lifting: local actions and state.
    #expect(
      try logged(actions) { lift(pens.logged(action: .short, state: .fields(), to: $0)) } == ["0", "  [1].ink: 5 → 4"])
    // Around one unit, after lifting: global ones.
    #expect(
      try logged(actions) { lift(pens).logged(action: .short, state: .fields(), to: $0) }
        == ["inc", "  sheet.count: 0 → 1", "write", "  pens[1].ink: 5 → 4", "mark", "  marks.a: added 1"])
    // One branch, whatever stands there.
    #expect(
      try logged(actions) { lift(.logger(action: .short, state: .new { "\($0.map(\.ink))" }, to: $0)) }
        == ["0", "  [4, 3]"])
  }

  /// Row 140.
  @Test func aGateTurnsTheLogOnAndOff() throws {
    let lines = try logged([.inc, .open(false), .inc, .open(true), .inc]) {
      DeskLogger.logger(action: .short, state: .fields(), to: $0)
        .gated(control: { if case .open(let isOpen) = $0 { isOpen } else { nil } }).whole
    }
    #expect(
      lines == [
        "inc", "  sheet.count: 0 → 1", "open", "  no change", "open", "  no change", "inc", "  sheet.count: 2 → 3",
      ])
  }

  /// D8: each entry has its own states, though the writer makes the text only when all is over.
  @Test func textIsMadeLaterOfTheStatesOfThen() throws {
    let (entered, released) = (Flag(), Flag())
    let log = WrittenLog()
    let writer = LogWriter(to: log)
    writer.write {
      entered.raise()
      released.wait()
      return nil
    }
    entered.wait()
    let chain = Desks("chain") { action, _, _ in
      guard case .rename = action else { return .none }
      return IO {
        $0.dispatch(.inc)
        $0.dispatch(.inc)
      }
    }
    let store = try Store(
      initial: Desk(), reducer: desk,
      middleware: .compose(chain, DeskLogger.logger(action: .short, state: .fields(), to: writer).whole))
    store.dispatch(.rename("b"))
    store.dispatch(.write(pen: 0))
    #expect(log.lines.isEmpty)
    released.raise()
    writer.flush()
    #expect(
      log.lines == [
        "rename", #"  sheet.title: "a" → "b""#, "inc", "  sheet.count: 0 → 1", "inc", "  sheet.count: 1 → 2", "write",
        "  pens[1].ink: 5 → 4",
      ])
  }

  @Test func anActionThatFailsIsNotLogged() throws {
    struct Refused: Error {}
    let log = WrittenLog()
    let writer = LogWriter(to: log)
    let failing = Reducer<DeskAction, Desk>.throwing("failing") { action, _, _ in
      if action == .noop { throw Refused() }
    }
    let store = try Store(
      initial: Desk(), reducer: .compose(desk, failing),
      middleware: DeskLogger.logger(action: .short, state: .fields(), to: writer).whole)
    for action in [DeskAction.noop, .inc] { store.dispatch(action) }
    writer.flush()
    #expect(log.lines == ["inc", "  sheet.count: 0 → 1"])
  }
}
