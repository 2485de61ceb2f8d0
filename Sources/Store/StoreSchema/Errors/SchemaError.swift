/// The reason why a value is not of a type: the place, the expected type, the value found.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place in the value; empty: the value itself.
  public var path: Path
  /// The fault at that place.
  public let problem: Problem

  /// Makes an error at a path.
  public init(_ path: Path, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// Makes the error of a value that is of another type than the expected one.
  public init(expected: String, found value: Value) {
    let number: Value? =
      switch value {
      case .int, .double, .decimal: value
      default: nil
      }
    self.init(Path(), .typeMismatch(expected: expected, found: value.described, number: number))
  }

  /// The kinds of mismatch.
  public enum Problem: Hashable, Sendable {
    /// A value of another type: the expected type's name, the value found, and that itself where it is a number.
    case typeMismatch(expected: String, found: String, number: Value? = nil)
    /// A number out of its bounds, such as `>= 0` or `1...180`.
    case outOfRange(bounds: String, found: String)
    /// A name that is not one of an enum's cases.
    case unknownCase(found: String, expected: [String])
    /// A field that the record type does not have.
    case unknownField(record: String, name: String, suggestion: String?)
    /// A required field that is absent.
    case missingField(name: String, type: String)
    /// An argument that the action does not take.
    case unknownArgument(action: String, name: String, suggestion: String?)
    /// A required argument that is absent.
    case missingArgument(action: String, name: String, type: String)
    /// A list with holes.
    case malformedList(String)
    /// A table that stands for no value, whatever the type.
    case malformedTable(String)
    /// A map key of the wrong type.
    case badKey(expected: String, found: String)
  }

  /// The code under which the shell reports the error (`help CODE`).
  public var code: ErrorCode {
    switch problem {
    case .outOfRange: .outOfRange
    case .missingField, .missingArgument: .missingArgument
    case .unknownField, .unknownArgument: .unexpectedArgument
    default: .typeMismatch
    }
  }

  /// The same error seen from further out.
  public func under(_ prefix: Path) -> SchemaError { SchemaError(prefix + path, problem) }

  /// A sentence with the place in quotes.
  public var message: String {
    let place = path.isEmpty ? "value" : "'\(path)'"
    switch problem {
    case .typeMismatch(let expected, let found, _): return "\(place) must be \(expected), got \(found)"
    case .outOfRange(let bounds, let found): return "\(place) must be \(bounds), got \(found)"
    case .unknownCase(let found, let expected):
      return "\(place) must be one of \(Schema.spelled(expected).joined(separator: ", ")), got \(found)"
    case .unknownField(let record, let name, let suggestion):
      let owner = path.isEmpty ? record : path.description
      return "\(owner) has no field '\(name)'\(SchemaError.remark(suggestion))"
    case .missingField(let name, let type):
      return path.isEmpty ? "'\(name)' (\(type)) is missing" : "\(place) needs '\(name)' (\(type))"
    case .unknownArgument(let action, let name, let suggestion):
      return "\(action) has no argument '\(name)'\(SchemaError.remark(suggestion))"
    case .missingArgument(let action, let name, let type): return "\(action) needs '\(name)' (\(type))"
    case .malformedList(let reason): return "\(place) must be a list: \(reason)"
    case .malformedTable(let reason): return "\(place) cannot be read as a value: \(reason)"
    case .badKey(let expected, let found): return "\(place) must have \(expected) keys, got \(found)"
    }
  }

  /// The same as ``message``.
  public var description: String { message }

  private static func remark(_ suggestion: String?) -> String {
    suggestion.map { " (did you mean '\($0)'?)" } ?? ""
  }
}

extension Value {
  /// A description of the value for the "got …" half of a message: `string "two"`, `number 45`, `nil`, `a list`.
  public var described: String {
    switch self {
    case .none: "nil"
    case .bool(let value): "bool \(value)"
    case .int(let value): "number \(value)"
    case .double(let value): "number \(ScalarText.text(of: value))"
    case .decimal(let value): "decimal \(value)"
    case .string(let value): "string \(ScalarText.quoted(value))"
    case .list: "a list"
    case .map, .record: "a record"
    case .variant(let variant): "case \(variant.name)"
    }
  }
}
