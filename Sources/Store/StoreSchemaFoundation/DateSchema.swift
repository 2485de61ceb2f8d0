import FoundationEssentials
import StoreSchema

extension Date: Schematic {
  /// The moment as text by ISO 8601, `2026-11-25T17:30:00.5Z`, in universal time and with as many digits as it takes.
  public static let schema = Schema.text(of: Date.self) { DateText.text(of: $0) }
  /// The moment of a text by ISO 8601: a date, which may have a time, which may have a fraction and a zone. Without a zone
  /// it is universal time.
  public init(schemaValue value: Value) throws(SchemaError) { self = try Date.read(value, DateText.date) }
}
