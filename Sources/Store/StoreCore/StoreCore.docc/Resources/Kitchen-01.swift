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
