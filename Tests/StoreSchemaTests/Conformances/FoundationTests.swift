import Foundation
import StoreSchema
import Testing

/// Types of Foundation.
@Suite struct FoundationTests {
  private func date(_ text: String) throws -> Date { try Date(schemaValue: .string(text)) }

  @Test func aTicketSurvivesTheRoundTrip() throws {
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let ticket = Ticket(
      id: id, bought: Date(timeIntervalSince1970: 1_764_091_800.5), link: URL(string: "https://example.org/a?b=c"),
      price: try #require(Decimal(string: "12345678901234567890.12")), code: Data([0, 255]),
      days: Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 86_400), seats: [id: 4])
    #expect(
      JSON.text(of: ticket.schemaValue)
        == #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","bought":"2025-11-25T17:30:00.5Z","#
        + #""link":"https://example.org/a?b=c","price":"12345678901234567890.12","code":"AP8=","#
        + #""days":{"lowerBound":"1970-01-01T00:00:00Z","upperBound":"1970-01-02T00:00:00Z"},"#
        + #""seats":{"E621E1F8-C36C-495A-93FC-0C247A3E6E5F":4}}"#)
    #expect(try Ticket(schemaValue: try Ticket.schema.check(ticket.schemaValue)) == ticket)
  }

  @Test(arguments: ["", "12a", "1,5", "."])
  func textsThatAreNoNumbersAreRefused(text: String) {
    #expect(throws: SchemaError.self) { try Decimal(schemaValue: .string(text)) }
  }

  @Test func aDecimalThatIsNoNumberIsReadBack() throws {
    #expect(try Decimal(schemaValue: Decimal.nan.schemaValue).isNaN)
    #expect(try Decimal.schema.check(.string("1.50")) == .string("1.5"))
    for number in [Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.pi] {
      #expect(try Decimal(schemaValue: number.schemaValue) == number)
    }
  }

  /// A number that a `Decimal` holds in another spelling is taken, one that it would round is not.
  @Test func noDigitOfADecimalIsLost() throws {
    for text in ["-0", "007.50", "+1e3", "100e-2", ".5", "12345678901234567890123456789012345678e90"] {
      #expect(throws: Never.self, "\(text)") { try Decimal(schemaValue: .string(text)) }
    }
    #expect(try Decimal(schemaValue: .string("1e3")) == 1000)
    let long = "0." + String(repeating: "123456789", count: 5)
    for text in [long, "1" + long, "1e200", "1e-200", "-1e99999999999999999999"] {
      #expect(throws: SchemaError.self, "\(text)") { try Decimal(schemaValue: .string(text)) }
    }
    let error = #expect(throws: SchemaError.self) { try Decimal.schema.check(.string(long)) }
    #expect(error?.message == "value must be a Decimal, which has at most 38 digits, got string \"\(long)\"")
  }

  @Test func twoSpellingsOfAKeyAreRefused() {
    let spelling = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    let keys = Value.map([.string(spelling): .int(1), .string(spelling.lowercased()): .int(2)])
    let error = #expect(throws: SchemaError.self) { try [UUID: Int].schema.check(keys) }
    #expect(error?.message == "value must have different UUID keys, got string \"\(spelling.lowercased())\"")
  }

  @Test func typesOfFoundationTellGenericTypesApart() {
    #expect(Page<UUID>.schema.typeName == "Page<UUID>")
    #expect(Page<Date>.Cursor.schema.typeName == "Cursor<Date>")
  }

  @Test func errorsNameTheType() {
    let error = #expect(throws: SchemaError.self) { try UUID(schemaValue: .string("x")) }
    #expect(error?.message == #"value must be UUID, got string "x""#)
    let key = #expect(throws: SchemaError.self) { try [UUID: Int].schema.check(.map([.string("x"): .int(1)])) }
    #expect(key?.message == #"value must have UUID keys, got string "x""#)
    // As listings of the type have it.
    let number = #expect(throws: SchemaError.self) { try Decimal.schema.check(.bool(true)) }
    #expect(number?.message == "value must be Decimal, got bool true")
    #expect(Decimal.schema.typeName == "Decimal" && [Decimal].schema.typeName == "[Decimal]")
  }

  @Test func datesAgreeWithFoundation() throws {
    // From 1585 on. Foundation reads earlier dates by the Julian calendar, which ISO 8601 does not know.
    var seconds = -13_100_000_000.0
    while seconds < 70_000_000_000 {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let text = date.ISO8601Format()
      #expect(date.schemaValue == .string(text))
      #expect(try self.date(text) == date)
      seconds += 1_234_567_891
    }
  }

  @Test func noPartOfASecondIsLost() throws {
    for interval in [0.1, 785_000_000.123456, 1e-9, -0.25, 785_786_400.9999999, 3.000_000_000_000_01] {
      let date = Date(timeIntervalSinceReferenceDate: interval)
      #expect(try Date(schemaValue: date.schemaValue) == date)
    }
    for date in [Date.distantPast, .distantFuture, .now] { #expect(try Date(schemaValue: date.schemaValue) == date) }
  }

  @Test func timesAndZonesMayBeLeftOut() throws {
    #expect(try date("2001-01-02") == Date(timeIntervalSinceReferenceDate: 86_400))
    #expect(try date("2001-01-01 01:00+01:00") == Date(timeIntervalSinceReferenceDate: 0))
    #expect(try date("2001-01-01T00:00:00.5-0130") == Date(timeIntervalSinceReferenceDate: 5_400.5))
    #expect(try date("12001-01-01T00:00Z").schemaValue == .string("+12001-01-01T00:00:00Z"))
  }

  @Test(arguments: [
    "", "2001", "2001-02-29", "2001-13-01", "2001-00-01", "2001-01-01T24:00", "2001-01-01T00:60", "2001-01-01Z",
    "2001-01-01T00:00:00,5Z", "now", "inf",
  ])
  func textsThatAreNoDatesAreRefused(text: String) {
    #expect(throws: SchemaError.self) { try date(text) }
  }

  /// Beyond all years, and closer to a second than digits tell.
  @Test(arguments: [
    Double.infinity, -.infinity, 0x1p63, -0x1p63, 3e16, 4e16, 1e-20, -1e-20, 2.9e16, -2.9e16,
  ])
  func aDateThatNoCalendarTellsIsReadBack(interval: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: interval)
    #expect(try Date(schemaValue: date.schemaValue) == date)
  }
}
