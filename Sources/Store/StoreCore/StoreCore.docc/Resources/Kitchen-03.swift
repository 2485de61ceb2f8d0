import StoreCore
import StoreSchema
import StoreUnits

@Schema
struct Kitchen: Equatable, Sendable {
  var guests = 2
  var eggs = EggTimer()
}

@Schema
enum KitchenAction: Equatable, Sendable {
  case setGuests(Int)
  case eggs(EggTimerAction)
}

extension Kitchen {
  static let seating = Reducer<KitchenAction, Kitchen>("seating") { action, kitchen in
    if case .setGuests(let guests) = action { kitchen.guests = guests }
  }

  static let everyGuestWantsAnEgg = Middleware<KitchenAction, KitchenAction, Kitchen>("everyGuestWantsAnEgg") {
    action, _, _ in
    guard case .setGuests(let guests) = action else { return .none }
    return IO { output in output.dispatch(.eggs(.add(seconds: 30 * guests))) }
  }

  static func handler(_ world: EggTimerWorld) -> Handler<KitchenAction, Kitchen> {
    .compose {
      seating
      EggTimer.handler(world).lift(action: \.eggs, state: \.eggs)
      everyGuestWantsAnEgg
    }
  }
}
