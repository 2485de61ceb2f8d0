import OpenCombine

/// The library's protocol, in a file that does not see the type of that name in StoreCore.
typealias CombineSubscription = Subscription
