import StorePlugins
import StoreSchema

/// The sequences of a state: numbers that give out ids, and so never fall while others may have seen one.
extension HostState {
  package var sequences: [Sequence] {
    app.schema.sequences().map { Sequence(slice: nil, $0) }
      + (plugins + substates).flatMap { slice in
        slice.schema.sequences(from: Path([.field(slice.name)])).map { Sequence(slice: slice.name, $0) }
      }
  }

  /// A sequence of the application, or of a plugin's or a substate's slice. A class, as each action looks at all of them.
  package final class Sequence: Sendable {
    fileprivate let slice: String?
    fileprivate let place: SequencePlace
    /// The usual position of the slice among those of plugins.
    fileprivate let usual: Int

    package init(slice: String?, at usual: Int = 0, _ place: SequencePlace) {
      (self.slice, self.usual, self.place) = (slice, usual, place)
    }

    package var path: Path { place.path }

    /// True if a look at it tells that it went on, or stayed as it was, from one value that holds it to another.
    func isAhead(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> Bool { place.isAhead(from: old, to: new) }
  }

  /// The sequences of a store. An object, of which no look at all of them is counted.
  final class Sequences: Sendable {
    let all: [Sequence]

    init(_ all: [Sequence]) { self.all = all }
  }

  /// A sequence at this moment; nil: it is not there.
  fileprivate func mark(of sequence: Sequence) -> SequencePlace.Mark? {
    guard sequence.slice != nil else { return app.read { sequence.place.mark(in: $0, of: app.schema) } }
    guard let slice = slice(of: sequence) else { return nil }
    return withUnsafePointer(to: slice.value) { sequence.place.mark(in: UnsafeRawPointer($0), of: slice.schema) }
  }

  /// The id of the last element that got one of a sequence.
  fileprivate func lastID(of sequence: Sequence) -> Int? {
    guard sequence.slice != nil else { return app.read { sequence.place.lastID(in: $0, of: app.schema) } }
    guard let slice = slice(of: sequence) else { return nil }
    return withUnsafePointer(to: slice.value) { sequence.place.lastID(in: UnsafeRawPointer($0), of: slice.schema) }
  }

  private func slice(of sequence: Sequence) -> PluginSlice? {
    if sequence.usual < plugins.count, plugins[sequence.usual].name == sequence.slice { return plugins[sequence.usual] }
    return plugins.first { $0.name == sequence.slice } ?? substates.first { $0.name == sequence.slice }
  }

  /// The value at a path; nil: there is none.
  package func value(at path: Path) -> Value? {
    guard case .field(let module)? = path.steps.first else { return nil }
    var value: Value?
    _ = readSlice(module) { schema, slice in
      value = try? schema.read(path.steps.dropFirst(), in: slice, from: Path([path.steps[0]])).value
    }
    return value
  }

  package mutating func setSequence(at path: Path, to value: Value) {
    guard let present = self.value(at: path), present != value else { return }
    try? apply([Change(path, .replace(from: present, to: value))])
  }

  /// Raises sequences to where they stand in another state.
  ///
  /// - Parameter isMeant: false for a sequence that stays.
  package mutating func raiseSequences(to other: HostState, where isMeant: (Path) -> Bool = { _ in true }) {
    for path in sequences.map(\.path) where isMeant(path) {
      guard case .int(let least)? = other.value(at: path), case .int(let number)? = value(at: path), number < least
      else { continue }
      setSequence(at: path, to: .int(least))
    }
  }
}

extension HostState {
  /// Has the sequences of modules that come go on from where they, or those of the module that now are gone, have stood, and takes
  /// note of those that go.
  ///
  /// - Parameter areRaised: whether those that are there before and after stay as high as they were.
  package mutating func keepSequences(of before: HostState, alsoWhereBothHave areRaised: Bool) {
    let (old, new) = (before.sequenceNumbers, sequenceNumbers)
    let left = old.filter { new[$0.key] == nil }
    let known = before.shell.goneSequences
    for (path, number) in new {
      guard old[path] == nil || areRaised else { continue }
      let module = "\(Path([path.steps[0]]))."
      let ofModule = left.filter { $0.key.steps[0] == path.steps[0] }.values.max() ?? number
      let earlier = known["\(path)"] ?? known.filter { $0.key.hasPrefix(module) }.values.max() ?? number
      let least = old[path] ?? max(ofModule, earlier)
      if number < least { setSequence(at: path, to: .int(least)) }
    }
    var gone = known
    for path in new.keys { gone["\(path)"] = nil }
    for (path, number) in left { gone["\(path)"] = max(gone["\(path)"] ?? number, number) }
    if gone != shell.goneSequences { shell.goneSequences = gone }
  }

  /// Where each sequence stands.
  private var sequenceNumbers: [Path: Int] {
    var numbers: [Path: Int] = [:]
    for path in sequences.map(\.path) { if case .int(let number)? = value(at: path) { numbers[path] = number } }
    return numbers
  }
}

extension PluginSlice {
  /// The slice with its sequences where they stand in another one of the same plugin, as far as those are higher.
  package func raisingSequences(to other: PluginSlice?) -> PluginSlice {
    var slice = self
    let module = Path([.field(name)])
    for place in schema.sequences(from: module) {
      let steps = place.path.steps.dropFirst()
      func number(in slice: PluginSlice) -> Int? {
        let value = withUnsafePointer(to: slice.value) {
          try? slice.schema.read(steps, in: UnsafeRawPointer($0), from: module).value
        }
        if case .int(let number)? = value { return number }
        return nil
      }
      guard let least = other.flatMap(number), let own = number(in: slice), own < least else { continue }
      try? slice.apply([Change(place.path, .replace(from: .int(own), to: .int(least)))], .forward)
    }
    return slice
  }
}

extension HostState {
  /// Refuses an action that has a sequence fall or give a number twice.
  package static func check(_ sequences: [Sequence], from before: HostState, to after: HostState) throws {
    func hasSameSlices() -> Bool { before.hasSlices(of: after) && before.hasSwitches(of: after) }
    // By position: a copy of a sequence would count references to all that is in it.
    for index in sequences.indices {
      let isAhead = Unmanaged.passUnretained(sequences[index])._withUnsafeGuaranteedRef {
        guard let slice = $0.slice else { return before.app.isAhead($0, after.app) }
        return hasSameSlices() || after.isAhead($0.path, ofSlice: slice, at: $0.usual, since: before)
      }
      if isAhead { continue }
      let sequence = sequences[index]
      if sequence.slice != nil, let old = before.slice(of: sequence),
        after.slice(of: sequence)?.value.hasSameMemory(as: old.value) == true
      {
        continue
      }
      guard let mark = before.mark(of: sequence), let now = after.mark(of: sequence), now.number <= mark.number else {
        continue
      }
      guard now.number == mark.number else {
        throw SequenceError(
          message: "\(sequence.path) would fall from \(mark.number) to \(now.number), and it gives out ids")
      }
      guard now.count > mark.count, after.lastID(of: sequence) == now.number else { continue }
      throw SequenceError(message: "\(sequence.path) stays at \(now.number), which an element got as its id")
    }
  }

  /// The sequences that each action is checked against: the application's, then those of plugins.
  package static func sequences(_ own: [Sequence], of plugins: [Plugin]) -> [Sequence] {
    own
      + plugins.enumerated().flatMap { index, plugin in
        let (name, schema) = (plugin.module.name, plugin.module.schema)
        return schema?.sequences(from: Path([.field(name)])).map { Sequence(slice: name, at: index, $0) } ?? []
      }
  }
}
