import StoreCore
import StoreSchema

/// The module `volume`: how loud it is.
@Schema
struct Volume: Hashable, Sendable {
  /// From 0 to 10.
  var level = 5
  /// Whether nothing is heard, however loud it is.
  var isMuted = false
}

/// The actions on the volume.
@Schema
enum VolumeAction: Hashable, Sendable {
  /// Makes it louder, and heard.
  case up(by: Int = 1)
  /// Makes it quieter.
  case down(by: Int = 1)
  /// Mutes it, or lets it be heard again.
  case toggleMute
}

extension Volume {
  /// The volume's reducers, in the order in which they run. The last one looks after the rules that must always
  /// hold.
  static let reducer = Reducer<VolumeAction, Volume>.compose(steps, mute, bounds)

  private static let steps = Reducer<VolumeAction, Volume>.throwing("steps") { action, volume, _ in
    switch action {
    case .up(let steps): try volume.level +!= min(max(steps, 0), 10)
    case .down(let steps): try volume.level -!= min(max(steps, 0), 10)
    case .toggleMute: break
    }
  }

  private static let mute = Reducer<VolumeAction, Volume>("mute") { action, volume in
    switch action {
    case .up: volume.isMuted = false
    case .down: break
    case .toggleMute: volume.isMuted.toggle()
    }
  }

  private static let bounds = Reducer<VolumeAction, Volume>("bounds") { _, volume in
    volume.level = min(max(volume.level, 0), 10)
  }
}
