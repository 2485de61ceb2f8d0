import Testing

@testable import ShellLanguage

@Suite("Shares of a range")
struct ShareTests {
  @Test(
    arguments: [
      (0, 0, .leastNonzeroMagnitude, 0), (.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1), (1, 1, 1, 0),
      (0, -1.7e308, 1.7e308, 0.5),
      (1.7e308, -1.7e308, 1.7e308, 1),
      (2, 1, 3, 0.5),
    ] as [(Double, Double, Double, Double)])
  func areFinite(value: Double, smallest: Double, largest: Double, share: Double) {
    #expect(Sparkline.share(of: value, smallest, largest) == share)
  }

  @Test func aChartOfTheSmallestNumbersIsDrawn() {
    let chart = LineChart(values: [0, .leastNonzeroMagnitude, nil, .nan, 0], width: 20, height: 3, isUTF8: false)
    #expect(chart.text(from: "#1", to: "#5").hasPrefix("5e-324  *"))
  }
}
