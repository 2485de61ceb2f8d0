import Foundation
import StoreSchema
import StoreSchemaFoundation

// What the samples of SwiftRex take as given.

@Schema
struct Movie: Equatable, Sendable {
  var id: UUID
  var title: String
}

@Schema
struct Person: Equatable, Sendable { var id: UUID }

@Schema
enum MovieResponseError: Error, Equatable, Sendable { case offline }

@Schema
enum CastResponseError: Error, Equatable, Sendable { case offline }

@Schema
enum FavouritesAction: Equatable, Sendable {
  case toggleFavourite(UUID)
  case changedFavourite(UUID, isFavourite: Bool)
  case changedFavouriteHasFailed(UUID, isFavourite: Bool, error: String)
}

@Schema
enum RoomAction: Equatable, Sendable { case join(Int), leave, received(String) }

struct RoomState: Equatable, Sendable {
  var joinedRoom: Int?
  var messages: [String] = []
}

struct Socket: Sendable {
  var onMessage: @Sendable (@escaping @Sendable (String) -> Void) -> Void
  var write: @Sendable (String) -> Void
  var close: @Sendable () -> Void
}

@Schema
enum ShopAction: Equatable, Sendable {
  case didLoad([String]), didTapBuy(String), didTapLogout
  case renderItems([String]), checkout(String), auth(AuthAction)
}

@Schema
enum AuthAction: Equatable, Sendable { case logout }

struct ShopState: Equatable, Sendable {
  var items: [String] = []
  var isLoggedIn = true
  var isLoading = true
  var isCheckingOut = false
  var isLoggingOut = false
}
