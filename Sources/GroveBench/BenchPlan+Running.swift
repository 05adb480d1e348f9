import Dispatch
import Glibc
import GroveClient
import GroveNetwork

extension BenchPlan {
    /// Loads the server until all requests are answered or abandoned.
    ///
    /// - Throws: ``BenchStartError``; then nothing was sent.
    package func run(_ control: BenchControl) async throws(BenchStartError) -> BenchReport {
        let endpoints: [SocketAddress]
        do throws(HostLookup.Failure) {
            endpoints = try address.endpoints()
        } catch {
            throw .unreachable(error.description)
        }
        if let recordPath, AckRecorder(path: recordPath) == nil {
            throw .recordFile(String(cString: strerror(errno)))
        }
        let start = ContinuousClock.now
        let tally = await runThreads(endpoints, control)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return BenchReport(plan: self, tally: tally, seconds: seconds)
    }

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
