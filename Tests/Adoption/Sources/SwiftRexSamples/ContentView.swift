import StoreCore

// README 0.8.12, "All together": a view has actions and a state of its own, and is observed (`asObservableViewModel`).

enum ContentViewAction: Sendable {
  case onAppear

  var appAction: AppAction? {
    switch self {
    case .onAppear: .movie(.requestMovieList)
    }
  }
}

struct ContentViewState: Equatable, Sendable {
  let title: String

  init(_ state: AppState) { title = "Good morning, \(state.currentFilter.stringFilter ?? "everybody")" }
}

@MainActor
func contentView(
  of store: some StoreProtocol<AppAction, AppState>
) -> ObservableProjection<ContentViewAction, ContentViewState> {
  store.projection(action: \.appAction, state: { ContentViewState($0) }).observable()
}
