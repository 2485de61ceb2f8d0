import Foundation
import StoreCore
import Testing

/// Row 53: the action of one element.
@Suite struct ElementActionTests {
  @Test func itIsWhatItsPartsAre() throws {
    let action = ElementAction(id: 2, action: RowAct.inc)
    #expect(action == ElementAction(id: 2, action: .inc))
    #expect(action != ElementAction(id: 3, action: .inc))
    #expect(Set([action, ElementAction(id: 2, action: .inc), ElementAction(id: 2, action: .double)]).count == 2)
    #expect(action.id == 2)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = try encoder.encode(action)
    #expect(String(decoding: text, as: UTF8.self) == #"{"action":"inc","id":2}"#)
    #expect(try JSONDecoder().decode(ElementAction<Int, RowAct>.self, from: text) == action)
    let sent: any Sendable = action
    #expect(sent is ElementAction<Int, RowAct>)
    #expect(action.map(\.rawValue) == ElementAction(id: 2, action: "inc"))
  }
}
