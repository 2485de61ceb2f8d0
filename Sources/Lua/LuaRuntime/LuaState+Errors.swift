import CLua

extension LuaState {
  /// Throws what the machine's last operation failed with.
  @inline(__always)
  func check(_ status: CLuaStatus) throws(LuaError) {
    switch status {
    case .done, .yielded: return
    default: throw error(status)
    }
  }

  /// The error of the machine's last operation.
  func error(_ status: CLuaStatus) -> LuaError {
    let raw = machine.pointee.error
    let kind: LuaError.Kind =
      switch status {
      case .syntax: .syntax
      case .memory: .memory
      case .instructions: .instructions
      case .time: .time
      case .interrupted: .interrupted
      case .notText: .notText
      case .runtime, .done, .yielded: .runtime
      }
    var message = UnsafeBufferPointer(start: raw.message, count: raw.message == nil ? 0 : raw.messageCount)
      .withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    if message.isEmpty, kind == .memory { message = "not enough memory" }
    message = chunkNames.shown(message: message)
    let frames = UnsafeBufferPointer(start: raw.frames, count: raw.frames == nil ? 0 : Int(raw.frameCount))
    let underlying = raw.isHostFailure ? lastFailure : nil
    if machine.pointee.depth == 0 { lastFailure = nil }
    var error = LuaError(
      kind: kind, message: message, traceback: frames.map { LuaError.Frame($0, chunkNames) }, underlying: underlying)
    if let failure = underlying as? LuaFailure {
      error.mistake = failure.mistake
    } else if raw.isOutsideSandbox {
      error.mistake = .outsideSandbox
    } else if kind == .syntax {
      error.mistake = LuaError.syntaxMistake(in: message)
    } else if kind == .runtime, underlying == nil, raw.isOfCode {
      error.mistake = LuaError.misuse(in: message)
    }
    if kind == .notText, raw.code.0 != 0 { error.code = withUnsafeBytes(of: raw.code, CLuaFrame.text) }
    if let inner = underlying as? LuaError {
      error.mistake = inner.mistake
      error.kind = inner.kind
      error.traceback = inner.traceback + error.traceback
    }
    return error
  }
}

extension LuaError.Frame {
  init(_ frame: CLuaFrame, _ names: ChunkNames) {
    let (chunk, name, kind) = (names.shown(frame.chunkText), frame.nameText, frame.kindText)
    let what =
      if !name.isEmpty {
        kind.isEmpty ? "in '\(name)'" : "in \(kind) '\(name)'"
      } else {
        frame.isMain ? "in main chunk" : "in function <\(chunk):\(frame.lineDefined)>"
      }
    self.init(chunk: chunk, line: Int(frame.line), what: what)
  }
}

extension CLuaFrame {
  /// The name of the chunk.
  var chunkText: String { withUnsafeBytes(of: source, CLuaFrame.text) }
  /// The name of the function; empty: not known.
  var nameText: String { withUnsafeBytes(of: name, CLuaFrame.text) }
  /// The kind of that name, as in `upvalue`.
  var kindText: String { withUnsafeBytes(of: nameKind, CLuaFrame.text) }

  fileprivate static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
