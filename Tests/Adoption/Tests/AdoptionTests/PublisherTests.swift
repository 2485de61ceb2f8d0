import OpenCombine
import StoreCombine
import StoreCore
import Testing

@testable import ReducerSamples

/// The volume of ReducerSamples by publishers.
@Suite struct PublisherTests {
  @Test func statesGoOutAndActionsComeIn() throws {
    let store = try Store(initial: VolumeState(), reducer: volumeReducer)
    let presses = PassthroughSubject<VolumeAction, Never>()
    nonisolated(unsafe) var heard: [Int] = []
    let hearing = store.connection.publisher.map(\.volume).sink { heard.append($0) }
    let pressing = presses.dispatch(to: store.connection)
    presses.send(.louder)
    presses.send(.quieter)
    withExtendedLifetime((hearing, pressing)) {}
    #expect(heard == [50, 55, 50])
  }
}
