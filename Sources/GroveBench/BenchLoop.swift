import Glibc
import GroveClient
import GroveNetwork
import GroveTLS
import Synchronization

/// One thread of a benchmark: a loop over its share of the connections.
final class BenchLoop {
    private let plan: BenchPlan
    private let endpoints: [SocketAddress]
    private let tls: TLSContext?
    private let control: BenchControl
    private let readiness: Readiness
    private let connections: UnsafeMutableBufferPointer<BenchConnection>
    private var recorder: AckRecorder?
    private var tally = BenchTally()
    private var reported = (acknowledged: 0, refused: 0)
    private var isStopping = false

    /// A loop for the connections of one thread. The record file must be usable.
    ///
    /// - Parameter tls: What checks the server's certificate; `nil` for a server without TLS.
    init(
        _ plan: BenchPlan, thread: Int, endpoints: [SocketAddress], tls: TLSContext?,
        control: BenchControl
    ) {
        self.plan = plan
        self.endpoints = endpoints
        self.tls = tls
        self.control = control
        recorder = plan.recordPath.flatMap { AckRecorder(path: $0) }
        let indices = Array(stride(from: thread, to: plan.connections, by: plan.threads))
        readiness = Readiness(count: indices.count)
        connections = .allocate(capacity: indices.count)
        _ = connections.initialize(from: indices.map { BenchConnection(plan, index: $0) })
    }

    deinit {
        for connection in connections { connection.deallocate() }
        connections.deallocate()
    }

