import StoreSchema

/// The size of a value, for limits that count it.
extension Value {
  /// The number of values in it, itself among them.
  var extent: Int {
    switch self {
    case .none, .bool, .int, .double, .decimal, .string: 1
    case .list(let list): list.reduce(1) { $0 + $1.extent }
    case .map(let map): map.reduce(1) { $0 + $1.1.extent }
    case .record(let record): record.values.reduce(1) { $0 + $1.extent }
    case .variant(let variant): variant.payload.values.reduce(1) { $0 + $1.extent }
    }
  }
}

extension MapKey {
  /// The bytes that it takes beside itself.
  var heldBytes: Int {
    guard case .string(let text) = self, text.utf8.count > 15 else { return 0 }
    return text.utf8.count
  }
}
