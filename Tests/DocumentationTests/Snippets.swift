import Observation
import StoreCore

// What the articles of StoreCore and the README show, in what it needs around it to compile.

struct Book: Equatable, Sendable {}

struct Cart: Equatable, Sendable {
  var items: [Book] = []
  var sum = 0
}

enum CartAction: Sendable {
  case add(Book)
}

struct Shop: Equatable, Sendable {
  var cart = Cart()
  var catalog = 0
  var total = 0
}

enum ShopAction: Sendable {
  case cart(CartAction)
  case catalog(Int)

  var cart: CartAction? { if case .cart(let action) = self { action } else { nil } }
  var catalog: Int? { if case .catalog(let page) = self { page } else { nil } }
}

struct Badge: Sendable {
  func show(_ count: Int) {}
  func needsDisplay() {}
}

let cartReducer = Reducer<CartAction, Cart>("cart") { action, cart in
  switch action {
  case .add(let book): cart.items.append(book)
  }
}

func composing(
  _ cart: Reducer<CartAction, Cart>, _ catalog: Reducer<Int, Int>, isCatalogShown: Bool
) -> Reducer<ShopAction, Shop> {
  let reducer = Reducer<ShopAction, Shop>.compose {
    cart.lift(action: { $0.cart }, state: \.cart)
    if isCatalogShown {
      catalog.lift(action: { $0.catalog }, state: \.catalog)
    }
    Reducer("total") { _, shop in shop.total = shop.cart.sum }
  }
  return reducer
}

func projecting(_ shop: Store<ShopAction, Shop>, _ badge: Badge, _ book: Book) {
  let cart = shop.projection(named: "cart", action: { ShopAction.cart($0) }, state: { $0.cart })
  let watching = cart.watch("badge") { badge.show($0.new.items.count) }
  cart.dispatch(.add(book))
  watching.cancel()
}

func reducingAlone(_ book: Book) throws -> Cart {
  var cart = Cart()
  try cartReducer.reduce(.add(book), &cart)
  return cart
}

struct Library: Sendable {
  var search: @Sendable (String) async -> [Book] = { _ in [Book()] }
}

struct Search: Equatable, Sendable {
  var found: [Book] = []
}

enum SearchAction: Sendable {
  case queryChanged(String)
  case found([Book])
}

let searchReducer = Reducer<SearchAction, Search>("search") { action, search in
  if case .found(let books) = action { search.found = books }
}

func searching() throws -> Search {
  let searching = EffectMiddleware<Library, SearchAction, SearchAction, Search>("searching") { action, _, _ in
    guard case .queryChanged(let query) = action else { return .none }
    return Effect.run { context in
      context.send(.found(await context.dependencies.search(query)))
    }
    .debounce("query", for: .milliseconds(300))
  }
  let middleware = searching.inject(Library())
  let clock = VirtualClock()
  let store = try Store(initial: Search(), reducer: searchReducer, middleware: middleware, clock: clock)
  store.dispatch(.queryChanged("swift"))
  clock.advance(by: .milliseconds(300))
  return store.state
}

func searchingInAnyOrder() throws -> [Int] {
  let order = RecordedOrder(seed: 7)
  let store = try Store(initial: Search(), reducer: searchReducer, clock: VirtualClock(order: order), order: order)
  store.dispatch(.queryChanged("swift"))
  return order.choices
}

struct Clock: Equatable, Sendable {
  var isRunning = false
}

enum ClockAction: Sendable {
  case tick
}

func followingTheState() -> Middleware<ClockAction, ClockAction, Clock> {
  let ticking = Middleware<ClockAction, ClockAction, Clock>.supervising("ticking") { clock in
    guard clock.isRunning else { return [] }
    return [
      Supervised("tick") { context in
        while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.tick) }
      }
    ]
  }
  return ticking
}

struct Orders: Equatable, Sendable {
  var open = 0
}

enum OrderAction: Sendable {
  case place
}

func intercepting(_ ordering: Reducer<OrderAction, Orders>) throws -> Store<OrderAction, Orders> {
  let quota = Interceptor<OrderAction, Orders>("quota") { action, _, attachment, next in
    if case .place = action, attachment.state().open >= 100 { return }
    next(action)
  }
  let timing = Interceptor<OrderAction, Orders>("timing") { output, state in
    { next in
      { action in
        let before = state().open
        next(action)
        print("\(before) -> \(state().open)")
      }
    }
  }
  let store = try StoreBlueprint(initial: Orders(), reducer: ordering)
    .makeStore(.applyMiddleware(timing, quota))
  return store
}

struct Chat: Equatable, Sendable {
  var count = 0
}

enum ChatAction: Sendable {
  case received(String)
}

func streaming(
  _ store: Store<ChatAction, Chat>, _ messages: AsyncStream<String>, _ badge: Badge, _ render: (Chat) -> Void,
  _ audit: (Chat, ChatAction?) -> Void
) async {
  for await state in store.states() { render(state) }
  for await count in store.states(of: \.count) { badge.show(count) }
  for await committed in store.statesWithActions() { audit(committed.state, committed.action) }
  await store.connection.dispatch(each: messages.map(ChatAction.received))
}

@MainActor
func observing(_ shop: Store<ShopAction, Shop>, _ badge: Badge, _ book: Book) -> Subscription {
  let model = shop.projection(action: { ShopAction.cart($0) }, state: { $0.cart }).observable()
  withObservationTracking {
    badge.show(model.items.count)
  } onChange: {
    badge.needsDisplay()
  }
  model.dispatch(.add(book))
  let watchingTotal = shop.watchOnMain("total", \.total) { badge.show($0) }
  return watchingTotal
}
