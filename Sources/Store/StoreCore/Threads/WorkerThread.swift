#if canImport(Musl)
import Musl

private typealias ThreadID = pthread_t?
private var noThread: ThreadID { nil }
#else
import Glibc

private typealias ThreadID = pthread_t
private var noThread: ThreadID { 0 }
#endif

/// A thread of the system's for work that waits in a system call, which would hold up a thread that others need.
package struct WorkerThread: @unchecked Sendable {
  // Safe: the number of the thread is only read, by `join`.
  private let id: ThreadID

  /// The system has no thread to give.
  package struct Refusal: Error {
    /// The reason, as `pthread_create` gives it.
    package let code: Int32
  }

  /// Starts the work.
  ///
  /// - Throws: ``Refusal``; then the work is not done.
  package init(_ work: @escaping @Sendable () -> Void) throws(Refusal) {
    let work = Unmanaged.passRetained(Work(run: work))
    var id = noThread
    let code = pthread_create(
      &id, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw Refusal(code: code)
    }
    self.id = id
  }

  /// Waits until the work is done. Of this and ``detach()`` one is called, once, for what the system keeps of the thread
  /// until then.
  package func join() { pthread_join(id, nil) }

  /// Leaves the thread to itself.
  package func detach() { pthread_detach(id) }

  /// Carries the work through the system's untyped pointer.
  private final class Work {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
