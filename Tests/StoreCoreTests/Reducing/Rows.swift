import StoreCore

/// One element of the fixtures' collections. Arithmetic on `count` does not commute, so order shows.
struct Row: Identifiable, Equatable, Sendable, CustomStringConvertible {
  let id: Int
  var slug = ""
  var count = 0

  var description: String { "\(id):\(count)" }
}

/// What is done to one row.
enum RowAct: String, Codable, Sendable, CustomStringConvertible {
  case inc, double, fail

  var description: String { rawValue }
}

/// What is done to the table.
enum TableAct: Sendable, Equatable, CustomStringConvertible {
  case row(Int, RowAct)
  case slug(String, RowAct)
  case at(Int, RowAct)
  case key(String, RowAct)
  case all(RowAct)
  case remove(Int)
  case detail(RowAct)
  case noop

  var description: String {
    switch self {
    case .row(let id, let act): "row(\(id),\(act))"
    case .slug(let slug, let act): "slug(\(slug),\(act))"
    case .at(let index, let act): "at(\(index),\(act))"
    case .key(let key, let act): "key(\(key),\(act))"
    case .all(let act): "all(\(act))"
    case .remove(let id): "remove(\(id))"
    case .detail(let act): "detail(\(act))"
    case .noop: "noop"
    }
  }

  var row: ElementAction<Int, RowAct>? {
    if case .row(let id, let act) = self { .init(id: id, action: act) } else { nil }
  }
  var rowPair: (Int, RowAct)? { if case .row(let id, let act) = self { (id, act) } else { nil } }
  var slug: ElementAction<String, RowAct>? {
    if case .slug(let id, let act) = self { .init(id: id, action: act) } else { nil }
  }
  var at: ElementAction<Int, RowAct>? {
    if case .at(let id, let act) = self { .init(id: id, action: act) } else { nil }
  }
  var atPair: (Int, RowAct)? { if case .at(let id, let act) = self { (id, act) } else { nil } }
  var key: ElementAction<String, RowAct>? {
    if case .key(let id, let act) = self { .init(id: id, action: act) } else { nil }
  }
  var keyPair: (String, RowAct)? { if case .key(let id, let act) = self { (id, act) } else { nil } }
  var all: RowAct? { if case .all(let act) = self { act } else { nil } }
  var detail: RowAct? { if case .detail(let act) = self { act } else { nil } }
}

/// A state that holds rows in all the ways that lifts reach.
struct Table: Equatable, Sendable, CustomStringConvertible {
  var rows: [Row] = []
  var named: [String: Row] = [:]
  var detail: Row?
  /// Not stored, so that key paths to it have no offset.
  var visible: [Row] {
    get { rows }
    set { rows = newValue }
  }

  var description: String {
    let entries = named.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.count)" }
    return "\(rows.map(\.description) + entries + (detail.map { ["detail=\($0.count)"] } ?? []))"
  }
}

/// Counts up, doubles, or fails after having changed something.
let rowReducer = Reducer<RowAct, Row>.throwing("row", canFail: { $0 == .fail }) { act, row, _ in
  switch act {
  case .inc: row.count += 1
  case .double: row.count *= 2
  case .fail:
    row.count = 1_000
    if row.id == 2 { throw Refused(description: "row \(row.id)") }
  }
}

/// The same without failure, so that the store's short way is open.
let plainRow = Reducer<RowAct, Row>("row") { act, row in
  switch act {
  case .inc: row.count += 1
  case .double: row.count *= 2
  case .fail: row.count = 1_000
  }
}
