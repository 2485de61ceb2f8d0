import Platform
import StoreCore
import StoreHistory
import StoreHost
import StoreSchema
import StorePlugins
import Testing

@testable import StoreShell

// The same application three times: as it was, with more fields, and with a state that the first one does not fit.

private enum First {
  @Schema struct Box: Hashable, Sendable {
    var id = 0
    var name = ""
  }
  @Schema struct Shelf: Hashable, Sendable {
    var boxes: [Box] = []
    var label: String? = "new"
    var prices: [String: Int] = [:]
  }
  @Schema struct House: Sendable { var shelf = Shelf() }
  @Schema enum ShelfAction: Sendable {
    case put(id: Int, name: String)
    case take(id: Int)
    case rename(id: Int, name: String)
    case label(to: String?)
    case price(name: String, value: Int?)
  }
  @Schema enum HouseAction: Sendable { case shelf(ShelfAction) }

  static let reducer = Reducer<ShelfAction, Shelf>("shelf") { action, shelf in
    switch action {
    case .put(let id, let name): shelf.boxes.insert(Box(id: id, name: name), at: 0)
    case .take(let id): shelf.boxes.removeAll { $0.id == id }
    case .rename(let id, let name):
      for index in shelf.boxes.indices where shelf.boxes[index].id == id { shelf.boxes[index].name = name }
    case .label(let label): shelf.label = label
    case .price(let name, let value): shelf.prices[name] = value
    }
  }
  static let application = Application<HouseAction, House>(
    initial: House(), reducer: reducer.lift(action: \.shelf, state: \.shelf))
}

private enum Second {
  @Schema struct Box: Hashable, Sendable {
    var id = 0
    var name = ""
    var weight = 1.5
  }
  @Schema struct Shelf: Hashable, Sendable {
    var boxes: [Box] = []
    var label: String? = "new"
    var prices: [String: Int] = [:]
    var color = "red"
  }
  @Schema struct House: Sendable {
    var shelf = Shelf()
    var cellar = Cellar()
  }
  @Schema struct Cellar: Hashable, Sendable { var bottles = 12 }
  @Schema enum ShelfAction: Sendable { case paint(color: String) }
  @Schema enum HouseAction: Sendable { case shelf(ShelfAction) }

  static let reducer = Reducer<ShelfAction, Shelf>("shelf") { action, shelf in
    switch action {
    case .paint(let color): shelf.color = color
    }
  }
  static let application = Application<HouseAction, House>(
    initial: House(), reducer: reducer.lift(action: \.shelf, state: \.shelf))
}

private enum Third {
  @Schema struct Box: Hashable, Sendable {
    var id = ""
    var name = ""
  }
  @Schema struct Shelf: Hashable, Sendable {
    var boxes: [Box] = []
    var depth: Int
  }
  @Schema struct House: Sendable { var shelf = Shelf(depth: 1) }

  static let application = Application<Second.HouseAction, House>(
    initial: House(), reducer: Reducer("none") { _, _ in })
}

/// A file that one version of a program wrote and another opens.
@Suite struct MigrationTests {
  private let writer: Shell
  private let file: String

  init() throws {
    writer = try Shell(over: { try Session(First.application, options: $0, console: $1) })
    file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    let outcome = writer.run(
      "dispatch shelf.put 1 books --quiet", "dispatch shelf.put 2 shoes --quiet", "dispatch shelf.put 3 hats --quiet",
      "dispatch shelf.take 2 --quiet", "dispatch shelf.rename 3 caps --quiet", "dispatch shelf.price hats 7 --quiet",
      "dispatch shelf.price caps 8 --quiet", "dispatch shelf.price hats --quiet", "dispatch shelf.label --quiet")
    #expect(outcome == .init())
  }

  private func open(_ path: String, _ start: @escaping (SessionOptions, Console) throws -> Session) throws -> (
    Shell, Shell.Outcome
  ) {
    let shell = try Shell(over: start)
    return (shell, shell.openStore(path))
  }

