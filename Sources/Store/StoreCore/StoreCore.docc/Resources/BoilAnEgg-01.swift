import StoreCore

func boilAnEgg() throws {
  let store = try Store(initial: EggTimer(), reducer: EggTimer.reducer)
  store.dispatch(.add(seconds: 240))
  store.dispatch(.start)
}
