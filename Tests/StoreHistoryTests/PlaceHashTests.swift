import StoreSchema
import Testing

@testable import StoreHistory

@Suite struct PlaceHashTests {
  /// Hashes are written in ascending order, each once, also where nearly all want the same place.
  @Test(arguments: [UInt32.max, 0xFFFF, 0xFF, 3]) func hashesAreWrittenInOrder(_ mask: UInt32) {
    var (places, noted) = (ChangedPlaces(), Set<UInt32>())
    var value: UInt32 = 12_345
    for count in 1...3_000 {
      value = value &* 1_664_525 &+ 1_013_904_223
      let hash = (count % 2 == 0 ? value & mask : ~(value & mask)) | 1
      places.note(hash)
      noted.insert(hash)
      guard count % 500 == 0 else { continue }
      let expected = noted.sorted().flatMap { hash in withUnsafeBytes(of: hash.littleEndian) { Array($0) } }
      #expect(places.encoded == expected)
      if count == 1_500 {
        places.removeAll()
        noted = []
        #expect(places.encoded.isEmpty)
      }
    }
  }

  /// The two parts of a step by an id are the step.
  @Test func aStepByAnIDIsItsParts() {
    for number in [Int.min, -1, 0, 1, 77, .max] {
      var (whole, parts) = (PlaceHash(), PlaceHash())
      whole.add(.match(field: "id", .int(number)))
      parts.add(field: "id")
      parts.add(id: number)
      #expect(whole.beginning == parts.beginning)
      #expect(whole.end == parts.end)
    }
  }

  @Test func durationsAreWholeNanosecondsOrNot() {
    for count in [0, 1, 999_999_999, 1_000_000_000, 18_446_744_073, 9_223_372_036_854_775_807] {
      #expect(Duration.nanoseconds(Int64(count)).wholeNanoseconds == count)
      #expect(Duration.nanoseconds(Int64(count)).exactNanoseconds == count)
    }
    let rest = Duration.nanoseconds(5) + Duration(secondsComponent: 0, attosecondsComponent: 3)
    #expect(rest.exactNanoseconds == nil)
    #expect(rest.wholeNanoseconds == 5)
    #expect((Duration.zero - .nanoseconds(7)).wholeNanoseconds == -7)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.max).exactNanoseconds == nil)
  }
}
