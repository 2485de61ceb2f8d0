import Platform
import StoreCore

extension WorkerThread.Refusal {
  package var reason: String {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit)
    let most = limit.rlim_cur > 1 << 32 ? "" : "; this user may have \(limit.rlim_cur) (ulimit -u)"
    return "the system starts no more threads\(most): \(String(cString: strerror(code)))"
  }
}
