extension Schema {
  /// The type's name as users read it: `Int`, `String?`, `[Task]`, `[String: Int]`, `Duration`.
  public var typeName: String { givenName ?? kindName }

  /// The name of the form in which values of the type are written, which two types may have in common: `Double`.
  package var kindName: String {
    switch kind {
    case .bool: "Bool"
    case .int: "Int"
    case .double: "Double"
    case .decimal(let scale): Schema.Kind.decimalName(scale)
    case .string: "String"
    case .choice(let name, let cases): name.isEmpty ? ScalarText.joined(Schema.spelled(cases), by: "|") : name
    case .optional(let wrapped): wrapped.typeName + "?"
    case .list(let element): "[\(element.typeName)]"
    case .map(let key, let value): "[\(key.name): \(value.typeName)]"
    case .record(let record): record.name
    case .union(let union): union.name
    case .any: "Any"
    }
  }

  /// The details behind the type's name, where the name alone does not say them: `Task{id: Int, title: String}`, an
  /// enum's cases, an integer's bounds. Nil: there is nothing to add.
  public var typeDetail: String? {
    switch kind {
    case .bool, .double, .decimal, .string, .any: return nil
    case .int: return bounds
    case .choice(let name, let cases):
      return name.isEmpty ? nil : "\(name){\(ScalarText.joined(Schema.spelled(cases), by: ", "))}"
    case .optional(let wrapped), .list(let wrapped), .map(_, let wrapped): return wrapped.typeDetail
    case .record(let record):
      let fields = record.fields.map { "\($0.name): \($0.schema.typeName)" }
      return "\(record.name){\(ScalarText.joined(fields, by: ", "))}"
    case .union(let union):
      return "\(union.name){\(ScalarText.joined(union.cases.map { $0.name }, by: ", "))}"
    }
  }

  /// The cases of an enum as a line gives them: in quotes where they are no single word.
  static func spelled(_ cases: [String]) -> [String] {
    cases.map { name in
      let isWord = name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || "_-.".unicodeScalars.contains($0)
      }
      return isWord && !name.isEmpty ? name : ScalarText.quoted(name)
    }
  }

  /// An integer's bounds in words, `>= 0`, `<= 9` or `1...180`; nil where there are none.
  public var bounds: String? {
    guard case .int(let minimum, let maximum) = kind else { return nil }
    switch (minimum, maximum) {
    case (nil, nil): return nil
    case (let minimum?, nil): return ">= \(minimum)"
    case (nil, let maximum?): return "<= \(maximum)"
    case (let minimum?, let maximum?): return "\(minimum)...\(maximum)"
    }
  }
}

extension Schema.KeyKind {
  /// The key type's name.
  public var name: String {
    switch self {
    case .int: "Int"
    case .string: "String"
    }
  }
}

extension Double {
  /// The reason why the number is no `Int`, whatever its fraction, as messages say it behind the number. Nil: it is
  /// within the bounds.
  public var excess: String? {
    if self >= 0x1p63 { return ", which is too large for one" }
    return self <= -0x1p63 ? ", which is too small for one" : nil
  }
}
