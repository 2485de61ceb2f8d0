import Foundation
import StoreCore
import Testing

/// What the tutorial of StoreCore has its reader type. The files in `Tutorial` are its last steps.
@Suite struct TutorialTests {
  private final class Display: Sendable {
    let shown = Lock<[EggTimer]>([])
  }

  @Test func theEggIsDoneAfterFourMinutesOfTheClock() throws {
    let display = Display()
    let clock = VirtualClock()
    try boilAnEgg(on: clock) { timer in display.shown.withLock { $0.append(timer) } }
    let shown = display.shown.withLock { $0 }
    #expect(shown.map(\.seconds) == [0, 240] + (0...240).reversed())
    #expect(shown.last == EggTimer(seconds: 0))
    #expect(clock.now == .seconds(240))
  }

  @Test func itRingsOnceAndOnlyWhenItComesToZero() throws {
    let rings = Lock(0)
    let world = EggTimerWorld(ring: { rings.withLock { $0 += 1 } }, remember: { _ in })
    let clock = VirtualClock()
    let store = try Store(initial: EggTimer(seconds: 3), clock: clock) { EggTimer.handler(world) }
    store.dispatch(.start)
    clock.advance(by: .seconds(2))
    #expect(rings.withLock { $0 } == 0)
    clock.advance(by: .seconds(60))
    #expect(rings.withLock { $0 } == 1)
    #expect(store.state == EggTimer(seconds: 0))
  }

  @Test func theTypedFilesAreTheLastStepsThatTheTutorialShows() throws {
    let typedFiles = PackageFolder.url.appending(path: "Tests/DocumentationTests/Tutorial")
    let catalog = PackageFolder.url.appending(path: "Sources/Store/StoreCore/StoreCore.docc")
    let tutorial = try String(contentsOf: catalog.appending(path: "BuildingAnEggTimer.tutorial"), encoding: .utf8)
    let shown = tutorial.matches(of: /@Code\(name: "(.+?)\.swift", file: (.+?)\)/).map {
      (name: String($0.output.1), step: String($0.output.2))
    }
    let steps = try FileManager.default.contentsOfDirectory(atPath: catalog.appending(path: "Resources").path)
    #expect(Set(shown.map(\.step)) == Set(steps.filter { $0.hasSuffix(".swift") }))
    for name in Set(shown.map(\.name)) {
      let last = try #require(shown.last { $0.name == name }?.step)
      let typed = try Data(contentsOf: typedFiles.appending(path: "\(name).swift"))
      #expect(
        typed == (try Data(contentsOf: catalog.appending(path: "Resources/\(last)"))), "\(name).swift is not \(last)")
    }
  }
}
