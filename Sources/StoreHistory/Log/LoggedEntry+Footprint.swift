import StoreCore
import StoreSchema

extension LoggedEntry {
  /// About how many bytes the entry takes.
  var footprint: Int {
    var bytes = 256 + arguments.values.reduce(0) { $0 + $1.footprint }
    for change in changes {
      bytes += 120 + 48 * change.path.steps.count
      switch change.kind {
      case .replace(let old, let new): bytes += old.footprint + new.footprint
      case .add(let value), .remove(let value): bytes += value.footprint
      }
    }
    return bytes
  }
}

extension Value {
  /// About how many bytes the value takes beside its place.
  fileprivate var footprint: Int {
    switch self {
    case .none, .bool, .int, .double: 0
    case .string(let text): text.utf8.count < 16 ? 0 : 32 + text.utf8.count
    case .list(let list): list.reduce(64) { $0 + 16 + $1.footprint }
    case .map(let map): map.reduce(64) { $0 + 48 + $1.value.footprint }
    case .record(let record): record.values.reduce(48) { $0 + 16 + $1.footprint }
    case .variant(let variant): variant.payload.values.reduce(80) { $0 + 16 + $1.footprint }
    }
  }
}
