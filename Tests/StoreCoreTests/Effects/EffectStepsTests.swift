import Dispatch
import StoreCore
import TraceSupport
import Testing

/// Effects that run in steps.
@Suite struct EffectStepsTests {
  /// What a step does before it waits.
  private enum Deed: Sendable {
    case send(String)
    case cancel(String)
    case resume
  }

  /// Does what a list says, a line each step.
  private final class Script: EffectSteps {
    typealias Line = (deeds: [Deed], wait: EffectWait)

    private let context: EffectContext<Void, Act>
    private var lines: [Line]
    private let notes: Notes<String>

    init(_ context: EffectContext<Void, Act>, _ lines: [Line], _ notes: Notes<String> = Notes()) {
      self.context = context
      self.lines = lines
      self.notes = notes
      notes.note("begin")
    }

    func step() -> EffectWait {
      notes.note("step")
      guard !lines.isEmpty else { return .finished }
      let line = lines.removeFirst()
      for deed in line.deeds {
        switch deed {
        case .send(let name): context.send(.named(name))
        case .cancel(let token): context.cancel(token)
        case .resume: context.resume()
        }
      }
      return line.wait
    }

    func cancel() {
      notes.note("cancel")
      context.send(.named("late"))
    }
  }

  private let notes = Notes<String>()

  /// A store in which `go` starts a script under the token `t`.
  private func bench(_ lines: [Script.Line]) throws -> Bench {
    try Bench(
      effects { [notes] name in
        switch name {
        case "go": .steps { Script($0, lines, notes) }.token("t")
        case "stop": .cancel("t")
        default: .none
        }
      })
  }

