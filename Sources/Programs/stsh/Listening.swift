import ArgumentParser
import CEvents
import Platform
import ShellDoor
import StandardModules
import StoreHost
import StoreShell

/// The door of a run that lets others in.
struct Listening {
  private let door: Door
  private let tokenFile: String?
  private var tokenLock: FileLock?

  /// Takes the place that the command line asks for. Nobody comes in until ``open(telling:)``.
  init(
    _ invocation: ProgramInvocation, at place: String, of host: StoreHost<StandardAction, StandardState>,
    _ options: SessionOptions
  ) throws {
    // The allocator would raise these with every large block that is freed, and keep up to 64 MiB for each thread (mallopt(3)).
    for threshold in [M_MMAP_THRESHOLD, M_TRIM_THRESHOLD] { mallopt(threshold, 1 << 20) }
    let (rights, users) = try Self.rights(invocation.allow)
    if invocation.group != nil, !place.contains("/") {
      throw ValidationError("--group needs --listen PATH: the folder of names is this user's alone")
    }
    if invocation.group == nil, !users.isEmpty {
      throw ValidationError("--allow USER:RIGHT needs --group GROUP, whose users may attach")
    }
    tokenFile = invocation.tokenFile
    for (flag, file) in [("--token-file", tokenFile), ("--listen", place)] {
      if let file, options.journal?.owns(file) ?? false {
        throw ValidationError("\(flag) \(file): that file is the store's own; name another one")
      }
    }
    if let tokenFile, JournalPlan.isOfStore(tokenFile) {
      throw ValidationError(
        "--token-file \(tokenFile): that file belongs to a store, or to another program that runs; name another one")
    }
    door = try Door(
      host, at: DoorAddress(parsing: place), allow: rights, users: users, group: invocation.group,
      options: Self.inside(options), isOpen: false)
    if let tokenFile, let token = door.token { tokenLock = try Self.write(token, to: tokenFile) }
  }

  /// Lets others in, and says where.
  ///
  /// - Parameter console: says it; nil: nothing is printed.
  func open(telling console: Console?) {
    door.open()
    console?.writeError("listening at \(SafeText.line(door.address.text))\n")
    if let token = door.token, tokenFile == nil { console?.writeError("token: \(token)\n") }
  }

  /// Lets nobody in any more.
  func close() { door.close() }

  /// The rights that a command line gives to the host's own user, and to others by their logins.
  static func rights(_ texts: [String]) throws -> (own: [Right], users: [String: [Right]]) {
    var (own, users): ([Right], [String: [Right]]) = ([], [:])
    for text in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      if let right = Right(parsing: String(text)) {
        own.append(right)
        continue
      }
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, let right = Right(parsing: parts[1]) else {
        throw ValidationError(
          "--allow takes read, dispatch, dispatch:PATTERN, plugins or all, also behind USER:, not '\(text)'")
      }
      guard SystemUser.exists(parts[0]) else {
        throw ValidationError("--allow \(text): there is no user '\(parts[0])'")
      }
      users[parts[0], default: []].append(right)
    }
    return (own.isEmpty ? [.all] : own, users)
  }

  /// The options of those who come in.
  private static func inside(_ options: SessionOptions) -> SessionOptions {
    var inside = SessionOptions()
    inside.name = options.name
    inside.grants = options.grants
    inside.grantsFile = options.grantsFile
    inside.allowsPlugins = options.allowsPlugins
    inside.allowsExecution = options.allowsExecution
    inside.pluginSearchPath = options.pluginSearchPath
    return inside
  }

  /// Keeps the token in a file that only its user can read. An earlier token is replaced, and no other file.
  ///
  /// - Returns: the lock that keeps the file from being replaced while the door is there.
  private static func write(_ token: String, to file: String) throws -> FileLock? {
    var status = stat()
    if lstat(file, &status) == 0 {
      guard status.st_size == token.utf8.count + 1, !Files.isLink(file),
        let content = try? Files.readRegular(file), content.last == 0x0A,
        content.dropLast().allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
      else {
        throw ValidationError(
          "--token-file \(file): that file is not a token, and would be replaced; name another file")
      }
      unlink(file)
    }
    let descriptor = Platform.open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ValidationError("--token-file \(file): it cannot be written") }
    defer { Platform.close(descriptor) }
    guard Files.write(Array("\(token)\n".utf8)[...], to: descriptor).failure == nil else {
      throw ValidationError("--token-file \(file): it cannot be written")
    }
    return try? FileLock(file, creates: false)
  }
}
