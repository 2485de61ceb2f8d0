import StoreCore
import StoreUnits
import Synchronization
import Testing

@testable import RxStateSamples

@Suite struct RxStateTests {
  private let task = RxStateSamples.Task(id: "1", summary: "Buy milk")

  @Test func substatesComeAndAreReduced() throws {
    let faults = Mutex<[SubstateError]>([])
    let store = try makeStore { fault in faults.withLock { $0.append(fault) } }
    store.dispatch(.send("tasks", TasksAction.addingTask))
    #expect(faults.withLock { $0 } == [.absent(name: "tasks")])
    store.dispatch(.add("tasks", TasksState()))
    store.dispatch(.send("tasks", TasksAction.addedTask(task: task)))
    store.dispatch(.send("tasks", TasksAction.togglingTaskStatus(forTaskWithId: "1")))
    store.dispatch(.send("tasks", TasksAction.toggledTaskStatus(taskStatus: .done, forTaskWithId: "1")))
    store.dispatch(.send("tasks", TasksAction.updatedSummary(newSummary: "Buy tea", forTaskWithId: "1")))
    #expect(sectionModel(of: store).state == ["✓ Buy tea"])
    let unknown = store.dispatch(.send("tasks", TasksAction.updatedSummary(newSummary: "", forTaskWithId: "2")))
    #expect(throws: TasksError.invalidTaskId("2")) { try unknown.get() }
    store.dispatch(.resetAll)
    #expect(sectionModel(of: store).state == [])
  }

  @Test func anActionCreatorTakesItsTime() async throws {
    let (store, clock) = (try makeStore { _ in }, VirtualClock())
    store.dispatch(.add("tasks", TasksState()))
    let shown = sectionModel(of: store)
    let adding = addTask(task, on: clock)
    async let dispatching: Void = store.connection.dispatch(each: adding)
    while clock.nextDeadline == nil { await _Concurrency.Task.yield() }
    clock.advance(by: .seconds(2))
    await dispatching
    #expect(shown.state == ["· Buy milk"])
  }

  @Test func eachStateComesWithItsAction() throws {
    let lines = Mutex<[String]>([])
    let store = try makeStore { _ in }
    let watching = logging(store) { line in lines.withLock { $0.append(line) } }
    store.dispatch(.add("tasks", TasksState()))
    withExtendedLifetime(watching) {}
    #expect(lines.withLock { $0.count } == 2)
    #expect(lines.withLock { $0.first?.hasSuffix("by no action yet") } == true)
    #expect(lines.withLock { $0.last?.hasSuffix("by substate add tasks") } == true)
  }
}
