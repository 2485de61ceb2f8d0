import StoreHost
import StoreSchema

extension Value {
  /// About how many bytes the value takes, by a look at some of its parts: a large list costs no more than a small one.
  var roughSize: Int {
    var looks = 64
    return roughSize(&looks)
  }

  private func roughSize(_ looks: inout Int) -> Int {
    looks -= 1
    switch self {
    case .none, .bool, .int, .double, .decimal: return 16
    case .string(let text): return 16 + text.utf8.count
    case .list(let list): return Self.roughSize(list, list.count, &looks)
    case .map(let map): return Self.roughSize(map.lazy.map(\.value), map.count, &looks)
    case .record(let record): return Self.roughSize(record.values, record.values.count, &looks)
    case .variant(let variant): return Self.roughSize(variant.payload.values, variant.payload.values.count, &looks)
    }
  }

  /// The parts that were not looked at are taken to be as large as the others.
  private static func roughSize(_ parts: some Sequence<Value>, _ count: Int, _ looks: inout Int) -> Int {
    var (seen, bytes) = (0, 0)
    for part in parts {
      guard looks > 0 || seen == 0 else { break }
      bytes += part.roughSize(&looks)
      seen += 1
    }
    return 64 + (seen == 0 ? 0 : min(bytes / seen, 1 << 30) * min(count, 1 << 20))
  }
}

extension LoggedLine {
  /// About how many bytes the line keeps.
  var roughSize: Int {
    changes.prefix(16).reduce(256) { $0 + ($1.kind.from?.roughSize ?? 0) + ($1.kind.to?.roughSize ?? 0) }
  }
}
