import ShellLanguage
import StoreSchema

/// A line that fails with a code, its message, and what to do then.
struct ErrorExample: Sendable {
  let line: String
  let message: String
  /// The line to write instead; nil: the remedy is more than a line.
  let instead: String?
  /// What to do, in a sentence or two.
  let remedy: String?

  private init(_ line: String, _ message: String, instead: String) {
    (self.line, self.message, self.instead, remedy) = (line, message, instead, nil)
  }

  init(_ line: String, _ message: String, remedy: String) {
    (self.line, self.message, instead, self.remedy) = (line, message, nil, remedy)
  }

  /// The example of each error.
  static let all = alone.merging(elsewhere) { alone, _ in alone }

  /// The error and what to do, as they look in a program.
  ///
  /// - Parameters:
  ///   - isHosted: true if the line is one of the program's own store; else only the remedy means something there.
  ///   - width: the width of the terminal; nil: there is none.
  func text(_ code: ErrorCode, program: String, isHosted: Bool, width: Int?) -> String {
    func given(_ line: String) -> String {
      line.hasPrefix("stsh") ? "$ \(program)\(line.dropFirst(4))" : "\(program)> \(line)"
    }
    let example = isHosted ? "example\n  \(given(line))\n  error[\(code)]: \(message)\n" : ""
    if let instead { return isHosted ? "\(example)instead\n  \(given(instead))\n" : "" }
    let remedy = WrappedText.hanging(remedy ?? "", indentation: 2, width: width)
    return "\(example)remedy\n  \(remedy)\n"
  }

  /// The examples of the errors that a session alone can raise.
  static let alone: [ErrorCode: ErrorExample] = [
    .assertFailed: ErrorExample(
      "assert state.counter.value == 3", "state.counter.value == 3 does not hold",
      instead: "assert state.counter.value == 0"),
    .luaError: ErrorExample(
      "= state.counter.value + nil", "attempt to perform arithmetic on a nil value",
      instead: "= state.counter.value + 1"),
    .missingArgument: ErrorExample(
      "dispatch tasks.add", "tasks.add needs 'title' (String)", instead: "dispatch tasks.add title=milk"),
    .noSuchFile: ErrorExample(
      "source /none.stsh", "/none.stsh: No such file or directory", instead: "source /dev/null"),
    .nothingToUndo: ErrorExample("undo", "there is nothing to undo", instead: "log"),
    .outOfRange: ErrorExample("set runaway 0", "runaway is a number above 0, got '0'", instead: "set runaway 1000"),
    .programFailed: ErrorExample("run false", "false ended with status 1", instead: "run true"),
    .syntax: ErrorExample("echo \"milk", "this \" is never closed", instead: "echo \"milk\""),
    .timedOut: ErrorExample(
      "wait until state.counter.value == 1 --timeout 10ms", "state.counter.value == 1 was still false after 10ms",
      instead: "wait until state.counter.value == 0 --timeout 10s"),
    .typeMismatch: ErrorExample(
      "dispatch counter.increment by=two", "'by' must be Int, got string \"two\"",
      instead: "dispatch counter.increment by=2"),
    .unexpectedArgument: ErrorExample(
      "dispatch counter.increment by=1 to=2", "counter.increment has no argument 'to'",
      instead: "dispatch counter.increment by=1"),
    .unknownAction: ErrorExample(
      "dispatch counter.incremnt", "unknown action 'counter.incremnt'", instead: "dispatch counter.increment"),
    .unknownCommand: ErrorExample(
      "dispath counter.increment", "there is no command 'dispath'", instead: "dispatch counter.increment"),
    .unknownEffect: ErrorExample("effects cancel none", "there is no effect 'none'", instead: "effects"),
    .unknownFlag: ErrorExample("show counter --jsn", "show has no flag --jsn", instead: "show counter --json"),
    .unknownFormat: ErrorExample(
      "show counter --as yaml", "there is no format 'yaml'", instead: "show counter --as json"),
    .unknownMiddleware: ErrorExample("middleware off none", "there is no middleware 'none'", instead: "middleware"),
    .unknownModule: ErrorExample("describe taks", "there is no module 'taks'", instead: "describe tasks"),
    .unknownPath: ErrorExample(
      "show tasks.item", "'tasks' has no field or projection 'item'", instead: "show tasks.items"),
    .unknownPlugin: ErrorExample("plugin unload none", "no plugin 'none' is loaded", instead: "plugin list"),
    .unknownSetting: ErrorExample("set colour on", "there is no setting 'colour'", instead: "set"),
    .unknownSubstate: ErrorExample("substate reset cart", "no substate cart", instead: "substate"),
    .unknownThunk: ErrorExample("thunk none", "there is no thunk 'none'", instead: "thunk"),
    .unknownTopic: ErrorExample("help nothing", "there is no help on 'nothing'", instead: "help"),
    .unknownVariable: ErrorExample("show $none", "there is no variable $none", instead: "let none = 1"),
    .unknownWatch: ErrorExample("watch stop 7", "there is no watch '7'", instead: "watch"),
  ]
}

