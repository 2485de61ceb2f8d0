import Testing

@testable import StoreSchema

/// Damerau–Levenshtein with at most a third of the word wrong.
@Suite struct SuggestionTests {
  @Test(arguments: [
    ("counter.incremnt", "counter.increment"), ("bye", "by"), ("itmes", "items"), ("cuont", "count"),
    ("jsn", "json"), ("tasks.ad", "tasks.add"), ("größse", "größe"),
  ])
  func findsWhatWasMeant(word: String, meant: String) {
    #expect(Suggestion.nearest(to: word, among: ["zzzzzz", meant, "quite.another"]) == meant)
  }

  @Test(arguments: [("ab", "ax"), ("a", "b"), ("x", "="), ("abc", "xyc"), ("abcdef", "xyzdef"), ("", "a")])
  func saysNothingWhereMoreThanAThirdIsWrong(word: String, name: String) {
    #expect(Suggestion.nearest(to: word, among: [name]) == nil)
  }

  @Test func tiesGoToTheFirstAndTheNearestWins() {
    #expect(Suggestion.nearest(to: "cat", among: ["bat", "hat"]) == "bat")
    #expect(Suggestion.nearest(to: "abcdef", among: ["abcdxx", "abcdex"]) == "abcdex")
    #expect(Suggestion.nearest(to: "same", among: ["same"]) == nil)
    #expect(Suggestion.nearest(to: "same", among: []) == nil)
  }

  @Test func countsEditsAndSwapsOfNeighbours() {
    #expect(Suggestion.distance("ab", "ba", limit: 9) == 1)
    #expect(Suggestion.distance("abc", "ca", limit: 9) == 3)
    #expect(Suggestion.distance("kitten", "sitting", limit: 9) == 3)
    #expect(Suggestion.distance("", "abc", limit: 9) == 3)
    #expect(Suggestion.distance("kitten", "sitting", limit: 2) == 3)
    #expect(Suggestion.distance("aaaaaaaaaa", "b", limit: 2) == 3)
  }

  @Test func distanceIsSymmetric() {
    var values = GeneratedValues(seed: 8)
    for _ in 0..<500 {
      let (left, right) = (values.text(), values.text())
      let distance = Suggestion.distance(left, right, limit: 100)
      #expect(distance == Suggestion.distance(right, left, limit: 100))
      #expect((distance == 0) == Array(left.unicodeScalars).elementsEqual(Array(right.unicodeScalars)))
    }
  }
}
