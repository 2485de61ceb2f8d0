import TerminalSupport
import Testing

/// The prompt of a server that works: whatever threads and effects do, the line that is typed stays whole.
@Suite struct OrderBookPromptTests {
  @Test func theLineStaysWholeWhileOthersWork() throws {
    let terminal = try Shell().prompt(program: "OrderBook", prompt: "orderbook>")
    terminal.type("watch book.trades\r")
    try terminal.wait(for: "a line of the watch") { $0.lines.contains { $0.hasPrefix("[watch 1] book.trades") } }
    for letter in "echo the-line-that-is-typed-is-whole" {
      terminal.type(String(letter))
      terminal.lookOn(milliseconds: 10)
    }
    try terminal.waitForCursorLine("orderbook> echo the-line-that-is-typed-is-whole")
    terminal.type("\r")
    try terminal.waitForLine("the-line-that-is-typed-is-whole")
    let cut = terminal.text.split(separator: "\n").filter { $0.hasPrefix("[watch") && !$0.hasSuffix(")") }
    #expect(cut == [], "a line that others cause is whole, too")
    terminal.type("quit\r")
    #expect(try terminal.waitForEnd() == 0)
  }
}
