import CNATS

/// The functions of libnats, found when it is opened. A process that shares no store opens none.
struct NATSLibrary: @unchecked Sendable {
  // Safe: a table of pointers to functions, which stay where they are and may be called from any thread.
  let functions: CNATSFunctions

  /// The library's file names, the usual one first.
  static let usualNames = ["libnats.so.3.4", "libnats.so"]

  /// Opens the first of some libraries that is there.
  init(names: [String] = usualNames) throws(LogError) {
    var functions: CNATSFunctions?
    var reason = ""
    for name in names where functions == nil {
      (functions, reason) = NATSLibrary.open(name)
    }
    guard let functions else { throw .noLibrary(reason: reason) }
    self.functions = functions
  }

  private static func open(_ name: String) -> (CNATSFunctions?, String) {
    withUnsafeTemporaryAllocation(of: CNATSFunctions.self, capacity: 1) { functions in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { reason in
        guard let place = functions.baseAddress, let text = reason.baseAddress else { return (nil, name) }
        guard cnats_open(name, place, text, reason.count) else { return (nil, String(cString: text)) }
        return (place.pointee, "")
      }
    }
  }

  /// The status in words, with what the library last noted on this thread.
  func text(of status: CNATSStatus) -> String {
    let name = String(cString: functions.natsStatus_GetText(status))
    // A connection that is away has no room for what is to be sent.
    if status == CNATSStatus(CNATS_INSUFFICIENT_BUFFER) { return "the connection is lost" }
    guard var note = functions.nats_GetLastError(nil).map({ String(cString: $0)[...] }) else { return name }
    // The place in the library's sources: `(conn.c:2088): `.
    if note.hasPrefix("("), let end = note.firstRange(of: "): ") { note = note[end.upperBound...] }
    return note.isEmpty || note == name ? name : "\(name): \(note)"
  }
}