extension ErrorExample {
  /// The examples of the errors that take more than a line: a file, a plugin, a door, or somebody else.
  static let elsewhere: [ErrorCode: ErrorExample] = [
    .atomicKept: ErrorExample(
      "atomic cancel", "others have acted since, and #4 tasks.complete id=1 by bob@pts/3 would fail without it",
      remedy: "undo --any takes back the last action of anyone, and undo #N one action alone."),
    .badInterceptor: ErrorExample(
      "dispatch shop.pay", "interceptor 'audit' calls next out of turn; call it once, before its function returns",
      remedy: "In the program's interceptor call next once, before it returns; dispatch from IO or an effect."),
    .badRecord: ErrorExample(
      "ingest data.jsonl --as shop.add", "data.jsonl:7: not JSON",
      remedy:
        "Correct the line, or go on past such lines: ingest data.jsonl --as shop.add --keep-going --rejects bad.jsonl"),
    .badRecording: ErrorExample(
      "replay old.jsonl", "old.jsonl:3: unknown action 'shop.ad'",
      remedy: "Load the plugins that the recording was made with, or correct the line that the message names."),
    .badRequest: ErrorExample(
      "{\"rum\":\"show shop\"}", "a request has one of run, complete and others, got none",
      remedy: "Send one JSON object a line, as the protocol of the door says: {\"run\":\"show shop\"}"),
    .badState: ErrorExample(
      "import state.json", "state.json:1:9: a value was expected",
      remedy: "Give a file that export made: export state state.json. A recording is run again with replay FILE."),
    .closed: ErrorExample(
      "dispatch shop.pay", "the store was closed by the program that owns it",
      remedy: "Start the program again; with --store FILE it takes up the state that was saved."),
    .commandLine: ErrorExample(
      "stsh --stroe shop.db", "unknown option '--stroe'. Did you mean '--store'?",
      remedy: "stsh --help lists the options, and man stsh explains them."),
    .connectionLost: ErrorExample(
      "dispatch shop.pay", "the connection to /run/user/1000/stsh/shop was lost",
      remedy: "stsh --attach lists the programs that are there; attach again, and look at log before you repeat it."),
    .doorInUse: ErrorExample(
      "stsh serve --listen shop", "another process listens at /run/user/1000/stsh/shop",
      remedy: "Speak to it, stsh --attach shop, or name another place."),
    .duplicateUnit: ErrorExample(
      "stsh", "two units are named 'logger'; names must be unique in a store",
      remedy: "Give one of the two middlewares another name, in the program or in the plugin."),
    .failed: ErrorExample(
      "source big.stsh", "big.stsh: Input/output error",
      remedy:
        "The message is the system's or the application's own: see to the disk, the terminal or the limit that it names, or to what the reducer says, then try again."
    ),
    .import: ErrorExample(
      "import state.json", "state.json does not fit this store: shop.count: expected Int, found string \"3\"",
      remedy: "Correct that place of the file, or load the plugins that it was exported with."),
    .internal: ErrorExample(
      "stsh", "stsh is at fault (SIGSEGV)",
      remedy: "Report it with the line that you gave and what stsh --version says. stsh --recover takes up the session."
    ),
    .interrupted: ErrorExample(
      "wait 1h", "stopped by Ctrl-C", remedy: "Run it again; undo takes back what a longer command did before."),
    .lineTooLong: ErrorExample(
      "lua data = \"…\"", "a statement may have at most 8388608 bytes",
      remedy: "Put big data into a file and read it with ingest; run a long script with source."),
    .luaSyntax: ErrorExample(
      "= $n + 1", "unexpected symbol near '$' (in Lua a variable has no $: write n for $n, and arg[1] for $1)",
      remedy: "Correct the Lua where the mark is: = n + 1"),
    .nameTaken: ErrorExample(
      "let show = 1", "'show' is a command", remedy: "Choose another name: let shown = 1"),
    .neverHeld: ErrorExample(
      "bisect state.shop.count == 5", "state.shop.count == 5 does not hold after #3000",
      remedy: "Ask for something that came true: = EXPR says what holds now, plot EXPR shows how it went."),
    .noDoor: ErrorExample(
      "stsh --attach shop", "no process listens at /run/user/1000/stsh/shop: No such file or directory",
      remedy: "See which doors are there with stsh --attach, or open one: stsh serve --listen shop"),
    .notAllowed: ErrorExample(
      "show shop | less", "programs may not be run here (--no-exec)",
      remedy: "Start the session without that flag, or the door with the right: --allow dispatch:shop.*"),
    .notAtHead: ErrorExample(
      "dispatch shop.pay", "the store shows #3 of 9; dispatching from the past would fork history",
      remedy: "Return to the present with goto head; undo --to 3 takes the store itself back."),
    .notFresh: ErrorExample(
      "replay old.jsonl", "replay replaces the history, and this session has actions of its own",
      remedy: "Start from it, stsh --replay old.jsonl, or compare only: replay old.jsonl --verify"),
    .notKept: ErrorExample(
      "goto 3", "#9 is the oldest state that is kept",
      remedy: "Go to a point that is kept. set journal.limit keeps more from now on, --store FILE all."),
    .notSkipped: ErrorExample(
      "unskip 3", "#3 is not skipped", remedy: "Name an action that skip left out; goto head brings all of them back."),
    .nothingToRecover: ErrorExample(
      "stsh --recover", "there is no session at the prompt that ended unexpectedly",
      remedy: "Open a store of your own again with --store FILE."),
    .nothingToRedo: ErrorExample(
      "redo", "there is nothing to redo",
      remedy: "Redo brings back what undo took back, until something else is dispatched: log shows what happened."),
    .pluginApi: ErrorExample(
      "plugin load cart", "cart needs plugin API 3; this shell supports 1",
      remedy: "Install a shell that serves it, or a version of the plugin whose plugin.json says \"api\": 1."),
    .pluginBudget: ErrorExample(
      "dispatch cart.sort", "cart: reducer 'cart.sort' used more than 200_000 VM instructions",
      remedy: "Do less in one action, or ask for more: \"limits\": {\"instructions\": 1000000} in plugin.json"),
    .pluginCheck: ErrorExample(
      "plugin check cart", "cart: 2 faults", remedy: "Correct each place that the lines above it name, and check again."
    ),
    .pluginGrant: ErrorExample(
      "plugin load cart", "cart asks for timers; not granted",
      remedy: "If you trust the plugin: plugin grant cart, stsh --grant cart for one run, or answer yes at the prompt."),
    .pluginImpure: ErrorExample(
      "dispatch cart.add", "cart: reducer 'cart.add' changed a captured local; reducers may only change their draft",
      remedy: "Keep the value in the plugin's state: field(\"total\", int()), then s.total = s.total + 1"),
    .pluginLoad: ErrorExample(
      "plugin load cart", "cart: init.lua:12: 'end' expected near <eof>",
      remedy: "Correct the file at that line; plugin check cart finds such faults without loading it."),
    .pluginMemory: ErrorExample(
      "dispatch cart.fill", "cart: reducer 'cart.fill' needed more than 4 MiB",
      remedy: "Make smaller values, or ask for more: \"limits\": {\"memory\": \"16MiB\"} in plugin.json"),
    .pluginOff: ErrorExample(
      "dispatch cart.add", "cart is off; cart.add was not processed",
      remedy: "Let it run again with plugin enable cart; plugin list shows why it is off."),
    .pluginRuntime: ErrorExample(
      "dispatch cart.add", "cart: reducer 'cart.add': attempt to index a nil value (field 'item')",
      remedy: "Correct the function at the line that stands below the message, then plugin reload cart."),
    .pluginSchema: ErrorExample(
      "plugin load cart", "cart: reducer 'cart.add' left invalid state: total: expected Int, found number 1.5",
      remedy: "Make the value fit its declaration, or change the declaration: number() in place of int()."),
    .pluginTask: ErrorExample(
      "dispatch cart.sync", "cart: task 'cart/sync/1' failed: attempt to call a nil value",
      remedy: "Correct the function, plugin reload cart, and dispatch the action that starts the task again."),
    .pluginTest: ErrorExample(
      "plugin test cart", "cart: 1 of 2 tests failed",
      remedy: "Above it stands what each test expected and found: mend the plugin or the test."),
    .queueFull: ErrorExample(
      "dispatch shop.pay",
      "the queue is full: 1000 actions wait already; dispatch again once the store has caught up",
      remedy: "Nothing is lost but this one: dispatch it again later. retry 5 every 1s dispatch shop.pay does that."),
    .refused: ErrorExample(
      "dispatch cart.pay", "cart: not without a delivery address",
      remedy: "Do what the reason asks for, then dispatch it again. describe cart shows the plugin's rules."),
    .replayDiverged: ErrorExample(
      "plugin reload cart --verify 9", "cart: state after #5 cart.add differs from that of the previous version",
      remedy:
        "Look at that action with why 5, and mend the new version; plugin reload cart without --verify takes it as it is."
    ),
    .runaway: ErrorExample(
      "dispatch shop.ping", "more than 1000 actions caused by one dispatch",
      remedy: "Find the circle in the chain of causes that the error lists, or allow more: set runaway 5000"),
    .cutOff: ErrorExample(
      "dispatch tasks.add milk", "this node is cut off from the log: no connection to nats://127.0.0.1:4222",
      remedy: "Nothing was done. Reading goes on; repeat the line when the prompt no longer says (cut off)."),
    .noSharedStore: ErrorExample(
      "stsh --store nats://127.0.0.1:4222/shop", "no NATS server answers at nats://127.0.0.1:4222: No server available",
      remedy: "Start it: nats-server -js. Other messages say what the server refused, or how the stream differs."),
    .nodeStopped: ErrorExample(
      "dispatch tasks.add milk",
      "this node is read-only since #7 changes tasks.items otherwise here than at its origin",
      remedy: "Compare the versions of the program and of its plugins with the other nodes', and start again."),
    .outcomeUnknown: ErrorExample(
      "dispatch tasks.add milk", "the log did not answer, so that this may have happened or may happen yet",
      remedy: "Look for the action with log once the node is connected again; the exit status is 6."),
    .sharedSlice: ErrorExample(
      "stsh",
      "the slice of reducer 'cart' in 'Shop' lies behind a class reference, so that copies of the state share it",
      remedy: "Make that part of the program's state a struct, so that a failed action can be taken back."),
    .storeDamaged: ErrorExample(
      "stsh --store a.db", "a.db is damaged after #5: its beginning is damaged",
      remedy: "Read its undamaged part, stsh --store a.db --read-only, export it, and start from a copy."),
    .storeFailed: ErrorExample(
      "dispatch shop.pay", "cannot write a.db after #812: No space left on device",
      remedy: "Make room and start again with --store a.db: everything up to that number is in it."),
    .storeInUse: ErrorExample(
      "stsh --store a.db", "a.db is in use by another session (process 4711)",
      remedy: "End that session, or look at the file meanwhile: stsh --store a.db --read-only"),
    .storeSchema: ErrorExample(
      "stsh --store a.db", "a.db: its state does not fit the type declared now",
      remedy: "Give new fields a default, and the plugin a migrate(); the version that wrote the file still opens it."),
    .storeUnreadable: ErrorExample(
      "stsh --store notes.txt", "notes.txt is not a journal",
      remedy: "Name the file of a store, or one that is not there yet; a later version's needs that version."),
    .sequence: ErrorExample(
      "dispatch shop.clear", "shop.nextId would fall from 8 to 1, and it gives out ids",
      remedy: "Have the reducer leave the number where it stands: others may know an id that it would give out again."),
    .undoConflict: ErrorExample(
      "undo", "others have acted since, and #2 tasks.complete id=1 by bob@pts/2 would fail without it",
      remedy: "undo --any takes back the last action, whoever dispatched it; log shows who did what."),
    .unreadableFile: ErrorExample(
      "ingest data.gz --as shop.add", "data.gz is compressed by gzip",
      remedy: "Unpack it first: gzip -dc data.gz | stsh -c 'ingest - --as shop.add'"),
    .writeFailed: ErrorExample(
      "show shop > /full/shop.txt", "/full/shop.txt: No space left on device",
      remedy: "Make room, or name a file where you may write."),
  ]
}
