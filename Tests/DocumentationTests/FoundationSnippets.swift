import Foundation
import StoreSchema
import StoreSchemaFoundation

// What the page of StoreSchemaFoundation shows.

@Schema
enum MoviesAction: Equatable, Sendable { case selectMovie(id: UUID), setSeen(Date?) }
