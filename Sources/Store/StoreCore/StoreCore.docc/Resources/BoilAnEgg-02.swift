import StoreCore

func boilAnEgg(_ show: @escaping @Sendable (EggTimer) -> Void) throws {
  let store = try Store(initial: EggTimer(), reducer: EggTimer.reducer)
  let watching = store.watch("display") { show($0.new) }
  store.dispatch(.add(seconds: 240))
  store.dispatch(.start)
  watching.cancel()
}
