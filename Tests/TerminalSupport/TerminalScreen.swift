/// What a terminal shows after some output: as much of xterm as readline uses, so that tests can compare what a person
/// would see.
public struct TerminalScreen {
  /// The characters of each row, from the top of the scroll-back.
  public private(set) var rows: [[Character]] = [[]]
  /// The cursor's row, from 0.
  public private(set) var row = 0
  /// The cursor's column, from 0.
  public private(set) var column = 0
  /// How often the bell rang.
  public private(set) var bells = 0
  /// The width.
  public private(set) var columns: Int
  /// The rows that go on in the next one: they were full when another character came.
  private var wrapped: Set<Int> = []

  /// An empty screen.
  public init(columns: Int) {
    self.columns = columns
  }

  /// The rows without blanks at their ends, from the top of the scroll-back to the last row in use.
  public var lines: [String] {
    rows.map { String(String($0).reversed().drop { $0 == " " }.reversed()) }
  }

  /// The row of the cursor.
  public var cursorLine: String { lines[row] }

  /// Makes the window wider or narrower. Like most terminals, wraps anew what was wrapped.
  public mutating func resize(columns: Int) {
    guard columns != self.columns else { return }
    let (oldRows, oldWrapped, cursor) = (rows, wrapped, (row: row, column: column))
    (rows, wrapped, row) = ([], [], 0)
    self.columns = columns
    var start = 0
    while start < oldRows.count {
      var end = start
      while oldWrapped.contains(end), end + 1 < oldRows.count { end += 1 }
      let line = oldRows[start...end].flatMap(\.self)
      if (start...end).contains(cursor.row) {
        let position = oldRows[start..<cursor.row].reduce(0) { $0 + $1.count } + cursor.column
        // Behind the last column the cursor waits for another character.
        let isWaiting = position > 0 && position == line.count && position % columns == 0
        row = rows.count + position / columns - (isWaiting ? 1 : 0)
        column = isWaiting ? columns : position % columns
      }
      for offset in stride(from: 0, to: max(line.count, 1), by: columns) {
        if offset > 0 { wrapped.insert(rows.count - 1) }
        rows.append(Array(line[offset..<min(line.count, offset + columns)]))
      }
      start = end + 1
    }
    while row >= rows.count { rows.append([]) }
  }

  /// Takes in what a program writes.
  public mutating func show(_ output: String) {
    var rest = output.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        row += 1
        if row == rows.count { rows.append([]) }
      case "\u{8}": column = max(0, min(column, columns) - 1)
      case "\u{7}": bells += 1
      case "\u{1B}": control(&rest)
      default: put(Character(scalar))
      }
    }
  }

  private mutating func put(_ character: Character) {
    // Like xterm, wrap when the next character arrives, not when the row is full.
    if column == columns {
      wrapped.insert(row)
      show("\r\n")
    }
    pad()
    if column < rows[row].count {
      rows[row][column] = character
    } else {
      rows[row].append(character)
    }
    column += 1
  }

  private mutating func pad() {
    while rows[row].count < column { rows[row].append(" ") }
  }

  private mutating func control(_ rest: inout Substring.UnicodeScalarView) {
    guard rest.popFirst() == "[" else { return }
    var parameters = ""
    while let scalar = rest.popFirst() {
      guard scalar.properties.isAlphabetic || scalar == "@" else {
        parameters.unicodeScalars.append(scalar)
        continue
      }
      return run(scalar, Int(parameters))
    }
  }

  private mutating func run(_ command: Unicode.Scalar, _ parameter: Int?) {
    let count = parameter ?? 1
    switch command {
    case "A": row = max(0, row - count)
    case "B": row = min(rows.count - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "D": column = max(0, column - count)
    case "K":
      rows[row] = Array(rows[row].prefix(column))
      wrapped.remove(row)
    case "J":
      rows[row] = Array(rows[row].prefix(column))
      rows.removeSubrange((row + 1)...)
      wrapped = wrapped.filter { $0 < row }
    case "P":
      pad()
      rows[row].removeSubrange(column..<min(rows[row].count, column + count))
    case "@":
      pad()
      rows[row].insert(contentsOf: [Character](repeating: " ", count: count), at: column)
    default: break
    }
  }
}
