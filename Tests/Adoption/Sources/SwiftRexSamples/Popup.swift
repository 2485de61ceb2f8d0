import StoreCore

// README 0.8.12, "Returning IO and performing side-effects": now one action, three seconds later another.

enum PopupAction: Equatable, Sendable { case expected, show, hide }

let popup = Middleware<PopupAction, PopupAction, Bool>.effects("popup") { action, _, _ in
  action == .expected ? .compose(.just(.show), .just(.hide).after(.seconds(3))) : .none
}
