import StorePlugins
import StoreReplication

/// Which shared store a session takes part in, and under which name.
package struct NodePlan: Sendable {
  /// The place of the log.
  let address: NATSAddress
  /// The name that other nodes see.
  package var name: String
  /// True if the node only follows.
  package var isReadOnly: Bool
  /// True if the store need not be there, as where a program is only looked at.
  package var isOptional: Bool
  /// The file of credentials, as `nsc` writes it; nil: the address has the login, or none is needed.
  package var credentials: String?
  /// The file in which the node keeps what it has read; nil: it keeps none.
  package var file: String?
  /// Whether the user lets a plugin that another node brings have what it asks for.
  package var isGranted: @Sendable (PluginSource) -> Bool = { $0.manifest.permissions.isEmpty }

  /// Reads the address of a shared store.
  ///
  /// - Parameter address: `nats://HOST:PORT/STORE`, or `tls://…`.
  /// - Throws: ``HostError`` with what is wrong with the address.
  package init(
    address: String, name: String, isReadOnly: Bool = false, isOptional: Bool = false, credentials: String? = nil,
    file: String? = nil
  ) throws(HostError) {
    do throws(LogError) {
      self.address = try NATSAddress(address)
    } catch {
      throw HostError(error)
    }
    self.name = name
    self.isReadOnly = isReadOnly
    self.isOptional = isOptional
    self.credentials = credentials
    self.file = file
  }

  /// The store's place without the login.
  package var shownAddress: String { "\(address.shown)/\(address.store)" }

  /// Whether a text is the address of a shared store, rather than the path of a file.
  package static func isAddress(_ text: String) -> Bool { text.hasPrefix("nats://") || text.hasPrefix("tls://") }
}

extension HostError {
  /// The error that stands for a log that cannot be opened.
  init(_ error: LogError) {
    let isOfCommandLine =
      switch error {
      case .badAddress, .badFile: true
      default: false
      }
    self.init(code: .noSharedStore, message: "\(error)", status: isOfCommandLine ? 2 : 6)
  }

  /// The error that stands for a command that a node refuses.
  init(_ refusal: Refusal) {
    switch refusal {
    case .cutOff: self.init(code: .cutOff, message: "\(refusal)")
    case .stopped(let reason):
      let rescue =
        switch reason {
        case .logIsBehind, .pastChanged, .otherPast: "export journal FILE keeps what this node has read"
        case .differs, .recordMissing, .snapshotUnfit, .unreadable, .inconsistent: String?.none
        }
      self.init(code: .nodeStopped, message: "\(refusal)", hint: rescue)
    case .withdrawn: self.init(code: .interrupted, message: "stopped before it came to the log")
    case .readOnly, .termOver, .clockWrong: self.init(code: .notAllowed, message: "\(refusal)")
    }
  }

  /// The error that stands for a command whose outcome is not known.
  static func unknownOutcome(_ reason: String?) -> HostError {
    HostError(
      code: .outcomeUnknown, message: "the log did not answer, so that this may have happened or may happen yet",
      details: reason.map { [$0] } ?? [], hint: "log shows it once it is known", status: 6)
  }
}
