import StoreSchema

/// A type in which changes are easily told wrongly: optionals within collections, collections within collections, ids that
/// may repeat.
@Schema
struct Plot: Sendable {
  var marks: [Int?] = []
  var labels: PersistentList<String?> = []
  var limits: [String: Int?] = [:]
  var rows: PersistentList<Row> = []
  var beds: [Garden.Bed] = []
  var grid: [[Int]] = []
  var spare: PersistentList<Int>?
  var weights: [Int: Double] = [:]
  var level = 0.0
  var answer: Answer = .none

  @Schema
  struct Row: Sendable {
    var id: String
    var beds: PersistentList<Garden.Bed> = []
    var notes: [String: String] = [:]
    var depth: Double?
  }

  @Schema
  enum Answer: Sendable {
    case none
    case level(Double)
    case both(left: [Int], right: String?)
  }
}
