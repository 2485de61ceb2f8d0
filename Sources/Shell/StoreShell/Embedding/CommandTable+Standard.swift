extension CommandTable {
  /// The commands of the shell, in the order in which help lists them.
  static let standard = CommandTable(all)

  /// Their grammar, where nobody can tell whether Lua is finished.
  static let standardGrammar = standard.grammar { _ in false }

  private static let all: [CommandDefinition] = [
    .dispatch, .show, .watch, .pin, .describe, .diff, .log, .why, .who, .goto, .undo, .redo, .skip, .unskip, .bisect,
    .plot,
    .middleware, .plugin, .ingest, .expression, .lua, .let, .assert, .export, .importState, .replay, .thunk, .wait,
    .effects, .source, .run, .shellLine, .try, .retry, .step, .checks, .time, .project, .use, .bind, .substate, .alias,
    .history, .echo, .set,
    .trace, .help,
    .quit,
  ]
}
