import Dispatch
import Synchronization

/// Runs tasks as jobs of a store's queue, between two actions, on whatever thread owns the store. So asynchronous effects
/// touch what the store's thread touches without locks, and a dispatch returns once everything that can run has run.
@usableFromInline
final class StoreExecutor: TaskExecutor {
  private let take: @Sendable (Job) -> Bool
  /// True if the next job is run where it comes from.
  private let runsNext: Atomic<Bool>
  /// The queue on which the tasks of stores that are gone come to their end, one at a time.
  private static let afterlife = DispatchQueue(label: "StoreCore.StoreExecutor")

  /// - Parameter take: enqueues a job, or says that the store is gone.
  @usableFromInline
  init(take: @escaping @Sendable (Job) -> Bool) {
    self.take = take
    runsNext = Atomic(false)
  }

  private init(startingAtOnce take: @escaping @Sendable (Job) -> Bool) {
    self.take = take
    runsNext = Atomic(true)
  }

  /// An executor for one task, whose first part runs on the thread that makes it: the store's.
  func startingAtOnce() -> StoreExecutor { StoreExecutor(startingAtOnce: take) }

  @usableFromInline
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if runsNext.exchange(false, ordering: .relaxed) { return job.runSynchronously(on: asUnownedTaskExecutor()) }
    run(Job { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) })
  }

  /// Runs a job of the store's queue; where the store is gone, on a thread that looks after what it left.
  func run(_ work: Job) {
    if !take(work) { StoreExecutor.afterlife.async { work.run() } }
  }
}
