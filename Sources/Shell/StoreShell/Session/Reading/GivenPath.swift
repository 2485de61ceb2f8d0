import ShellLanguage
import StoreSchema

/// A path that a line says. `$name` and `$(…)` in it stand for values.
struct GivenPath {
  /// The word that says it.
  let word: Word
  private let text: Given<String>
  /// The path as it is written; nil: it is known later.
  fileprivate let written: Path?

  /// True where errors mark all of the word: a flag's word may hold more than the path.
  private let marksWord: Bool

  /// - Throws: ``ShellError`` for what is no path.
  init(_ text: Given<String>, at word: Word, marksWord: Bool = false) throws {
    self.text = text
    self.word = word
    self.marksWord = marksWord
    written = try text.known.map { try Self.parse($0, at: word, marksWord: marksWord || word.hasReferences) }
  }

  /// The path now, within what `use` chose.
  func value(in session: Session) throws -> Path { session.scoped(try absolute(in: session)) }

  /// The path now, as it is written.
  fileprivate func absolute(in session: Session) throws -> Path {
    if let written { return written }
    return try word.marking { try Self.parse(try text.value(in: session), at: word, marksWord: true) }
  }

  /// The part that is known before anything runs: up to the first selector or name where something stands for a value.
  fileprivate var knownPart: Path? {
    get throws {
      if let written { return written }
      guard case .composed(let text)? = word.value, case .text(let first)? = text.pieces.first else { return nil }
      let end = first.firstIndex(of: "[") ?? first.lastIndex(of: ".")
      return try end.map { try Self.parse(String(first[..<$0]), at: word, marksWord: marksWord) }
    }
  }

  private static func parse(_ text: String, at word: Word, marksWord: Bool) throws(ShellError) -> Path {
    do throws(PathSyntaxError) {
      return try Path(parsing: text)
    } catch {
      let place = Word.Span(line: word.line, column: word.column + error.offset, width: 1)
      throw ShellError(
        code: .unknownPath, message: "'\(text)' is not a path: \(error.message)",
        place: .span(marksWord ? word.span : place))
    }
  }
}

struct TypedPath {
  let path: Path
  let type: Schema
}

extension CommandReader {
  func path(_ index: Int, _ name: String) throws -> GivenPath {
    try GivenPath(try required(index, name), at: operands[index])
  }

  /// A path with the type of what stands there.
  ///
  /// - Parameter isAbsolute: true if the choice of `use` is no part of it.
  func place(_ path: GivenPath, isAbsolute: Bool = false) throws -> Given<TypedPath> {
    let word = path.word
    guard let written = path.written else {
      return .later { session in
        let path = isAbsolute ? try path.absolute(in: session) : try path.value(in: session)
        return TypedPath(path: path, type: try word.marking { try session.type(at: path) })
      }
    }
    let path = isAbsolute ? written : vocabulary.scoped(written)
    let type = try word.marking { try isAhead ? vocabulary.declaredType(at: path) : vocabulary.type(at: path) }
    return .known(TypedPath(path: path, type: type))
  }

  /// Refuses a path that leads nowhere, where it is read ahead: which items there will be is not known.
  ///
  /// - Parameter narrowing: chooses among the elements there, which must have its fields.
  func checkPath(_ path: GivenPath, _ narrowing: Narrowing? = nil) throws {
    guard isAhead, let part = try path.knownPart else { return }
    let type = try path.word.marking { try vocabulary.declaredType(at: vocabulary.scoped(part)) }
    if path.written != nil { try narrowing?.check(elementsOf: type, by: vocabulary) }
  }
}

extension Word {
  /// The literal of the path that the word may say: it has no quotes, and is no other value.
  var path: Literal? {
    guard case .value(let literal) = kind else { return nil }
    switch literal {
    case .bare(let text):
      guard DurationLiteral.parse(text) == nil, case .string? = literal.knownValue else { return nil }
      return literal
    case .composed(let text):
      guard !text.isQuoted, let first = text.pieces.first else { return nil }
      switch first {
      case .text(let text): return text.first?.isLetter == true ? literal : nil
      case .value:
        // `${1}.items`, where `$1` names a module.
        guard text.pieces.count > 1, case .text(let rest) = text.pieces[1], rest.hasPrefix(".") else { return nil }
        return literal
      }
    default: return nil
    }
  }

  /// True where something in it stands for a value.
  fileprivate var hasReferences: Bool { value?.references.isEmpty == false }

  /// Marks the word as the place of errors about paths and variables, and about the values that stand for them.
  func marking<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PathError {
      throw ShellError(code: .unknownPath, message: error.message, at: self, hint: error.hint)
    } catch var error as ShellError {
      if error.place == .command, [.unknownVariable, .typeMismatch, .outOfRange].contains(error.code) {
        error.place = .span(span)
      }
      throw error
    }
  }
}
