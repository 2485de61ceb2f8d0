import Foundation
import Observation
import StoreCore
import StoreTesting
import StoreUnits
import Synchronization
import Testing

@testable import SwiftRexSamples

@Suite struct SwiftRexTests {
  private let film = Movie(id: UUID(), title: "Metropolis")

  @Test func typesOfFoundationAreReadAndWritten() throws {
    let action = AppAction.movie(.selectMovie(id: film.id))
    #expect(try AppAction(schemaValue: action.schemaValue) == action)
    let state = AppState(movies: .loaded([film]), selectedMovie: film.id)
    #expect(try AppState(schemaValue: state.schemaValue) == state)
  }

  @Test func aCallbackBecomesAnAction() throws {
    let likes = favourites { _, isFavourite, done in
      done(isFavourite ? .success(()) : .failure(MovieResponseError.offline))
    }
    let store = try TestStore(initial: [Movie](), reducer: .identity, middleware: likes)
    store.send(.toggleFavourite(film.id))
    store.receive(.changedFavourite(film.id, isFavourite: true))
    store.finish()
    let refused = try TestStore(initial: [film], reducer: .identity, middleware: likes)
    refused.send(.toggleFavourite(film.id))
    refused.receive(.changedFavouriteHasFailed(film.id, isFavourite: true, error: "offline"))
    refused.finish()
  }

  @Test func anEffectGetsWhatItDependsOn() throws {
    let likes = favouritesEffects.inject { _, _ in throw MovieResponseError.offline }
    let store = try TestStore(initial: [Movie](), reducer: .identity, middleware: likes)
    store.send(.toggleFavourite(film.id))
    store.receive(\.changedFavouriteHasFailed)
    store.finish()
  }

  @Test func theLoggerSeesBothStates() throws {
    let entries = Mutex<[LogEntry]>([])
    let logging = logger { entry in entries.withLock { $0.append(entry) } }
    let store = try Store<AppAction, AppState>(
      initial: AppState(), reducer: .on(\.movie.selectMovie) { $0.selectedMovie = $1 },
      middleware: logging.lift(to: AppAction.self))
    store.dispatch(.movie(.selectMovie(id: film.id)), line: 7)
    let entry = try #require(entries.withLock { $0.first })
    #expect(entry.before.selectedMovie == nil && entry.after.selectedMovie == film.id)
    #expect(entry.source == "AdoptionTests/SwiftRexTests.swift:7 - theLoggerSeesBothStates()")
  }

  @Test func thePopupHidesAfterThreeSeconds() throws {
    let showing = Reducer<PopupAction, Bool>("popup") { action, isShown in isShown = action == .show }
    let store = try TestStore(initial: false, reducer: showing, middleware: popup)
    store.send(.expected)
    store.receive(.show) { $0 = true }
    store.receive(.hide, within: .seconds(3)) { $0 = false }
    store.finish()
  }

  @MainActor
  @Test func aViewIsObservedByWhatItShows() throws {
    let store = try Store<AppAction, AppState>(
      initial: AppState(),
      reducer: Reducer("app") { action, state in
        if action.is(\.movie.requestMovieList) { state.currentFilter.stringFilter = "Brigitte" }
      })
    let view = contentView(of: store)
    let isChanged = Mutex(false)
    withObservationTracking {
      #expect(view.title == "Good morning, everybody")
    } onChange: {
      isChanged.withLock { $0 = true }
    }
    view.dispatch(.onAppear)
    #expect(isChanged.withLock { $0 })
    #expect(view.title == "Good morning, Brigitte")
  }

  @Test func theCounterCountsAndIsLogged() throws {
    let lines = Mutex<[String]>([])
    let writer = LogWriter(to: ClosureDestination { text in lines.withLock { $0.append(text) } })
    let store = try CounterApp.store(logTo: writer)
    let view = CounterViewModel.projection(of: store)
    view.dispatch(.tapPlus)
    view.dispatch(.tapPlus)
    view.dispatch(.tapMinus)
    #expect(view.state == CounterViewModel.ViewState(counterText: "1"))
    writer.flush()
    #expect(lines.withLock { $0.joined() }.contains("counter.currentCount: 2 → 1"))
  }

  @Test func theSocketFollowsTheState() throws {
    let log = Mutex<[String]>([])
    let note: @Sendable (String) -> Void = { line in log.withLock { $0.append(line) } }
    let handler = room { id in
      note("open \(id)")
      return Socket(onMessage: { $0("welcome") }, write: note, close: { note("close \(id)") })
    }
    let store = try Store(initial: RoomState(), handler: handler, clock: VirtualClock())
    store.dispatch(.join(3))
    #expect(store.state.messages == ["welcome"])
    store.dispatch(.join(4))
    store.dispatch(.leave)
    #expect(log.withLock { $0 } == ["open 3", "close 3", "open 4", "close 4"])
  }

  @Test func actionsLeadToOthersAndChangeTheState() throws {
    let store = try TestStore(initial: ShopState(), reducer: routing.reducer, middleware: routing.middleware)
    store.send(.didLoad(["tea"])) {
      $0.items = ["tea"]
      $0.isLoading = false
    }
    store.receive(.renderItems(["tea"]))
    store.send(.didTapBuy("tea")) { $0.isCheckingOut = true }
    store.receive(.checkout("tea"))
    store.send(.didTapLogout) { $0.isLoggingOut = true }
    store.receive(\.auth.logout)
    store.finish()
  }
}
