/// The users and groups of the system, by its tables.
public enum SystemUser {
  /// The login of a user; of one that the table does not know, `uid-` and the number.
  public static func name(of id: UInt32) -> String {
    var entry = passwd()
    return login { getpwuid_r(id, &entry, &$0, $1, &$2) } ?? "uid-\(id)"
  }

  /// The login of the user whose process this is, looked up once.
  public static let current = name(of: geteuid())

  /// True if the table knows a login.
  public static func exists(_ login: String) -> Bool {
    var entry = passwd()
    return self.login { getpwnam_r(login, &entry, &$0, $1, &$2) } != nil
  }

  /// The number of a group; nil: the table does not know it.
  public static func group(_ name: String) -> UInt32? {
    var entry = Glibc.group()
    return record {
      getgrnam_r(name, &entry, &$0, $1, &$2)
    } read: { (found: UnsafeMutablePointer<Glibc.group>) in
      found.pointee.gr_gid
    }
  }

  private static func login(_ look: (inout [CChar], Int, inout UnsafeMutablePointer<passwd>?) -> Int32) -> String? {
    record(look) { $0.pointee.pw_name.flatMap { String(validatingCString: $0) } } ?? nil
  }

  /// A part of the record that a look finds; nil: it finds none. A record of any length has room: the system says if it has not.
  private static func record<Record, Part>(
    _ look: (inout [CChar], Int, inout UnsafeMutablePointer<Record>?) -> Int32,
    read: (UnsafeMutablePointer<Record>) -> Part
  ) -> Part? {
    var room = [CChar](repeating: 0, count: 1 << 12)
    while true {
      var found: UnsafeMutablePointer<Record>?
      let size = room.count
      let status = look(&room, size, &found)
      guard status == ERANGE, room.count < 1 << 22 else { return found.map(read) }
      room = [CChar](repeating: 0, count: room.count * 4)
    }
  }
}
