// What Swift's language leaves out: a strong reference to an object that may be about to go, without the side table of a weak one.

/// Counts one more strong reference to a Swift object whose memory is still there. Returns null, and counts nothing, where the object
/// is being deinitialised.
void *_Nullable swift_tryRetain(void *_Nonnull object);
