import Dispatch
import GroveClient
import GroveNetwork
import GroveTLS

/// The load of a benchmark; the same for all of its threads.
package struct BenchPlan: Sendable {
    package var address: ServerAddress
    /// What a server at `tls:HOST:PORT` has to prove, and what it is shown.
    package var tls = TLSOptions()
    /// Who the connections are, for a server that asks.
    package var token: ClientToken?
    package var connections = 1
    /// Requests that each connection keeps under way; at most this many with a ``rate``.
    package var pipeline = 1
    /// Requests per second of all connections, whether or not replies come; `nil` when each reply
    /// makes room for the next request.
    package var rate: Int?
    package var threads = 1
    package var machine = "counter"
    package var instancePrefix = ""
    package var instances = 1
    package var event: [UInt8]
    package var usesDedup = false
    /// Events to send in total; `nil` for no bound.
    package var eventsMax: Int?
    /// The time to send for.
    package var duration = Duration.seconds(10)
    /// The longest wait for the last replies, and for a connection.
    package var timeout = Duration.seconds(10)
    package var reconnects = false
    package var recordPath: String?
    /// Part of every dedup key, so that two runs don't repeat each other's events.
    let run = String(UInt64.random(in: .min ... .max), radix: 36)

    package init(address: ServerAddress, event: [UInt8]) {
        self.address = address
        self.event = event
    }

    /// The share of the part with this index when `parts` share `count`.
    static func share(of count: Int, index: Int, parts: Int) -> Int {
        count / parts + (index < count % parts ? 1 : 0)
    }

    // MARK: Running

    /// Loads the server until all requests are answered or abandoned.
    ///
    /// - Throws: ``ClientError/unavailable(_:)`` when the address can't be resolved,
    ///   ``ClientError/tokenNeedsTLS(_:)`` when the token would be sent in plaintext,
    ///   ``ClientError/tlsFailed(_:)`` when a file of ``tls`` can't be used.
    package func run(_ control: BenchControl) async throws(ClientError) -> BenchReport {
        let endpoints: [SocketAddress]
        do throws(HostLookup.Failure) {
            endpoints = try address.endpoints()
        } catch {
            throw .unavailable(error.description)
        }
        if token != nil { try address.requireTokenAllowed(at: endpoints) }
        let context: TLSContext?
        do throws(TLSProblem) {
            context = try address.isSecure ? tls.makeContext() : nil
        } catch {
            throw .tlsFailed(error)
        }
        let start = ContinuousClock.now
        let tally = await runThreads(endpoints, context, control)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return BenchReport(plan: self, tally: tally, seconds: seconds)
    }

    /// Whether the record file, if there is one, can be opened; otherwise `errno` has the reason.
    package var canRecord: Bool { recordPath.map { AckRecorder(path: $0) != nil } ?? true }

    /// Runs all threads and adds up their tallies.
    private func runThreads(
        _ endpoints: [SocketAddress], _ context: TLSContext?, _ control: BenchControl
    ) async -> BenchTally {
        await withTaskGroup(of: BenchTally.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let queue = DispatchQueue(label: "grove.bench.\(thread)")
                        queue.async {
                            let loop = BenchLoop(
                                self, thread: thread, endpoints: endpoints, tls: context,
                                control: control)
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
