import ShellLanguage
import StoreHost
import StoreModules

struct KnownDispatches {
  /// An action, found by the names that all lines of a form have.
  final class Known: Sendable {
    let form: Int
    let actions: ActionTable
    let type: ActionType
    let fields: PlainFields

    init(form: Int, actions: ActionTable, type: ActionType, fields: PlainFields) {
      (self.form, self.actions, self.type, self.fields) = (form, actions, type, fields)
    }
  }

  /// Of the forms that a text has at a time there are no more.
  private static let most = 8
  private var known: [Known] = []
  private var oldest = 0

  mutating func note(_ dispatch: Known) {
    if known.count < Self.most { known.append(dispatch) } else { known[oldest] = dispatch }
    oldest = (oldest + 1) % Self.most
  }

  /// What the lines of a form dispatch; nil: none has been looked at, or not among these actions.
  func find(_ form: Int, among actions: ActionTable) -> Unmanaged<Known>? {
    for index in known.indices {
      let one = Unmanaged.passUnretained(known[index])
      if one._withUnsafeGuaranteedRef({ $0.form == form && $0.actions === actions }) { return one }
    }
    return nil
  }
}
