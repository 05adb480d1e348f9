import Dispatch
import Glibc
import GroveClient
import GroveNetwork

extension BenchPlan {
    /// Loads the server until all requests are answered or abandoned.
    ///
    /// - Throws: ``ClientError/unavailable(_:)`` when the address can't be resolved.
    package func run(_ control: BenchControl) async throws(ClientError) -> BenchReport {
        let endpoints: [SocketAddress]
        do throws(HostLookup.Failure) {
            endpoints = try address.endpoints()
        } catch {
            throw .unavailable(error.description)
        }
        let start = ContinuousClock.now
        let tally = await runThreads(endpoints, control)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return BenchReport(plan: self, tally: tally, seconds: seconds)
    }

    /// Whether the record file, if there is one, can be opened; otherwise `errno` has the reason.
    package var canRecord: Bool { recordPath.map { AckRecorder(path: $0) != nil } ?? true }

    /// Runs all threads and adds up their tallies.
    private func runThreads(
        _ endpoints: [SocketAddress], _ control: BenchControl
    ) async -> BenchTally {
        await withTaskGroup(of: BenchTally.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let queue = DispatchQueue(label: "grove.bench.\(thread)")
                        queue.async {
                            let loop = BenchLoop(
                                self, thread: thread, endpoints: endpoints, control: control)
                            continuation.resume(returning: loop.run())
                        }
                    }
                }
            }
            var sum = BenchTally()
            for await tally in group { sum.add(tally) }
            return sum
        }
    }
}
