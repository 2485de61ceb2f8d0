import StoreCore
import StoreSchema
import Synchronization
import Testing

@testable import StoreHost

@Schema
private struct Board: Sendable {
  var title = ""
  var cells: [Cell] = []
  var names: [String: Int] = [:]

  @Schema
  struct Cell: Sendable, Equatable {
    var id: Int
    var text = ""
    var note: Int?
  }
}

@Schema
private enum BoardAction: Sendable {
  case set(title: String)
  case put(cells: [Board.Cell])
  case name(key: String, value: Int?)
}

@Schema
private struct BoardState: Sendable { var board = Board() }

@Schema
private enum BoardActions: Sendable { case board(BoardAction) }

@Schema
private struct Side: Sendable { var count = 0 }

@Schema
private enum SideAction: Sendable { case add }

@Schema
private struct PairState: Sendable {
  var side = Side()
  var board = Board()
}

@Schema
private enum PairActions: Sendable {
  case side(SideAction)
  case board(BoardAction)
}

/// What those who watch values are told, against the state itself.
@Suite struct WatchedValuesTests {
  private final class Told: Sendable {
    let values = Lock<[String: Value]>([:])
  }

  /// Whoever watches a place knows what is there, whatever was changed, moved, taken away or stands twice.
  @Test(arguments: 1...12) func watchersKnowWhatIsThere(seed: UInt64) throws {
    let application = Application<BoardActions, BoardState>(
      initial: BoardState(),
      reducer: Reducer<BoardAction, Board>("board") { action, board in
        switch action {
        case .set(let title): board.title = title
        case .put(let cells): board.cells = cells
        case .name(let key, let value): board.names[key] = value
        }
      }.lift(action: \.board, state: \.board))
    let host = try StoreHost(application, clock: VirtualClock(), program: "stsh")
    let live = host.live
    let paths =
      ["board", "board.title", "board.cells", "board.cells[0]", "board.names", "board.names.a", "board.names.b"]
      + (1...4).flatMap { ["board.cells[id=\($0)]", "board.cells[id=\($0)].text", "board.cells[id=\($0)].note"] }
    let told = Told()
    @Sendable func value(_ path: Path) -> Value {
      (try? live.turn { try live.read(path, in: live.present).value }) ?? .none
    }
    let watching = try paths.map { text in
      let path = try Path(parsing: text)
      return live.watch(text, at: path, { value(path) }) { _, new, _ in told.values.withLock { $0[text] = new } }
    }
    var random = SeededGenerator(seed: seed)
    var cells: [Board.Cell] = []
    for _ in 0..<200 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: host.store.dispatch(.board(.set(title: "\(Int.random(in: 0..<3, using: &random))")))
      case 1:
        let value = Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
        host.store.dispatch(.board(.name(key: Bool.random(using: &random) ? "a" : "b", value: value)))
      default:
        for _ in 0...Int.random(in: 0..<2, using: &random) { Self.change(&cells, &random) }
        host.store.dispatch(.board(.put(cells: cells)))
      }
      for text in paths {
        let path = try Path(parsing: text)
        #expect(told.values.withLock { $0[text] } == value(path), "\(text), seed \(seed)")
      }
    }
    withExtendedLifetime(watching) {}
  }

  /// A projection of one slice is not computed for what happens to others.
  @Test func aProjectionOfASliceIsComputedWhenThatHasChanged() throws {
    let runs = Lock(0)
    let application = Application<PairActions, PairState>(
      initial: PairState(),
      reducer: .compose(
        Reducer<SideAction, Side>("side") { $1.count += 1 }.lift(action: \.side, state: \.side),
        Reducer<BoardAction, Board>("board") { action, board in
          if case .set(let title) = action { board.title = title }
        }.lift(action: \.board, state: \.board)),
      projections: [
        ApplicationProjection("length", of: \.board) { board in
          runs.withLock { $0 += 1 }
          return board.title.count
        }
      ])
    let host = try StoreHost(application, clock: VirtualClock(), program: "stsh")
    let live = host.live
    let path = try Path(parsing: "board.length")
    let told = Lock<[Value]>([])
    @Sendable func value() -> Value {
      (try? live.turn { try live.read(path, in: live.present).value }) ?? .none
    }
    let watching = live.watch("length", at: path, value) { _, new, _ in told.withLock { $0.append(new) } }
    let first = runs.withLock { $0 }
    for _ in 0..<5 { host.store.dispatch(.side(.add)) }
    #expect(runs.withLock { $0 } == first)
    host.store.dispatch(.board(.set(title: "a")))
    host.store.dispatch(.board(.set(title: "b")))
    host.store.dispatch(.side(.add))
    host.store.dispatch(.board(.set(title: "abc")))
    #expect(runs.withLock { $0 } == first + 3)
    #expect(told.withLock { $0 } == [.int(0), .int(1), .int(3)])
    withExtendedLifetime(watching) {}
  }

  private static func change(_ cells: inout [Board.Cell], _ random: inout SeededGenerator) {
    let id = Int.random(in: 1...4, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: cells.append(Board.Cell(id: id))
    case 1: if !cells.isEmpty { cells.remove(at: Int.random(in: 0..<cells.count, using: &random)) }
    case 2: cells.shuffle(using: &random)
    case 3: if !cells.isEmpty { cells[Int.random(in: 0..<cells.count, using: &random)].note = id % 2 == 0 ? nil : id }
    default: if !cells.isEmpty { cells[Int.random(in: 0..<cells.count, using: &random)].text = "\(id)" }
    }
  }
}
