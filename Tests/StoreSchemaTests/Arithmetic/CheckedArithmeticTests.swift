import StoreSchema
import Testing

@Suite("Checked arithmetic")
struct CheckedArithmeticTests {
  @Test func isThatOfTheUsualOperatorsWhereTheResultFits() throws {
    for left in [Int8.min, -7, -1, 0, 1, 7, .max] {
      for right in [Int8.min, -7, -1, 0, 1, 7, .max] {
        #expect((try? left +! right) == result(Int(left) + Int(right)))
        #expect((try? left -! right) == result(Int(left) - Int(right)))
        #expect((try? left *! right) == result(Int(left) * Int(right)))
        #expect((try? left /! right) == (right == 0 ? nil : result(Int(left) / Int(right))))
        #expect((try? left %! right) == (right == 0 ? nil : result(Int(left) % Int(right))))
      }
    }
  }

  @Test func bindsAsTheUsualOperators() throws {
    #expect(try 1 +! 2 *! 3 -! 4 /! 2 == 5)
  }

  @Test func leavesTheTargetOfAnAssignmentAsItWas() {
    var number = UInt8(250)
    #expect(throws: ArithmeticError("250 + 6", type: "UInt8")) { try number +!= 6 }
    #expect(throws: ArithmeticError("250 - 251", type: "UInt8")) { try number -!= 251 }
    #expect(throws: ArithmeticError("250 * 2", type: "UInt8")) { try number *!= 2 }
    #expect(number == 250)
  }

  @Test func saysWhatDoesNotFit() {
    #expect(
      ArithmeticError("9223372036854775807 + 1", type: "Int").description
        == "the result of 9223372036854775807 + 1 does not fit Int")
  }

  private func result(_ number: Int) -> Int8? { Int8(exactly: number) }
}
