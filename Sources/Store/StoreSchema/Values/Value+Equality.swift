extension Value {
  /// True if two values are the same. Not-a-number is the same as itself, unlike in arithmetic: a state that holds it
  /// has not changed, and is the one that was recorded. The zeros of both signs are not, nor are texts that spell a
  /// character in two ways: what reads them can tell them apart.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)):
      left == right ? left.sign == right.sign : left.isNaN && right.isNaN
    case (.decimal(let left), .decimal(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.list(let left), .list(let right)): left == right
    case (.map(let left), .map(let right)): left == right
    case (.record(let left), .record(let right)): left == right
    case (.variant(let left), .variant(let right)): left == right
    default: false
    }
  }

  /// Feeds kind and content to a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .bool(let value): hash(1, value, into: &hasher)
    case .int(let value): hash(2, value, into: &hasher)
    case .double(let value): hash(3, value.isNaN ? .nan : value, into: &hasher)
    case .string(let value): hash(4, value, into: &hasher)
    case .list(let value): hash(5, value, into: &hasher)
    case .map(let value): hash(6, value, into: &hasher)
    case .record(let value): hash(7, value, into: &hasher)
    case .variant(let value): hash(8, value, into: &hasher)
    case .decimal(let value): hash(9, value, into: &hasher)
    }
  }

  private func hash(_ kind: Int, _ content: some Hashable, into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(content)
  }
}
