extension Schema {
  /// A text that says all that decides which values are of the type: names, types, bounds, cases and defaults, in declared
  /// order. Two types with the same text take the same values.
  public var signature: String {
    var out = ""
    appendSignature(to: &out)
    return out
  }

  /// The same without defaults: where two types have the same shape, a value of the one that was written whole, as a state is,
  /// can be read as one of the other.
  public var shape: String {
    var out = ""
    appendSignature(to: &out, hasDefaults: false)
    return out
  }

  private func appendSignature(to out: inout String, hasDefaults: Bool = true) {
    switch kind {
    case .bool: out += "Bool"
    case .double: out += "Double"
    case .string: out += "String"
    case .any: out += "Any"
    case .int(let minimum, let maximum):
      out += "Int"
      if minimum != nil || maximum != nil {
        out += "(\(minimum.map(\.description) ?? "")...\(maximum.map(\.description) ?? ""))"
      }
    case .choice(let name, let cases): out += "\(name)(\(cases.map(ScalarText.quoted).joined(separator: "|")))"
    case .optional(let wrapped):
      wrapped.appendSignature(to: &out, hasDefaults: hasDefaults)
      out += "?"
    case .list(let element):
      out += "["
      element.appendSignature(to: &out, hasDefaults: hasDefaults)
      out += "]"
    case .map(let key, let element):
      out += "[\(key.name):"
      element.appendSignature(to: &out, hasDefaults: hasDefaults)
      out += "]"
    case .record(let record):
      out += record.name
      Schema.appendSignature(of: record.fields, to: &out, hasDefaults: hasDefaults)
    case .union(let union):
      out += union.name
      out += "("
      for (index, current) in union.cases.enumerated() {
        if index > 0 { out += "|" }
        out += ScalarText.quoted(current.name)
        Schema.appendSignature(of: current.fields, to: &out, hasDefaults: hasDefaults)
      }
      out += ")"
    }
  }

  /// Appends the signatures of fields or arguments, in braces.
  public static func appendSignature(of fields: [Field], to out: inout String, hasDefaults: Bool = true) {
    out += "{"
    for (index, field) in fields.enumerated() {
      if index > 0 { out += "," }
      out += "\(ScalarText.quoted(field.name)):"
      field.schema.appendSignature(to: &out, hasDefaults: hasDefaults)
      if hasDefaults, let value = field.defaultValue { out += "=\(JSON.text(of: value))" }
    }
    out += "}"
  }
}