  private static let migrated =
    #"{"shelf":{"boxes":[{"id":3,"name":"caps","weight":1.5},{"id":1,"name":"books","weight":1.5}],"#
    + #""label":null,"prices":{"caps":8},"color":"red"},"cellar":{"bottles":12}}"# + "\n"

  @Test(arguments: [true, false]) func newFieldsGetTheirDefaults(endsInOrder: Bool) throws {
    var path = file
    if endsInOrder {
      #expect(writer.outcome { writer.session.endJournal() } == .init())
    } else {
      path = try writer.killedCopy(of: file, as: "killed.db")
    }
    let before = try Files.read(path)
    let (shell, opened) = try open(path) { try Session(Second.application, options: $0, console: $1) }
    let kept = "note: its state has a new type now; a copy of the file as it was is \(path).before-9\n"
    let found = endsInOrder ? "" : "note: \(path) ended unexpectedly after #9\n"
    #expect(opened == .init(errors: found + kept))
    #expect(shell.run("show --as json").output == Self.migrated)
    #expect(
      shell.run("dispatch shelf.paint blue").output
        == "#10 shelf.paint color=\"blue\"\n  shelf.color  \"red\" -> \"blue\"\n")
    #expect(shell.run("goto 9", "show --as json", "goto head").output.contains(Self.migrated))
    // What happened before is told of, as far as its values fit; an action that is gone with what it was given.
    let log = shell.run("log")
    #expect(log.errors == "note: up to #9 the state had another type: goto, diff and undo go back to there\n")
    let lines = log.output.split(separator: "\n")
    #expect(lines.count == 11)
    #expect(lines[1].contains("shelf.put id=1 name=\"books\"") && lines[1].hasSuffix("shelf.boxes[id=1]"), "\(log)")
    #expect(lines[10].contains("shelf.paint"))
    let why = shell.run("why shelf.boxes[id=3].name").output
    #expect(
      why.hasPrefix("#5 shelf.rename id=3 name=\"caps\"  <- -c:5") && why.hasSuffix("  \"hats\" -> \"caps\"\n"),
      "\(why)")
    #expect(
      shell.run("why #1").output.hasPrefix(
        "#1 shelf.put id=1 name=\"books\"  <- -c:1\n  shelf.boxes[id=1]  + { id = 1, name = \"books\""))
    // There is one action since; before it there was none.
    #expect(
      shell.run("goto 9", "bisect state.shelf.color == 1").errors.hasPrefix(
        "-c:2:1: error[not-kept]: #9 is the oldest state that is kept, and nothing has happened since\n"))
    _ = shell.run("goto head")
    // What opening the file brought is none of its actions.
    let brought = "after #9 the state was brought to another type\n"
    #expect(shell.run("why cellar.bottles").output == brought + "  cellar  + { bottles = 12 }\n")
    #expect(
      shell.run("why shelf.boxes[id=1].weight").output.hasPrefix(
        brought + "  shelf.boxes[id=1].weight  + 1.5\n#1 shelf.put"))
    #expect(shell.run("why shelf.prices['caps']").output.hasPrefix("#7 shelf.price "))
    #expect(shell.run("why shelf.color").output.hasPrefix("#10 shelf.paint "))
    shell.session.options.isJSON = true
    #expect(
      shell.run("why cellar").output.contains(
        #""data":[{"id":9,"action":null,"source":null,"when":null,"user":null,"who":null,"#
          + #""changes":[{"op":"add","path":"cellar","to":{"bottles":12}}],"failure":null}]"#))
    shell.session.options.isJSON = false
    let past = shell.run("goto 3")
    #expect(past.errors.contains("goes back to #9"))
    #expect(past.errors.contains("hint: the state had another type then; log and why still tell of it"))
    let run = "\(shell.folder)/run.jsonl"
    let written = shell.run("export journal \(run)")
    #expect(written.output == "wrote 1 action to \(run)\n")
    #expect(written.errors == "note: #1 to #9 are left out: the state had another type then\n")
    #expect(shell.run("export journal -").errors == "note: #1 to #9 are left out: the state had another type then\n")
    #expect(shell.run("bisect state.cellar.bottles == 12").errors.contains("hint: the state had another type then;"))
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    if endsInOrder { #expect(try Files.read(path) != before) }
    // The copy is what the first version wrote, and it can go on with it.
    let (old, reopened) = try open("\(path).before-9") { try Session(First.application, options: $0, console: $1) }
    #expect(reopened.status == 0, "\(reopened)")
    #expect(
      old.run("goto 3", "show shelf.boxes[*].name --as raw").output
        == "viewing #3 of 9 (read-only)\nhats\nshoes\nbooks\n")
  }

  @Test func whatDoesNotFitIsListedAndTheFileStaysAsItIs() throws {
    let path = try writer.killedCopy(of: file, as: "killed.db")
    let (_, refused) = try open(path) { try Session(Third.application, options: $0, console: $1) }
    #expect(refused.status == 1)
    let sentence = "error[store-schema]: \(path): its state does not fit the type declared now\n"
    #expect(refused.errors.hasPrefix(sentence), "\(refused)")
    for misfit in ["shelf.depth (Int) is missing and has no default", "shelf.label is no longer declared"] {
      #expect(refused.errors.contains(misfit), "\(refused)")
    }
    // SQLite may have taken the log into the file; what they hold is the same.
    let archive = try JournalArchive(path)
    #expect(archive.damage == nil)
    #expect(archive.contents.last == 9)
    archive.close()
    #expect(!Files.exists("\(path).before-9"))
  }

  @Test func allThatDoesNotFitIsListedOfPluginsToo() throws {
    for name in ["bag", "box"] {
      let folder = try writer.plugin(
        name,
        "return plugin { state = { field('n', int { default = 7 }), field('names', map(int())), field('x', int()) } }")
      #expect(writer.run("plugin load \(folder)").status == 0)
    }
    let path = try writer.killedCopy(of: file, as: "killed.db")
    _ = try writer.plugin("bag", "return plugin { state = { field('n', text()), field('more', int()) } }")
    _ = try writer.plugin(
      "box", "return plugin { state = { field('k', int()) }, migrate = function() error('no') end }")
    let (_, refused) = try open(path) { try Session(Third.application, options: $0, console: $1) }
    #expect(refused.status == 1)
    let lines = refused.errors.split(separator: "\n").map(String.init)
    for misfit in [
      "shelf.depth (Int) is missing and has no default", "shelf.label is no longer declared",
      "'bag.n' must be String, got number 7", "bag.names is no longer declared", "bag.x is no longer declared",
    ] {
      #expect(lines.contains("  \(misfit)"), "\(refused)")
    }
    #expect(lines.contains { $0.hasPrefix("  box: ") && $0.hasSuffix("no") }, "\(refused)")
    #expect(!refused.errors.contains("bag.more"))
  }

  @Test func aCopyOfBeforeIsNeverOverwritten() throws {
    let path = try writer.killedCopy(of: file, as: "killed.db")
    try writer.write("killed.db.before-9", "mine")
    let (_, opened) = try open(path) { try Session(Second.application, options: $0, console: $1) }
    #expect(opened.errors.hasSuffix("the file as it was is \(path).before-9.2\n"))
    #expect(writer.contents("killed.db.before-9") == "mine")
  }

  @Test func theCopyOfBeforeStaysAsItIs() throws {
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let (migrating, _) = try open(file) { try Session(Second.application, options: $0, console: $1) }
    #expect(migrating.outcome { migrating.session.endJournal() } == .init())
    let copy = "\(file).before-9"
    let names = Files.names(in: writer.folder)
    let (_, refused) = try open(copy) { try Session(Second.application, options: $0, console: $1) }
    #expect(
      refused
        == .init(
          errors: """
            error[store-schema]: \(copy) is the copy of \(file) from before its state got a new type; \
            opening it would convert it, too
              hint: to look at it: stsh --store \(copy) --read-only; to go on from it: copy it to another name, \
            and open that

            """, status: 1))
    #expect(Files.names(in: writer.folder) == names)
    let reader = try Shell(over: { try Session(Second.application, options: $0, console: $1) })
    reader.session.options.journal = JournalPlan(path: copy, opening: .readOnly())
    #expect(reader.outcome { reader.session.openJournal() }.status == 0)
    #expect(reader.run("show --as json").output == Self.migrated)
    // Under another name it is taken up as the file was.
    try writer.write("b.db", try Files.read(copy))
    let other = "\(writer.folder)/b.db"
    let (shell, opened) = try open(other) { try Session(Second.application, options: $0, console: $1) }
    #expect(
      opened == .init(errors: "note: its state has a new type now; a copy of the file as it was is \(other).before-9\n")
    )
    #expect(shell.run("show --as json").output == Self.migrated)
  }

  @Test func anUndoGoesBackToWhereTheNewTypeBegins() throws {
    #expect(writer.run("undo --quiet").errors == "")
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let (shell, _) = try open(file) { try Session(Second.application, options: $0, console: $1) }
    #expect(shell.run("dispatch shelf.paint blue --quiet").errors == "")
    #expect(
      shell.run("undo").output
        == "#12 shell.restore to=10  (takes back #11 shelf.paint)\n  shelf.color  \"blue\" -> \"red\"\n")
    #expect(shell.run("redo", "undo --to 10", "show shelf.color --as raw").output.hasSuffix("\nred\n"))
  }

  @Test func aFileThatIsOnlyReadStaysAsItIs() throws {
    let path = try writer.killedCopy(of: file, as: "killed.db")
    let shell = try Shell(over: { try Session(Second.application, options: $0, console: $1) })
    shell.session.options.journal = JournalPlan(path: path, opening: .readOnly())
    #expect(shell.outcome { shell.session.openJournal() }.status == 0)
    #expect(shell.run("show --as json").output == Self.migrated)
    #expect(shell.run("goto 3").errors.contains("goes back to #9"))
    #expect(!Files.exists("\(path).before-9"))
  }

  @Test func aFileThatIsOnlyReadAndRefusedIsLeftAlone() throws {
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let names = Files.names(in: writer.folder)
    let shell = try Shell(over: { try Session(Third.application, options: $0, console: $1) })
    shell.session.options.journal = JournalPlan(path: file, opening: .readOnly())
    #expect(shell.outcome { shell.session.openJournal() }.errors.hasPrefix("error[store-schema]: "))
    #expect(Files.names(in: writer.folder) == names)
  }

  @Test func codeThatIsGoneIsGoneBackTo() throws {
    let shell = try Shell { $0.isQuiet = true }
    func code(_ step: Int) -> String {
      """
      return plugin {
        state = { field('n', int()) }, actions = { { name = 'go' } },
        reducers = { go = function(s) s.n = s.n + \(step) end },
      }
      """
    }
    let store = "\(shell.folder)/plugins.db"
    let folder = try shell.plugin("bag", code(1))
    #expect(shell.openStore(store) == .init())
    #expect(shell.run("plugin load \(folder)", "dispatch bag.go", "dispatch bag.go") == .init())
    _ = try shell.plugin("bag", code(10))
    #expect(shell.run("plugin reload bag", "dispatch bag.go", "show bag.n").output == "12\n")
    #expect(shell.outcome { shell.session.endJournal() } == .init())

    let next = try Shell { $0.isQuiet = true }
    #expect(next.openStore(store) == .init())
    #expect(next.run("goto 3", "show counter.value", "goto head").output.contains("\n0\n"))
    #expect(
      next.run("export journal \(next.folder)/run.jsonl")
        == .init(output: "wrote 5 actions to \(next.folder)/run.jsonl\n"))
    let replay = try Shell().run("replay \(next.folder)/run.jsonl --verify")
    #expect(replay == .init(output: "replayed 5 actions, every state matches\n"))
    #expect(next.run("skip #2", "show bag.n", "goto head").output.contains("\n11\n"))
    #expect(next.run("skip #3", "show bag.n", "goto head").output.contains("\n11\n"))
    #expect(next.run("undo", "show bag.n").output == "2\n")
    #expect(next.run("undo --to 3", "dispatch bag.go --quiet", "show bag.n").output == "3\n")
    #expect(next.run("undo --to 4", "dispatch bag.go --quiet", "show bag.n").output == "12\n")
  }
}
