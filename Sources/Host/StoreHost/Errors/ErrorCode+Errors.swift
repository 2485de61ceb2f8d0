import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema
import StoreUnits

extension ErrorCode {
  /// The code of an error of the libraries.
  package static func of(_ error: any Error) -> ErrorCode {
    switch error {
    case let error as HostError: error.code
    case let error as PluginError: error.code.reported
    case let error as TaskFailure: error.error.code.reported
    case let error as SchemaError: error.code
    case .exists as SubstateError: .nameTaken
    case is SubstateError: .unknownSubstate
    case let error as StoreError:
      switch error {
      case .duplicateUnit: .duplicateUnit
      case .duplicateType: .nameTaken
      case .sharedSlice: .sharedSlice
      case .runaway: .runaway
      case .dispatchWhileBuilding, .nextOutOfTurn: .badInterceptor
      case .queueFull: .queueFull
      case .closed: .closed
      case .cancelled, .busy, .interrupted: .interrupted
      }
    case let error as HistoryError:
      switch error {
      case .beyondHead: .outOfRange
      case .notKept, .statementNotKept: .notKept
      case .unreadable, .stateIsLost: .storeDamaged
      case .nothingToUndo: .nothingToUndo
      case .nothingToRedo: .nothingToRedo
      }
    case is PathError: .unknownPath
    case is ArithmeticError: .outOfRange
    default: .failed
    }
  }
}
