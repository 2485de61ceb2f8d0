/// A long-lived effect that has come to its end by itself while its unit goes on stating it (R33).
package struct EndedEffect: Hashable, Sendable {
  /// The unit and, in a collection, the element.
  package let place: String
  /// The effect's id and its type, as text.
  package let id: String

  /// Names an effect.
  package init(place: String, id: String) { (self.place, self.id) = (place, id) }

  /// The effect of a unit that has an id.
  package init(unit: String, id: some Hashable & Sendable) { self.init(place: unit, id: EffectToken(id).textWithType) }
}

/// The long-lived effects that have ended and are still stated, so that a store which is opened again leaves them ended.
@usableFromInline
final class EndedEffects: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  /// The effects that had ended when the store was left, and that no unit has stated since.
  var left: Set<EndedEffect> = []
  /// Told of an effect that has ended, and of one that may start again.
  var tell: (EndedEffect, _ hasEnded: Bool) -> Void = { _, _ in }

  @usableFromInline
  init() {}
}

extension Store {
  /// Has long-lived effects that had ended when the store was left stay ended, until a unit no longer states them.
  package func leaveEnded(_ effects: Set<EndedEffect>) { visit { effectRuntime.ended.left = effects } }

  /// True if an effect is one of those, and its unit has not stated it yet.
  package func isLeftEnded(_ effect: EndedEffect) -> Bool {
    visit { !effectRuntime.ended.left.isEmpty && effectRuntime.ended.left.contains(effect) }
  }

  /// Lets go of those that no unit states by now: they may start again.
  package func forgetLeftEnded() {
    visit {
      let ended = effectRuntime.ended
      for effect in ended.left { ended.tell(effect, false) }
      ended.left = []
    }
  }

  /// Hears of long-lived effects that have ended while they are stated, once what they emitted was processed, and of those
  /// that may start again.
  package func setEndListener(_ tell: @escaping (EndedEffect, _ hasEnded: Bool) -> Void) {
    visit { effectRuntime.ended.tell = tell }
  }
}

extension UnitEffects {
  /// Tells that a long-lived effect has ended, or may start again.
  func tell(_ key: EffectKey, hasEnded: Bool) { runtime.ended.tell(ended(key), hasEnded) }

  /// True if a long-lived effect had ended when the store was left; true once.
  func takeLeftEnded(_ key: EffectKey) -> Bool {
    guard !runtime.ended.left.isEmpty else { return false }
    return runtime.ended.left.remove(ended(key)) != nil
  }

  private func ended(_ key: EffectKey) -> EndedEffect {
    EndedEffect(place: place(key.path), id: key.token.textWithType)
  }
}
