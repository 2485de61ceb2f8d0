extension Schema {
  /// A text that says all that decides which values are of the type: names, types, bounds, cases and defaults, in declared
  /// order. Two types with the same text take the same values.
  public var signature: String { signature(hasDefaults: true) }

  /// The same without defaults. A value that was written whole, as a state is, can be read as one of any type of the
  /// same shape.
  public var shape: String { signature(hasDefaults: false) }

  private func signature(hasDefaults: Bool) -> String {
    switch kind {
    case .bool, .double, .decimal, .string, .any: typeName
    case .int(nil, nil): "Int"
    case .int(let minimum, let maximum):
      "Int(\(minimum.map(\.description) ?? "")...\(maximum.map(\.description) ?? ""))"
    case .choice(let name, let cases): "\(name)(\(cases.map(ScalarText.quoted).joined(separator: "|")))"
    case .optional(let wrapped): wrapped.signature(hasDefaults: hasDefaults) + "?"
    case .list(let element): "[\(element.signature(hasDefaults: hasDefaults))]"
    case .map(let key, let element): "[\(key.name):\(element.signature(hasDefaults: hasDefaults))]"
    case .record(let record): record.name + Schema.signature(of: record.fields, hasDefaults: hasDefaults)
    case .union(let union):
      union.name + "("
        + union.cases.map { current in
          ScalarText.quoted(current.name) + Schema.signature(of: current.fields, hasDefaults: hasDefaults)
        }.joined(separator: "|") + ")"
    }
  }

  /// The signatures of fields or arguments, in braces.
  public static func signature(of fields: [Field], hasDefaults: Bool = true) -> String {
    let texts = fields.map { field in
      let value = hasDefaults ? field.defaultValue.map { "=\(JSON.text(of: $0))" } ?? "" : ""
      return "\(ScalarText.quoted(field.name)):\(field.schema.signature(hasDefaults: hasDefaults))\(value)"
    }
    return "{\(texts.joined(separator: ","))}"
  }
}
