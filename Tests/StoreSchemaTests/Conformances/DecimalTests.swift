import StoreCore
import StoreSchema
import Testing

/// Decimal numbers: exact, and the same as whole numbers of their smallest unit.
@Suite struct DecimalTests {
  @Schema
  struct Account: Equatable {
    var name = ""
    var balance = FixedDecimal<2>(units: 0)
    var rates: [FixedDecimal<6>] = []
  }

  private func message(_ body: () throws -> Void) -> String? {
    #expect(throws: SchemaError.self) { try body() }?.message
  }

  private let amount = Schema.dynamic(.decimal(scale: 2))

  private func checked(_ value: Value, scale: Int = 2) throws -> String {
    guard case .decimal(let number) = try Schema.dynamic(.decimal(scale: scale)).check(value) else { return "none" }
    return number.description
  }

  /// The digits of whole units with a point, by another way.
  private func text(_ units: Int, _ scale: Int) -> String {
    let sign = units < 0 ? "-" : ""
    var digits = "\(units.magnitude)"
    while digits.utf8.count <= scale { digits = "0" + digits }
    guard scale > 0 else { return sign + digits }
    return "\(sign)\(digits.dropLast(scale)).\(digits.suffix(scale))"
  }

  @Test func sumsAndTextsAreThoseOfIntegers() throws {
    var random = SeededGenerator(seed: 32)
    for _ in 0..<20_000 {
      func units() -> Int { Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random) }
      let (left, right, scale) = (units(), units(), Int.random(in: 0...18, using: &random))
      let number = DecimalNumber(units: left, scale: scale)
      #expect(number.description == text(left, scale))
      #expect(DecimalNumber(number.description) == number)
      #expect(try checked(.string(number.description), scale: scale) == number.description)
      #expect((number < DecimalNumber(units: right, scale: scale)) == (left < right))
      let (sum, overflows) = left.addingReportingOverflow(right)
      let (one, two) = (FixedDecimal<2>(units: left), FixedDecimal<2>(units: right))
      if overflows {
        #expect(throws: ArithmeticError.self) { try one +! two }
      } else {
        #expect(try (one +! two).description == text(sum, 2))
      }
      let (difference, isBelow) = left.subtractingReportingOverflow(right)
      #expect((try? one -! two)?.units == (isBelow ? nil : difference))
      let (product, isBeyond) = left.multipliedReportingOverflow(by: right)
      #expect((try? one *! right)?.units == (isBeyond ? nil : product))
      // JSON, read back with and without the type.
      let json = JSON.text(of: .decimal(number))
      #expect(json == number.description)
      let schema = Schema.dynamic(.decimal(scale: scale))
      #expect(try schema.value(fromJSON: try JSON.value(of: json)) == .decimal(number))
    }
  }

  @Test func numbersOfSeveralScalesAreComparedByWorth() {
    let order = ["-12.51", "-12.5", "-0.001", "0", "0.000000000000000001", "12.49", "12.5", "92233720368547758.07"]
    let numbers = order.compactMap(DecimalNumber.init)
    #expect(numbers.count == order.count)
    #expect(numbers.shuffled().sorted() == numbers)
    #expect(numbers.map(\.description) == order)
  }

  @Test func textsNumbersAndFloatsAreReadExactly() throws {
    #expect(try checked(.string("12.5")) == "12.50")
    #expect(try checked(.string("+.5")) == "0.50")
    #expect(try checked(.string("-1e3")) == "-1000.00")
    #expect(try checked(.string("7.000000000000000000000000")) == "7.00")
    #expect(try checked(.int(-3)) == "-3.00")
    #expect(try checked(.double(0.1)) == "0.10")
    #expect(try checked(.double(1e15)) == "1000000000000000.00")
    #expect(try checked(.decimal(DecimalNumber(units: 12_500, scale: 3))) == "12.50")
    #expect(try checked(.string("92233720368547758.07")) == "92233720368547758.07")
    #expect(try checked(.string("-92233720368547758.08")) == "-92233720368547758.08")
    for text in ["", "-", ".", "1.2.3", "1,5", "0x10", "1e", "12 ", "nan", "inf", "1e1000"] {
      #expect(throws: SchemaError.self, "\(text)") { try checked(.string(text)) }
    }
  }

  @Test func lostDigitsAndOverflowAreErrors() throws {
    let places = "value must be a decimal of at most 2 digits after the point, got"
    #expect(message { _ = try checked(.string("12.505")) } == "\(places) 12.505")
    #expect(message { _ = try checked(.decimal(DecimalNumber(units: 1, scale: 3))) } == "\(places) 0.001")
    let advice = ", a float that is no exact decimal; round it, or write the digits as a text"
    #expect(message { _ = try checked(.double(0.1 + 0.2)) } == "\(places) 0.30000000000000004\(advice)")
    #expect(message { _ = try checked(.double(.nan)) } == "\(places) nan\(advice)")
    let bounds = "value must be -92233720368547758.08...92233720368547758.07, got"
    #expect(message { _ = try checked(.string("92233720368547758.08")) } == "\(bounds) 92233720368547758.08")
    #expect(message { _ = try checked(.int(.max)) } == "\(bounds) 9223372036854775807")
    #expect(message { _ = try checked(.double(1e300)) } == "\(bounds) 1e+300")
    #expect(message { _ = try checked(.string("99999999999999999999")) } == "\(bounds) 99999999999999999999")
    #expect(message { _ = try checked(.bool(true)) } == "value must be Decimal(2), got bool true")
    #expect(message { _ = try checked(.string("much")) } == "value must be Decimal(2), got string \"much\"")
    let error = #expect(throws: ArithmeticError.self) { try FixedDecimal<2>(units: .max) +! FixedDecimal(units: 1) }
    #expect(error?.description == "the result of 92233720368547758.07 + 0.01 does not fit Decimal(2)")
  }

  @Test func numbersOfJSONKeepTheirDigits() throws {
    func read(_ json: String, scale: Int = 2) throws -> String {
      let schema = Schema.dynamic(.decimal(scale: scale))
      let value = try schema.value(fromJSON: try JSON.value(of: json))
      var bytes = Array(json.utf8)
      let direct = bytes.withUnsafeMutableBufferPointer { buffer in
        var reader = JSONReader(UnsafeBufferPointer(buffer))
        return schema.value(readFrom: &reader)
      }
      #expect(direct == value)
      return JSON.text(of: value)
    }
    #expect(try read("12.5") == "12.50")
    #expect(try read("12") == "12.00")
    #expect(try read("\"12.5\"") == "12.50")
    // Floats hold neither.
    #expect(try read("90071992547409.93") == "90071992547409.93")
    #expect(try read("12345678901234.56") == "12345678901234.56")
    #expect(try read("0.123456789012345678", scale: 18) == "0.123456789012345678")
    #expect(throws: SchemaError.self) { try read("0.30000000000000004") }
    // Where a float is declared, the digits become one.
    #expect(
      try Schema.dynamic(.double).value(fromJSON: try JSON.value(of: "0.1000000000000000055")) == .double(0.1))
  }

  @Test func aStructHoldsThem() throws {
    var account = Account(name: "bank", balance: FixedDecimal(units: 1250), rates: [FixedDecimal(units: 1)])
    #expect(JSON.text(of: account.schemaValue) == #"{"name":"bank","balance":12.50,"rates":[0.000001]}"#)
    let json = try JSON.value(of: #"{"name":"bank","balance":12.5,"rates":["0.000001"]}"#)
    #expect(try Account(schemaValue: try Account.schema.value(fromJSON: json)) == account)
    #expect(Account.schema.signature.contains("Decimal(2)"))
    try account.balance +!= #require(FixedDecimal("0.05"))
    #expect("\(account.balance)" == "12.55")
    #expect(FixedDecimal<2>("0.005") == nil)
    let error = #expect(throws: SchemaError.self) {
      try Account.schema.check(.map([.string("name"): .string("x"), .string("balance"): .string("0.005")]))
    }
    #expect(error?.message == "'balance' must be a decimal of at most 2 digits after the point, got 0.005")
  }
}
