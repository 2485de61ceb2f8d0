import StoreSchema

@Schema
struct MacroTask: Equatable {
  /// The task's number,
  /// unique in its list.
  ///
  /// Never used again.
  let id: Int
  /** What to do, in "plain" words \ text. */
  var title: String
  var done: Bool = false
  var due: Int?
  var weight = 1.5, height = -2
  // Not documentation.
  var tags: [String] = ["new"], owner: MacroOwner = .none
  static let limit = 10
  static var count: Int { 0 }
  var isLong: Bool { title.count > 20 }
  var shout: String {
    get { title.uppercased() }
    set { title = newValue }
  }
}

@Schema
enum MacroOwner: String, CaseIterable {
  case none
  case me, team
}

@Schema
enum MacroCounterAction: Equatable {
  /// Counts up.
  ///
  /// - Parameter by: how far
  case increment(by: Int? = nil)
  /// Sets the value.
  case set(Int)
  /// Back to zero.
  case reset
}

@Schema
enum MacroAction: Equatable {
  case counter(MacroCounterAction)
  case move(Int, to: Int = 7, Bool)
  case rename(
    /// Which one.
    id: Int, title: String)
  case list(items: [MacroTask])
}

@Schema
struct MacroBoard: Equatable {
  var items: [MacroTask] = []
  var queue: PersistentList<MacroTask> = []
  var byName: [String: MacroTask] = [:]
  var selected: MacroTask?
  var last: MacroCounterAction = .reset
  var action: MacroAction = .counter(.reset)
}

@Schema
struct MacroEmpty: Equatable {}

@Schema
struct MacroKeywords: Equatable {
  var `default`: Int = 1
  var `class`: String
  var forced: Int! = 3
  var unset: Int!
  var fields: Int = 2
  var schemaFields: Int = 3
}

@Schema
enum MacroKeywordCases: Equatable {
  case `default`
  case `in`(`inout`: Int, for: Int)
  case `init`(Int)
  case `switch`(String)
}

@Schema
struct MacroPair<First: Schematic & Equatable, Second: Schematic & Equatable>: Equatable {
  var first: First
  var second: Second?
}

@Schema
enum MacroResult<Success: Schematic & Equatable>: Equatable {
  case success(Success)
  case failure(code: Int, reason: String = "unknown")
}

@Schema
indirect enum MacroIndirect: Equatable {
  case wide(first: MacroTask, second: MacroTask)
  case narrow(Int)
}

@Schema
enum MacroOwnMembers: Equatable {
  case counter(Int)
  case other(Int)
  case place(_ name: String)

  /// Written by hand.
  var counter: String { "mine" }
  var isOther: String { "mine" }
}

@Schema
enum MacroOwnCases: Equatable {
  case one(Int), two
  static let cases = 5
}

enum MacroSpace {
  struct Plain {}

  @Schema
  struct Inner: Equatable {
    var kind: Kind = Kind.big
    var kinds: [Kind] = [.small]
  }

  @Schema
  enum Kind: Equatable { case small, big }

  @Schema
  enum Action: Equatable {
    case inner(Inner)
    case kind(Kind, Inner = Inner())
  }
}

/// Holds public types that extensions declare.
public enum MacroPublicSpace {}

extension MacroPublicSpace {
  /// A point.
  @Schema
  public struct Point: Equatable {
    /// To the right.
    public var x: Int
    /// Upwards.
    private(set) public var y: Int = 4
    /// Makes a point.
    public init(x: Int) { self.x = x }
  }
}

// swift-format-ignore: NoAccessLevelOnExtensionDeclaration
public extension MacroPublicSpace {
  @Schema
  enum Action: Equatable {
    case point(Point)
    case stop
  }
}

@Schema
private struct MacroPrivate: Equatable {
  private var secret: Int = 3
  var state: MacroPrivateState = .on(2)
}

@Schema
private enum MacroPrivateState: Equatable { case on(Int), off }

enum MacroPrivateProbe {
  static var value: Value { MacroPrivate().schemaValue }
}

/// A type that is pickier than its schema.
struct MacroEven: Schematic, Equatable {
  var number: Int
  static let schema = Schema.scalar(MacroEven.self, .int(minimum: nil, maximum: nil)) { .int($0.number) }
  init(number: Int) { self.number = number }
  init(schemaValue value: Value) throws(SchemaError) {
    number = try Int(schemaValue: value)
    if number % 2 != 0 { throw SchemaError(Path(), .outOfRange(bounds: "even", found: "\(number)")) }
  }
}

@Schema
struct MacroPicky: Equatable {
  var even: MacroEven
  var inner: Inner?

  @Schema
  enum Inner: Equatable { case half(of: MacroEven) }
}