  @Test func itSleepsAndSends() throws {
    let bench = try bench([([.send("a")], .sleep(.seconds(1))), ([.send("b"), .send("c")], .finished)])
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "Q 2 a <1"])
    #expect(bench.store.effects.map(\.wakesIn) == [.seconds(1)])
    #expect(bench.advance(0.5).isEmpty)
    #expect(bench.store.effects.map(\.wakesIn) == [.milliseconds(500)])
    #expect(bench.advance(0.5) == ["Q 3 b <1", "Q 4 c <1", "E 1 u/t done"])
    #expect(bench.store.effects.isEmpty)
    #expect(bench.clock.nextDeadline == nil)
    #expect(notes.all == ["begin", "step", "step"])
  }

  @Test func aStepIsAJobBehindWhatIsQueued() throws {
    // What the unit's IO and an interceptor enqueue comes before the first step.
    let u = CountMiddleware("u") { action, context, _, effects in
      guard action == .named("go") else { return .none }
      return IO { output in
        effects.start(.steps { Script($0, [([.send("step")], .finished)]) }, context: context, output: output)
        output.dispatch(.named("io"))
      }
    }
    let bench = try Bench(u)
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/- start", "Q 2 io <1", "Q 3 step <1", "E 1 u/- done"])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func aWaitThatIsNoneLetsTheQueuePass(wait: Duration) throws {
    let bench = try bench([([.send("a")], .sleep(wait)), ([.send("b")], .finished)])
    let order = Notes<String>()
    bench.store.setRecorder { if case .named(let name) = $0.action { order.note(name) } }
    #expect(
      bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "Q 2 a <1", "Q 3 b <1", "E 1 u/t done"])
    #expect(order.all == ["go", "a", "b"])
  }

  @Test func thoseOfOneDeadlineWakeInTheOrderInWhichTheyLayDown() throws {
    let u = effects { name in
      guard let index = Int(name) else { return .none }
      return .steps { Script($0, [([], .sleep(.seconds(10 - index))), ([.send("woke \(index)")], .finished)]) }
    }
    let bench = try Bench(u, kinds: "Q")
    for index in 0..<5 {
      bench.send(.named("\(index)"))
      bench.advance(1)
    }
    #expect(bench.advance(20) == (0..<5).map { "Q \($0 + 6) woke \($0) <\($0 + 1)" })
  }

  // MARK: Resuming

  @Test func itGoesOnOnceItIsResumed() throws {
    let kept = Notes<EffectContext<Void, Act>>()
    let u = effects { name in
      guard name == "go" else { return .none }
      return .steps { context in
        kept.note(context)
        return Script(
          context, [([], .resumption()), ([.send("on")], .sleep(.seconds(1))), ([.send("end")], .finished)])
      }
    }
    let bench = try Bench(u)
    bench.send(.named("go"))
    #expect(bench.advance(100).isEmpty)
    #expect(bench.store.effects.map(\.wakesIn) == [nil])
    kept.all[0].resume()
    #expect(bench.trace.take() == ["Q 2 on <1"])
    // While it waits for something else it means nothing, now or later.
    kept.all[0].resume()
    #expect(bench.trace.take().isEmpty)
    #expect(bench.advance(1) == ["Q 3 end <1", "E 1 u/- done"])
    kept.all[0].resume()
    #expect(bench.trace.take().isEmpty)
  }

  @Test func aResumptionThatDoesNotComeIsWaitedForNoLongerThanSaid() throws {
    let bench = try bench([([], .resumption(within: .seconds(2))), ([.send("over")], .resumption(within: .seconds(2)))])
    bench.send(.named("go"))
    #expect(bench.advance(1.9).isEmpty)
    #expect(bench.advance(0.1) == ["Q 2 over <1"])
    #expect(bench.advance(2) == ["E 1 u/t done"])
  }

  @Test func aResumptionEndsTheWaitForTheClock() throws {
    let kept = Notes<EffectContext<Void, Act>>()
    let u = effects { name in
      guard name == "go" else { return .none }
      return .steps { context in
        kept.note(context)
        return Script(context, [([], .resumption(within: .seconds(2))), ([.send("on")], .sleep(.seconds(5)))])
      }
    }
    let bench = try Bench(u)
    bench.send(.named("go"))
    bench.advance(1)
    kept.all[0].resume()
    // Twice means once.
    kept.all[0].resume()
    #expect(bench.trace.take() == ["Q 2 on <1"])
    #expect(bench.advance(4.9).isEmpty)
    #expect(bench.advance(0.1) == ["E 1 u/- done"])
  }

  @Test func aResumptionDuringTheStepIsNotLost() throws {
    let bench = try bench([
      ([.resume], .resumption()), ([.resume, .send("a")], .sleep(.seconds(1))), ([.send("b")], .resumption()),
      ([.send("c")], .finished),
    ])
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "Q 2 a <1"])
    // The second was for a wait that did not come.
    #expect(bench.advance(100) == ["Q 3 b <1"])
    #expect(notes.all.count == 4)
  }

  @Test func resumptionsFromOtherThreads() throws {
    let rounds = 2_000
    let count = Notes<Int>()
    /// Has another thread resume it, and waits for that.
    final class Caller: EffectSteps {
      private let context: EffectContext<Void, Act>
      private var left: Int
      private let count: Notes<Int>
      private let end: DispatchSemaphore

      init(_ context: EffectContext<Void, Act>, _ left: Int, _ count: Notes<Int>, _ end: DispatchSemaphore) {
        (self.context, self.left, self.count, self.end) = (context, left, count, end)
      }

      func step() -> EffectWait {
        count.note(left)
        guard left > 0 else {
          end.signal()
          return .finished
        }
        left -= 1
        let context = context
        DispatchQueue.global().async { context.resume() }
        // Takes notice of what other threads have brought by now.
        context.send(.noop)
        return .resumption()
      }
    }
    let end = DispatchSemaphore(value: 0)
    let bench = try Bench(
      effects { $0 == "go" ? .steps { Caller($0, rounds, count, end) } : .none }, runawayLimit: .max)
    bench.send(.named("go"))
    end.wait()
    #expect(count.all == (0...rounds).reversed())
  }

  // MARK: Cancelling

  @Test func cancelledWhereItWaitsItTidiesUpAndNeverSendsAgain() throws {
    for wait in [EffectWait.sleep(.seconds(1)), .resumption(), .resumption(within: .seconds(1))] {
      let notes = Notes<String>()
      let bench = try Bench(
        effects { name in
          switch name {
          case "go": .steps { Script($0, [([], wait), ([.send("b")], .finished)], notes) }.token("t")
          case "stop": .cancel("t")
          default: .none
          }
        })
      bench.send(.named("go"))
      #expect(bench.send(.named("stop")) == ["Q 2 stop", "E 1 u/t cancel"])
      #expect(bench.advance(10).isEmpty)
      #expect(notes.all == ["begin", "step", "cancel"])
      #expect(bench.clock.nextDeadline == nil)
    }
  }

  @Test func cancelledBeforeTheFirstStepNothingOfItRuns() throws {
    let bench = try Bench(
      effects { [notes] name in
        guard name == "go" else { return .none }
        return CountEffect.steps { Script($0, [], notes) }.token("t").appending(.cancel("t"))
      })
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "E 1 u/t cancel"])
    #expect(notes.all.isEmpty)
  }

  @Test func itMayCancelItself() throws {
    let bench = try bench([([.cancel("t"), .send("x")], .sleep(.seconds(1)))])
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "E 1 u/t cancel"])
    #expect(bench.advance(10).isEmpty)
    #expect(notes.all == ["begin", "step", "cancel"])
  }

  @Test func aNewOneUnderTheTokenReplacesIt() throws {
    let bench = try bench([([], .sleep(.seconds(2))), ([.send("b")], .finished)])
    bench.send(.named("go"))
    bench.advance(1)
    #expect(bench.send(.named("go")) == ["Q 2 go", "E 1 u/t cancel", "E 2 u/t start"])
    #expect(bench.advance(1.5).isEmpty)
    #expect(bench.advance(0.5) == ["Q 3 b <2", "E 2 u/t done"])
  }

  @Test func aStoreThatIsGoneLetsItTidyUp() throws {
    /// Holds itself until it is cancelled, as a coroutine and its owner do.
    final class Holder: EffectSteps {
      private var holder: Holder?
      private let end: DispatchSemaphore

      init(_ end: DispatchSemaphore) {
        self.end = end
        holder = self
      }

      func step() -> EffectWait { .sleep(.seconds(1)) }

      func cancel() {
        holder = nil
        end.signal()
      }
    }
    let end = DispatchSemaphore(value: 0)
    weak var gone: Counting?
    do {
      let bench = try Bench(effects { $0 == "go" ? .steps { _ in Holder(end) } : .none })
      bench.send(.named("go"))
      gone = bench.store
    }
    end.wait()
    #expect(gone == nil)
  }

  // MARK: With the rest

  @Test func itsActionsAreMappedAndItStartsWhenItsScheduleSays() throws {
    let u = effects { name in
      guard name == "go" else { return .none }
      return CountEffect.steps { Script($0, [([.send("a")], .finished)]) }
        .map { if case .named(let name) = $0 { .named(name + "!") } else { $0 } }.after(.seconds(1))
    }
    let bench = try Bench(u)
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/- start"])
    #expect(bench.advance(1) == ["Q 2 a! <1", "E 1 u/- done"])
  }

  @Test func itFollowsTheState() throws {
    let u = SupervisionTests.rooms { [notes] count in
      guard count > 0, count < 4 else { return [] }
      return [
        Supervised("tick") { context in
          Script(context, Array(repeating: ([.send("tick")], .sleep(.seconds(1))), count: 10), notes)
        }
      ]
    }
    for (shape, middleware) in arrangements([u]) {
      let bench = try Bench(middleware)
      #expect(bench.send(.inc) == ["Q 1 inc", "E 1 u/tick start", "Q 2 tick <1"], "\(shape)")
      #expect(bench.store.effects.map(\.isSupervised) == [true])
      #expect(bench.advance(10) == ["Q 3 tick <1", "Q 4 tick <1", "E 1 u/tick cancel"], "\(shape)")
      #expect(bench.store.state == 4)
    }
  }

  /// What a script does as steps, it does as an asynchronous closure, in the same order and at the same times.
  @Test(arguments: 0..<40)
  func itDoesWhatAnAsynchronousClosureDoes(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let scripts: [[(name: String, pause: Int)]] = (0..<4).map { script in
      (0..<6).map { ("\(script).\($0)", Int.random(in: 1..<4, using: &generator)) }
    }
    let orders: [Int] = (0..<40).map { _ in Int.random(in: 0..<10, using: &generator) }
    func traces(inSteps: Bool) throws -> [String] {
      let bench = try Bench(
        effects { name in
          guard let number = Int(name) else { return .none }
          guard number < 4 else { return number < 8 ? .cancel(number - 4) : .none }
          let script = scripts[number]
          guard inSteps else {
            return CountEffect.run { context in
              for line in script {
                context.send(.named(line.name))
                do { try await context.sleep(for: .seconds(line.pause)) } catch { return }
              }
            }.token(number)
          }
          return CountEffect.steps { context in
            Script(context, script.map { ([.send($0.name)], .sleep(.seconds($0.pause))) })
          }.token(number)
        })
      return orders.flatMap { $0 < 8 ? bench.send(.named("\($0)")) : bench.advance(Double($0 - 6)) }
        + bench.advance(100)
    }
    #expect(try traces(inSteps: true) == traces(inSteps: false))
  }
}
