import StoreCore
import Synchronization
import Testing

@testable import BindableReduxSamples

@Suite struct BindableReduxTests {
  private let lines = Lines()

  private final class Lines: Sendable { let all = Mutex<[String]>([]) }

  private func counter(from state: CounterState? = nil) throws -> Counter {
    let lines = lines
    return Counter(try createStore(preloadedState: state) { line in lines.all.withLock { $0.append(line) } })
  }

  @Test func theThunkCountsToTheLimit() throws {
    let counter = try counter()
    counter.limitText.set("2")
    for _ in 0..<5 { counter.updateCount() }
    #expect(counter.store.state.count == 2)
    counter.isIncrementing.set(false)
    #expect(counter.limitText.value == "")
    #expect(counter.toggleText == "Decrease")
    counter.updateCount()
    #expect(counter.store.state.count == 1)
  }

  @Test func aWriteOfABindingIsAnAction() throws {
    let counter = try counter(from: CounterState(count: 7))
    let seen = Mutex<[String]>([])
    let watching = counter.limitText.watch { change in seen.withLock { $0.append(change.new) } }
    counter.limitText.set("8")
    withExtendedLifetime(watching) {}
    #expect(seen.withLock { $0 } == ["", "8"])
    let before = CounterState(count: 7)
    #expect(lines.all.withLock { $0 } == ["before \(before)", "after \(CounterState(count: 7, limitText: "8"))"])
  }
}
