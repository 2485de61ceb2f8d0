import LuaLimit
import Platform

/// The memory of processes: of others from `/proc`, of this one from its allocator.
enum ProcessMemory {
  /// The memory that the process holds now, in MiB; nil where it has ended.
  static func resident(of process: pid_t) -> Double? { value("VmRSS:", of: process) }

  /// The most that it has held, in MiB; nil where it has ended.
  static func peak(of process: pid_t) -> Double? { value("VmHWM:", of: process) }

  /// The memory that this process has allocated and not given back, in KiB. Unlike the memory it holds, this does not
  /// depend on what went before.
  static var allocated: Double { Double(lua_limit_allocated()) / 1024 }

  private static func value(_ name: String, of process: pid_t) -> Double? {
    guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Double($0) }
    return number.map { $0 / 1024 }
  }
}
