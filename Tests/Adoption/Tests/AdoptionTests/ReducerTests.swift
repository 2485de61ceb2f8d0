import StoreCore
import Testing

@testable import ReducerSamples

@Suite struct ReducerTests {
  @Test func theVolumeStaysWithinItsBounds() throws {
    var volume = VolumeState(isMute: true, volume: 98)
    try volumeReducer.reduce(.louder, &volume)
    #expect(volume == VolumeState(isMute: false, volume: 100))
    for _ in 0..<30 { try volumeReducer.reduce(.quieter, &volume) }
    try volumeReducer.reduce(.toggleMute, &volume)
    #expect(volume == VolumeState(isMute: true, volume: 0))
  }

  @Test(arguments: [liftedByClosures, liftedByPaths])
  func itIsLiftedToWhereItBelongs(lifted: Reducer<AppAction, AppState>) throws {
    let store = try Store(initial: AppState(), reducer: lifted)
    store.dispatch(.prism1(.prism2(.prism3(.quieter))))
    store.dispatch(.prism1(.prism2(.other)))
    #expect(store.state.property1.property2.volume == 45)
  }
}
