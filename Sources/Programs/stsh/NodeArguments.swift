import ArgumentParser

/// The options of a shared store.
struct NodeArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "In a shared store: the name that other nodes see; otherwise the machine's and the process's.", valueName: "name")
  )
  var name: String?

  @Option(
    name: .customLong("nats-creds"),
    help: ArgumentHelp(
      "In a shared store: the file of credentials for its servers; otherwise NATS_CREDS.", valueName: "file"),
    completion: .file())
  var credentials: String?

  @Option(
    help: ArgumentHelp(
      "In a shared store: a file of this node, where it keeps what it has read and begins the next time.",
      valueName: "file"), completion: .file())
  var cache: String?
}
