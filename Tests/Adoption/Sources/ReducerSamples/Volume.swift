import StoreCore

// README of Reducer: a reducer of a small state.

let volumeReducer = Reducer<VolumeAction, VolumeState>("volume") { action, state in
  switch action {
  case .louder:
    state.isMute = false  // Louder is always heard.
    state.volume = min(100, state.volume + 5)
  case .quieter: state.volume = max(0, state.volume - 5)
  case .toggleMute: state.isMute.toggle()
  }
}
