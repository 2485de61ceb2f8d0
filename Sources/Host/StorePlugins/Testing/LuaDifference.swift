import LuaRuntime
import StoreSchema

/// The first place where two Lua values differ; tables are compared entry by entry, in key order.
struct LuaDifference {
  /// The way to it, such as `.items[1].title`; empty where the values themselves differ.
  let path: String
  let expected: LuaValue
  let found: LuaValue

  /// The fault of the tables themselves.
  struct Refusal: Error {
    let message: String
  }

  private static let maximumDepth = 64
  private static let maximumCount = 200_000

  /// Finds it; nil where the values are equal.
  ///
  /// - Throws: ``Refusal`` where the tables cannot be compared to their ends.
  static func first(expected: LuaValue, found: LuaValue) throws(Refusal) -> LuaDifference? {
    var count = 0
    return try first(expected, found, "", depth: 0, &count)
  }

  private static func first(
    _ expected: LuaValue, _ found: LuaValue, _ path: String, depth: Int, _ count: inout Int
  ) throws(Refusal) -> LuaDifference? {
    count += 1
    guard depth < maximumDepth, count < maximumCount else {
      throw Refusal(message: "the tables are too big to compare, or hold themselves")
    }
    guard case .table(let expectedTable) = expected, case .table(let foundTable) = found else {
      if case .other(LuaValue.badText) = expected, expected == found, depth > 0 {
        throw Refusal(message: "the texts at \(path) are not UTF-8 and cannot be compared within tables")
      }
      let isSame = areEqual(expected, found) && expected != .other(LuaValue.badText)
      return isSame ? nil : LuaDifference(path: path, expected: expected, found: found)
    }
    for (key, value) in expectedTable.entries() {
      let step = path + self.step(key)
      if let difference = try first(value, foundTable[key], step, depth: depth + 1, &count) { return difference }
    }
    for (key, value) in foundTable.entries() where expectedTable[key] == .nil {
      return LuaDifference(path: path + step(key), expected: .nil, found: value)
    }
    return nil
  }

  /// As Lua's `==`, but a value that is no number equals itself.
  private static func areEqual(_ left: LuaValue, _ right: LuaValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .number(let right)): Double(exactly: left) == right
    case (.number(let left), .integer(let right)): left == Double(exactly: right)
    case (.number(let left), .number(let right)): left == right || left.isNaN && right.isNaN
    case (.decimal(let left), _): right.decimal.map { DecimalNumber(left).isWorth($0) } ?? false
    case (_, .decimal(let right)): left.decimal.map { DecimalNumber(right).isWorth($0) } ?? false
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    default: left == right
    }
  }

  private static func step(_ key: LuaValue) -> String {
    switch key {
    case .integer(let number): "[\(number)]"
    case .string(let name) where name.isName: ".\(name)"
    case .string(let name): "[\(ScalarText.quoted(name))]"
    case .boolean(let value): "[\(value)]"
    default: "[\(key.described)]"
    }
  }
}

extension LuaValue {
  /// The number as a decimal; nil: it is none, or a float with more digits than it tells for certain.
  fileprivate var decimal: DecimalNumber? {
    switch self {
    case .decimal(let value): DecimalNumber(value)
    case .integer(let value): DecimalNumber(units: Int(value))
    case .number(let value): DecimalNumber(value)
    default: nil
    }
  }
}