    func run() -> BenchTally {
        let start = BenchLoop.now()
        let end = start + UInt64(plan.duration.nanoseconds)
        var deadline = UInt64.max
        var nextReport = start
        while connections.contains(where: { $0.phase != .finished }) {
            let now = BenchLoop.now()
            if !isStopping, now >= end || control.isStopping.load(ordering: .relaxed) {
                stopSending(min(now, end))
                deadline = now + UInt64(plan.timeout.nanoseconds)
            }
            if now >= deadline { break }
            if now >= nextReport {
                recorder?.flush()
                nextReport = now + 100_000_000
                connectClosed(now)
            }
            step(until: end)
            report()
        }
        recorder?.flush()
        for index in connections.indices {
            tally.unknown += connections[index].reset(repeating: false)
        }
        tally.flushLatency()
        return tally
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Sends what is due and has room, and nothing after it.
    private func stopSending(_ now: UInt64) {
        if plan.rate != nil { sendDue(now) }
        isStopping = true
        for index in connections.indices {
            tally.unsent += connections[index].stopSending(now: now)
            finishIfDone(index)
        }
    }

    /// Waits for replies, room, or what is due, and handles them.
    private func step(until end: UInt64) {
        var left = readiness.wait(nanoseconds: nanosecondsToWait(until: end))
        for index in connections.indices where left > 0 {
            guard let event = readiness.event(at: index) else { continue }
            left -= 1
            switch connections[index].phase {
            case .connecting: if event.isWritable { connected(index) }
            case .securing: secure(index)
            case .open:
                if event.isReadable, let reason = read(index) {
                    broke(index, reason)
                } else {
                    pump(index)
                }
            case .closed, .finished: break
            }
        }
        if plan.rate != nil { sendDue(BenchLoop.now()) }
    }

    /// The time until a request is due, at most that after which the loop looks at the clock.
    private func nanosecondsToWait(until end: UInt64) -> UInt64 {
        let longest: UInt64 = 50_000_000
        guard plan.rate != nil, !isStopping else { return longest }
        var due = end
        for index in connections.indices { due = min(due, connections[index].nextDue ?? .max) }
        let now = BenchLoop.now()
        return due <= now ? 0 : min(longest, due - now)
    }

    private func sendDue(_ now: UInt64) {
        for index in connections.indices {
            if let due = connections[index].nextDue, due <= now { pump(index) }
        }
    }

    private func read(_ index: Int) -> String? {
        connections[index].read(&tally, &recorder, clock: BenchLoop.now)
    }

    /// Fills free slots with new requests and writes as much as the socket accepts.
    private func pump(_ index: Int) {
        connections[index].fill(now: BenchLoop.now(), &tally)
        if let reason = connections[index].flush() { return broke(index, reason) }
        watch(index)
        finishIfDone(index)
    }

    /// Waits for bytes, and for room if that is needed.
    private func watch(_ index: Int) {
        let wantsWritable = connections[index].needsRoom
        guard wantsWritable != connections[index].wantsWritable else { return }
        connections[index].wantsWritable = wantsWritable
        readiness.watch(connections[index].channel?.fd ?? -1, at: index, writable: wantsWritable)
    }

    private func finishIfDone(_ index: Int) {
        guard connections[index].isExhausted else { return }
        connections[index].phase = .finished
        readiness.watch(-1, at: index, writable: false)
        _ = connections[index].reset(repeating: false)
    }

    private func report() {
        let refused = tally.errorCount
        control.acknowledged.add(tally.acknowledged - reported.acknowledged, ordering: .relaxed)
        control.refused.add(refused - reported.refused, ordering: .relaxed)
        reported = (tally.acknowledged, refused)
    }

    // MARK: Connecting

    private func connectClosed(_ now: UInt64) {
        for index in connections.indices {
            guard case .closed(let retryAt) = connections[index].phase, now >= retryAt
            else { continue }
            let address = endpoints[connections[index].failures % endpoints.count]
            do throws(SocketError) {
                let socket = try Socket.connecting(to: address)
                connections[index].channel = BenchChannel(socket, tls: beginTLS())
                connections[index].phase = .connecting
                connections[index].wantsWritable = true
                readiness.watch(socket.fd, at: index, writable: true)
            } catch {
                broke(index, error.reason)
            }
        }
    }

    /// The beginning of a handshake with the server; `nil` for a server without TLS.
    private func beginTLS() -> TLSConnection? {
        guard let tls, case .tls(let host, _) = plan.address else { return nil }
        do throws(TLSContextError) {
            return try TLSConnection(client: tls, serverName: host)
        } catch {
            preconditionFailure("a name that was looked up can be a server's: \(error)")
        }
    }

    private func connected(_ index: Int) {
        if let reason = connections[index].channel?.connectFailure { return broke(index, reason) }
        connections[index].phase = .securing
        secure(index)
    }

    /// Continues the handshake, if there is one; sends requests after it.
    private func secure(_ index: Int) {
        if connections[index].channel?.isHandshaking == true {
            if let reason = connections[index].flush() ?? read(index) {
                return broke(index, reason)
            }
            watch(index)
            guard let channel = connections[index].channel, !channel.isHandshaking else { return }
            guard plan.tls.accepts(channel.serverCertificate) else {
                return broke(index, .wrongKey(at: plan.address))
            }
        }
        connections[index].phase = .open
        connections[index].begin(now: BenchLoop.now())
        pump(index)
    }

    /// Handles a connection that isn't secure, and wouldn't be the next time either.
    private func broke(_ index: Int, _ problem: TLSProblem) {
        tally.tlsProblem = tally.tlsProblem ?? problem
        close(index, problem.description, mayRetry: false)
    }

    /// Handles a connection that broke or can't be opened. When nothing was acknowledged yet, TLS
    /// that has failed says what the two sides don't agree on.
    private func broke(_ index: Int, _ reason: String) {
        if tally.acknowledged == 0, let failure = connections[index].channel?.failure,
            let problem = TLSProblem(failure, at: plan.address, plan.tls)
        {
            return broke(index, problem)
        }
        close(index, reason, mayRetry: true)
    }

    /// Closes a connection that broke or can't be opened. It is opened again if the plan says so,
    /// and at the start once per address of the server.
    private func close(_ index: Int, _ reason: String, mayRetry: Bool) {
        let wasOpen = connections[index].phase == .open
        connections[index].failures += 1
        let hasMoreAddresses = !wasOpen && connections[index].failures < endpoints.count
        let isRetrying = mayRetry && (plan.reconnects && !isStopping || hasMoreAddresses)
        let repeating = isRetrying && plan.usesDedup
        readiness.watch(-1, at: index, writable: false)
        tally.unknown += connections[index].reset(repeating: repeating)
        guard isRetrying else {
            connections[index].phase = .finished
            tally.breaks.append(reason)
            control.notice("connection \(connections[index].index): \(reason)")
            return
        }
        if wasOpen {
            tally.reconnects += 1
            control.notice("connection \(connections[index].index): \(reason); trying again")
        }
        connections[index].phase = .closed(
            retryAt: hasMoreAddresses ? 0 : BenchLoop.now() + 200_000_000)
    }
}
