import StoreCore

func boilAnEgg(on clock: VirtualClock, _ show: @escaping @Sendable (EggTimer) -> Void) throws {
  let store = try Store(
    initial: EggTimer(), reducer: EggTimer.reducer, middleware: EggTimer.ticking, clock: clock)
  let watching = store.watch("display") { show($0.new) }
  store.dispatch(.add(seconds: 240))
  store.dispatch(.start)
  clock.advance(by: .seconds(240))
  watching.cancel()
}
