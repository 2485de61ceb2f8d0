import StoreCore
import TraceSupport
import Testing

/// R26, rows 17, 18, 56, 83: views of a store.
@Suite struct ProjectionTests {
  @Test func aProjectionOfActionsOnlyShowsTheSameState() throws {
    let store = try Counting(initial: 1, reducer: count)
    let trace = TraceLines("QX")
    trace.listen(to: store)
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    let words = store.projection(named: "words") { (word: String) in word == "up" ? Act.inc : nil }
    let loud = words.projection { (word: String) in word.lowercased() }
    let line = #line + 1
    #expect(loud.dispatch("UP", info: "shouted")?.number == 1)
    #expect(loud.dispatch("down") == nil)
    #expect(loud.state == 2)
    #expect(trace.lines == ["Q 1 inc", "X down projection words"])
    #expect(sources.all == [.here(info: "shouted", line: line)])
  }

  @Test func aProjectionOfStateOnlyTakesTheSameActions() throws {
    let store = try Counting(initial: 1, reducer: count)
    let tens = store.projection(state: { $0 / 10 })
    let text = tens.projection(state: { "\($0)" })
    let told = Notes<String>()
    let watch = text.watch { told.note($0.new) }
    text.dispatch(.set(9))
    tens.dispatch(.set(12))
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(told.all == ["0", "1"], "projected values are what is compared")
    #expect(text.state == "1")
  }

  enum Detail: Equatable, Sendable {
    case show(Int?)
    case add(Int)
  }

  static func details(_ initial: Int?) throws -> Store<Detail, Int?> {
    try Store(
      initial: initial,
      reducer: Reducer { action, state in
        switch action {
        case .show(let value): state = value
        case .add(let summand): state? += summand
        }
      })
  }

  @Test func anOptionalStoreShowsTheLastValueWhenItsValueGoes() throws {
    let store = try Self.details(1)
    let shown = try #require(store.transposed())
    let told = Notes<Int>()
    let watch = shown.watch { told.note($0.new) }
    shown.dispatch(.add(1))
    shown.dispatch(.show(nil))
    #expect(shown.state == 2, "what the watcher saw last, though nobody read it")
    #expect(store.state == nil)
    #expect(store.transposed() == nil)
    #expect(store.projection(state: { $0 }).transposed() == nil)
    shown.dispatch(.show(7))
    #expect(shown.state == 7, "it is there again")
    withExtendedLifetime(watch) {}
    #expect(told.all == [1, 2, 7], "nobody is told that the value went")
  }

  @Test func anOptionalStoreOwnsNothingButWhatItShowedLast() throws {
    let store = try Self.details(1)
    let shown = try #require(store.transposed())
    store.dispatch(.show(5))
    store.dispatch(.show(nil))
    #expect(shown.state == 1, "5 was never looked at")
    var again: StoreProjection<Detail, Int>? = shown
    let part = again?.projection(state: { $0 * 10 })
    again = nil
    store.dispatch(.show(6))
    #expect(part?.state == 60)
    store.dispatch(.show(nil))
    #expect(part?.state == 60)
    #expect(shown.state == 6)
  }

  @Test func aStateMapRunsBetweenTwoChanges() async throws {
    let store = try Self.details(0)
    let shown = try #require(store.transposed())
    // A read that began before a change never overwrites what was shown after it.
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for _ in 0..<500 { store.dispatch(.add(1)) } }
      group.addTask {
        var last = 0
        for _ in 0..<500 {
          let next = shown.state
          #expect(next >= last)
          last = next
        }
      }
    }
    store.awaitQueue()
    #expect(shown.state == 500)
    store.dispatch(.show(nil))
    #expect(shown.state == 500)
  }
}
