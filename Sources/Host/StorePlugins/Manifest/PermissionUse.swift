/// The use of one permission of a loaded plugin.
public struct PermissionUse: Hashable, Sendable {
  /// The permission as the manifest asks for it.
  public let permission: Permission
  /// The number of uses since the plugin was loaded, by its earlier versions too.
  public let count: Int
  /// True if the plugin's definition needs it, used or not: without it the plugin is not loaded.
  public let isRequired: Bool
  /// The part of it that would have been enough: nothing, itself, or single actions in place of all of a module.
  public let needed: [Permission]
}
