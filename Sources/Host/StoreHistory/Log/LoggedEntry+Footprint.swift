import StoreCore
import StoreSchema

extension LoggedEntry {
  /// About how many bytes the entry takes, with the state that is kept after one that changed more than it tells.
  package var footprint: Int {
    var bytes = 256
    for index in arguments.values.indices { bytes += arguments.values[index].footprint }
    if let info = source.info { bytes += info.utf8.count }
    if isWhole { bytes += 512 }
    if hasRarities { bytes += 112 + (reason?.utf8.count ?? 0) }
    for value in original?.arguments.values ?? [] { bytes += 16 + value.footprint }
    for index in changes.indices {
      bytes += 120 + 48 * changes[index].path.steps.count + changes[index].kind.footprint
    }
    return bytes
  }
}

extension Change.Kind {
  /// About how many bytes the values take beside their places.
  fileprivate var footprint: Int {
    switch self {
    case .replace(let old, let new): old.footprint + new.footprint
    case .add(let value), .remove(let value): value.footprint
    case .move: 0
    }
  }
}

extension Value {
  /// About how many bytes the value takes beside its place.
  fileprivate var footprint: Int {
    switch self {
    case .none, .bool, .int, .double, .decimal: 0
    case .string(let text): text.utf8.count < 16 ? 0 : 32 + text.utf8.count
    case .list(let list): list.reduce(64) { $0 + 16 + $1.footprint }
    case .map(let map): map.reduce(64) { $0 + 48 + $1.value.footprint }
    case .record(let record): record.values.reduce(48) { $0 + 16 + $1.footprint }
    case .variant(let variant): variant.payload.values.reduce(80) { $0 + 16 + $1.footprint }
    }
  }
}
