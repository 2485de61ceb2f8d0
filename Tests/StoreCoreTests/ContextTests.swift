import StoreCore
import Testing

/// R12, R13: a context that is kept stays what it was, whatever the store does next.
@Suite struct ContextTests {
  private static func text(_ context: ActionContext) -> String {
    "\(context.number) \(context.root) \(context.source.file):\(context.source.line) \(context.source.info ?? "-") "
      + "\(context.source.cause ?? 0) \(context.time.components.seconds)"
  }

  @Test func contextsThatUnitsAndWatchersKeepAreNotChangedByLaterActions() throws {
    let (kept, texts) = (Notes<ActionContext>(), Notes<String>())
    @Sendable func keep(_ context: ActionContext) {
      kept.note(context)
      texts.note(Self.text(context))
    }
    let clock = VirtualClock()
    let store = try Counting(
      initial: 0,
      reducer: .throwing("keeping") { action, count, context in
        keep(context)
        if action == .fail("now") { throw Refused(description: "now") }
        count += 1
      },
      middleware: CountMiddleware("asked") { _, context, _ in
        keep(context)
        return IO { output in
          keep(context)
          if context.number % 7 == 0 { output.dispatch(.inc, info: "caused by \(context.number)") }
        }
      }, emission: .always, clock: clock)
    store.setRecorder { keep($0.context) }
    let watch = store.watch { notification in notification.context.map(keep) }
    for index in 1...60 {
      clock.advance(by: .seconds(1))
      store.dispatch(
        index % 5 == 0 ? .fail("now") : .inc,
        source: ActionSource(file: "file \(index)", function: "f", line: index, info: index % 3 == 0 ? "\(index)" : nil)
      )
    }
    withExtendedLifetime(watch) {}
    #expect(kept.all.map(Self.text) == texts.all)
    #expect(Set(kept.all.map(\.number)).count > 60)
    #expect(kept.all.contains { $0.source.info == "caused by 7" && $0.source.cause == 7 && $0.root == 7 })
  }

  @Test func anActionDoesNotInheritWhatTheOneBeforeItSaid() throws {
    let contexts = Notes<String>()
    let store = try Counting(initial: 0, reducer: count)
    let watch = store.watch { if let context = $0.context { contexts.note(Self.text(context)) } }
    store.dispatch(.inc, source: ActionSource(file: "a", function: "f", line: 1, info: "said", cause: 9))
    store.dispatch(.inc, source: ActionSource(file: "b", function: "f", line: 2))
    withExtendedLifetime(watch) {}
    #expect(contexts.all == ["1 1 a:1 said 9 0", "2 2 b:2 - 0 0"])
  }

  @Test func whatAWatcherDispatchesHasAContextOfItsOwn() throws {
    let contexts = Notes<String>()
    let store = try Counting(initial: 0, reducer: count)
    let watches = ["first", "second"].map { name in
      store.watch { [weak store] notification in
        guard let context = notification.context else { return }
        contexts.note("\(name) \(context.number) \(context.source.file)")
        if notification.new < 3 {
          store?.dispatch(.inc, source: ActionSource(file: name, function: "f", line: 1))
          contexts.note("\(name) \(context.number) \(context.source.file)")
        }
      }
    }
    store.dispatch(.set(2), source: ActionSource(file: "outside", function: "f", line: 1))
    withExtendedLifetime(watches) {}
    #expect(
      contexts.all == [
        "first 1 outside", "first 1 outside", "second 1 outside", "second 1 outside", "first 2 first", "second 2 first",
        "first 3 second", "second 3 second",
      ])
  }
}
