import StoreCore
import StoreHost
import StoreSchema
import StoreUnits

// @Schema, by scripts/expand.
struct Desk: Sendable {
  var holds: PersistentList<Hold> = []

  // @Schema, by scripts/expand.
  struct Hold: Identifiable, Sendable {
    var id: Int
    var until: Duration
  }
}

// @Schema, by scripts/expand.
enum DeskAction: Sendable {
  case fill(count: Int)
  case extend(id: Int, until: Duration)
  case expire(id: Int)
}

// @Schema, by scripts/expand.
struct Branch: Sendable { var desk = Desk() }

// @Schema, by scripts/expand.
enum BranchAction: Sendable { case desk(DeskAction) }

/// Row H7: what supervised effects cost an action that changes one of them.
func supervisedBenchmark() -> Benchmark {
  Benchmark(
    row: "H7", work: "10,000 supervised effects, one begins anew, beside none", unit: "us", target: 2,
    prepare: {
      let expiring = Middleware<DeskAction, DeskAction, Desk>.supervising("expiring", over: \.holds) { hold in
        Supervised(hold.id, at: hold.until) { $0.send(.expire(id: hold.id)) }
      }
      let (with, without) = (try host(expiring), try host(.identity))
      var time = 1_000_000
      return {
        time += 1
        let (supervised, alone) = (extending(with, to: .seconds(time)), extending(without, to: .seconds(time)))
        return (supervised - alone) / 1000
      }
    })
}

private func host(
  _ middleware: Middleware<DeskAction, DeskAction, Desk>
) throws -> StoreHost<BranchAction, Branch> {
  let reducer = Reducer<DeskAction, Desk>("desk") { action, desk in
    switch action {
    case .fill(let count):
      desk.holds = PersistentList((0..<count).map { Desk.Hold(id: $0, until: .seconds(1_000_000)) })
    case .extend(let id, let until): desk.holds[id: id]?.until = until
    case .expire(let id): desk.holds[id: id] = nil
    }
  }
  let host = try StoreHost(
    Application(
      initial: Branch(), reducer: reducer.lift(action: \.desk, state: \.desk),
      middleware: middleware.lift(action: \BranchAction.Cases.desk, state: \.desk)), program: "bench")
  host.store.dispatch(.desk(.fill(count: 10_000)))
  return host
}

/// The nanoseconds of an action that gives one hold another time.
private func extending(_ host: StoreHost<BranchAction, Branch>, to time: Duration) -> Double {
  nanoseconds(each: 5_000) { index in
    host.store.dispatch(.desk(.extend(id: index * 7919 % 10_000, until: time)))
  }
}
