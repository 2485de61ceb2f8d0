import StoreCore
import StoreUnits

// README 1.x, "Behavior Bridge": when this happens, and a condition holds, that is dispatched, and the state changes so.

let routing = Handler<ShopAction, ShopState>.compose {
  Reducer.on(\.didLoad) { ($0.items, $0.isLoading) = ($1, false) }
  Reducer.on(\.didTapBuy, guard: \.isLoggedIn) { shop, _ in shop.isCheckingOut = true }
  Reducer.on(\.didTapLogout) { shop, _ in shop.isLoggingOut = true }
  Middleware.bridge([
    .on(\.didLoad, dispatch: { .renderItems($0) }),
    .on(\.didTapBuy, guard: \.isLoggedIn, dispatch: { .checkout($0) }),
    .on(\.didTapLogout, dispatch: .auth(.logout)),
  ])
}
