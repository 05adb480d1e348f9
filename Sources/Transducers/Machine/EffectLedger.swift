/// Which effects of a machine live, which wait, and which have had their day: pure bookkeeping,
/// without tasks and without a clock. It takes requests and answers with what is to be done.
///
/// `Payload` is whatever the host needs to run an effect; the ledger hands it back.
package struct EffectLedger<Payload> {
    /// One run of an effect.
    package struct Run {
        package let id: EffectRunID
        package let key: EffectKey
        let queue: QueueKey?
        /// Waiting runs of a higher rank start first.
        let rank: Int
        package let payload: Payload
        package var isWaiting = false

        /// A run, for a ledger that is read from rows.
        package init(
            id: EffectRunID, key: EffectKey, queue: QueueKey?, rank: Int, payload: Payload,
            isWaiting: Bool = false
        ) {
            self.id = id
            self.key = key
            self.queue = queue
            self.rank = rank
            self.payload = payload
            self.isWaiting = isWaiting
        }
    }

    /// Why a run that was asked for runs no code.
    package enum Drop: Equatable {
        /// Cancelled while it waited.
        case cancelled
        /// Another one of its id or queue is in the way, and it isn't to wait.
        case discarded
        /// Too many wait.
        case overloaded(capacity: Int)
    }

    /// What is to be done, in order.
    package enum Command {
        /// Run it, after a time from now.
        case start(Run, after: Duration)
        /// Cancel it; it isn't current any more.
        case stop(Run)
        /// Forget it; it has run no code.
        case drop(Run, Drop)
    }

    private struct Queue {
        var key: QueueKey
        var running: [EffectRunID] = []
        /// In the order in which they shall start.
        var waiting: [EffectRunID] = []
        /// No start before this time.
        var nextStart: Duration = .zero
    }

    private var runs: [EffectRunID: Run] = [:]
    private var named: [EffectKey: [EffectRunID]] = [:]
    private var queues: [QueueKey: Queue] = [:]
    private var lastID: UInt64 = 0
    /// How many queues there have to be before idle ones are looked for.
    private var sweepAt = 16

    package init() {}

    /// A ledger of runs that live already, in the order in which they were asked for.
    ///
    /// - Parameter lastNumber: The number of the last run that was ever asked for.
    package init(restoring runs: [Run], lastNumber: Int64) {
        lastID = UInt64(lastNumber)
        for run in runs {
            insert(run)
            guard let key = run.queue else { continue }
            queues[key, default: Queue(key: key)].key = key
            if run.isWaiting { wait(run, in: key) } else { queues[key]?.running.append(run.id) }
        }
    }

    /// The number of the last run that was asked for.
    package var lastNumber: Int64 { Int64(lastID) }

    /// Reserves a number for a row without work, such as a sequence.
    package mutating func takeNumber() -> Int64 {
        lastID += 1
        return lastNumber
    }

    /// Whether results of this run count.
    package func isCurrent(_ id: EffectRunID) -> Bool { runs[id] != nil }

    /// How many runs live, those that wait included.
    package var count: Int { runs.count }

    /// How many queues are remembered.
    package var queueCount: Int { queues.count }

    /// A run that lives.
    package func run(_ id: EffectRunID) -> Run? { runs[id] }

    // MARK: Requests

    /// Takes an effect. In a queue, the queue decides; else `policy` does, if the effect has an
    /// id.
    ///
    /// - Parameters:
    ///   - now: Time since any fixed moment; only differences count.
    ///   - delay: Draws the spacing of a queue.
    package mutating func start(
        key: EffectKey, policy: EffectPolicy, queue: QueueKey?, rank: Int, payload: Payload,
        now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        into commands: inout [Command]
    ) {
        lastID += 1
        let run = Run(
            id: EffectRunID(lastID), key: key, queue: queue, rank: rank, payload: payload)
        if let queue {
            enter(queue, run, now: now, drawing: delay, into: &commands)
        } else {
            enterNamed(run, policy: policy, into: &commands)
        }
    }

    /// A run has ended by itself. Unknown and stale runs are ignored.
    package mutating func ended(
        _ id: EffectRunID, now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        into commands: inout [Command]
    ) {
        guard let run = remove(id), let queue = run.queue else { return }
        fill(queue, now: now, drawing: delay, into: &commands)
    }

    /// Cancels what is meant, in order of start. Looks at everything that lives.
    package mutating func cancel(
        now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        into commands: inout [Command], where isMeant: (Run) -> Bool
    ) {
        let meant = runs.values.filter(isMeant).map(\.id)
        cancel(meant, now: now, drawing: delay, into: &commands)
    }

    /// Cancels these runs, in order of start; those that wait run no code. Slots that become free
    /// are filled with what is left. Runs that don't live any more are passed over.
    package mutating func cancel(
        _ meant: [EffectRunID], now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        into commands: inout [Command]
    ) {
        var gone: Set<EffectRunID> = []
        var keys: Set<EffectKey> = []
        var freed: [QueueKey] = []
        var freedSet: Set<QueueKey> = []
        for id in meant.sorted() {
            guard let run = runs.removeValue(forKey: id) else { continue }
            gone.insert(id)
            commands.append(run.isWaiting ? .drop(run, .cancelled) : .stop(run))
            if run.key.base != nil { keys.insert(run.key) }
            if let queue = run.queue, freedSet.insert(queue).inserted { freed.append(queue) }
        }
        // Each list once, however many of it go.
        for key in keys {
            named[key]?.removeAll { gone.contains($0) }
            if named[key]?.isEmpty == true { named[key] = nil }
        }
        for queue in freed {
            queues[queue]?.running.removeAll { gone.contains($0) }
            queues[queue]?.waiting.removeAll { gone.contains($0) }
        }
        for queue in freed { fill(queue, now: now, drawing: delay, into: &commands) }
    }

    /// Takes a queue's new policy. More room starts waiting ones; less lets running ones be.
    package mutating func update(
        _ queue: QueueKey, now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        into commands: inout [Command]
    ) {
        guard queues[queue] != nil else { return }
        queues[queue]?.key = queue
        fill(queue, now: now, drawing: delay, into: &commands)
    }

    // MARK: By id

    private mutating func enterNamed(
        _ run: Run, policy: EffectPolicy, into commands: inout [Command]
    ) {
        if run.key.base != nil, policy != .coexist, let live = named[run.key], !live.isEmpty {
            if policy == .keepOldest {
                commands.append(.drop(run, .discarded))
                return
            }
            for id in live {
                if let old = remove(id) {
                    commands.append(old.isWaiting ? .drop(old, .cancelled) : .stop(old))
                }
            }
        }
        insert(run)
        commands.append(.start(run, after: .zero))
    }

    private mutating func insert(_ run: Run) {
        runs[run.id] = run
        if run.key.base != nil { named[run.key, default: []].append(run.id) }
    }

    private mutating func remove(_ id: EffectRunID) -> Run? {
        guard let run = runs.removeValue(forKey: id) else { return nil }
        if run.key.base != nil {
            named[run.key]?.removeAll { $0 == id }
            if named[run.key]?.isEmpty == true { named[run.key] = nil }
        }
        if let queue = run.queue {
            queues[queue]?.running.removeAll { $0 == id }
            queues[queue]?.waiting.removeAll { $0 == id }
        }
        return run
    }

    // MARK: Queues

    private mutating func enter(
        _ key: QueueKey, _ run: Run, now: Duration,
        drawing delay: (EffectQueueDelay) -> Duration, into commands: inout [Command]
    ) {
        forgetIdleQueues(now: now, but: key)
        var run = run
        queues[key, default: Queue(key: key)].key = key
        switch key.queue.effectQueuePolicy {
        case .runNewest(let maxCount):
            let running = queues[key]?.running ?? []
            for id in running.prefix(max(0, running.count - max(maxCount, 1) + 1)) {
                if let old = remove(id) { commands.append(.stop(old)) }
            }
            insert(run)
            begin(run, in: key, now: now, drawing: delay, into: &commands)
        case .runOldest(_, .discardNew):
            guard hasRoom(key) else {
                commands.append(.drop(run, .discarded))
                return
            }
            insert(run)
            begin(run, in: key, now: now, drawing: delay, into: &commands)
        case .runOldest(_, .suspendNew):
            guard (queues[key]?.waiting.count ?? 0) < Self.waitingMax else {
                commands.append(.drop(run, .overloaded(capacity: Self.waitingMax)))
                return
            }
            run.isWaiting = true
            insert(run)
            wait(run, in: key)
            fill(key, now: now, drawing: delay, into: &commands)
        }
    }

    private mutating func wait(_ run: Run, in key: QueueKey) {
        let waiting = queues[key]?.waiting ?? []
        let place = waiting.firstIndex { (runs[$0]?.rank ?? 0) < run.rank } ?? waiting.endIndex
        queues[key]?.waiting.insert(run.id, at: place)
    }

    private func hasRoom(_ key: QueueKey) -> Bool {
        guard let queue = queues[key] else { return false }
        return switch queue.key.queue.effectQueuePolicy {
        case .runNewest: true
        case .runOldest(let maxCount, _): queue.running.count < maxCount
        }
    }

    private mutating func fill(
        _ key: QueueKey, now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        into commands: inout [Command]
    ) {
        while hasRoom(key), let id = queues[key]?.waiting.first {
            queues[key]?.waiting.removeFirst()
            runs[id]?.isWaiting = false
            guard let run = runs[id] else { continue }
            begin(run, in: key, now: now, drawing: delay, into: &commands)
        }
    }

    /// Starts a run now, or when the spacing of the queue allows.
    private mutating func begin(
        _ run: Run, in key: QueueKey, now: Duration,
        drawing delay: (EffectQueueDelay) -> Duration, into commands: inout [Command]
    ) {
        guard var queue = queues[key] else { return }
        let start = max(now, queue.nextStart)
        queue.nextStart = start + delay(queue.key.queue.effectQueueDelay)
        queue.running.append(run.id)
        queues[key] = queue
        commands.append(.start(run, after: start - now))
    }

    /// A queue is forgotten when nothing is in it and its spacing is over.
    private mutating func forgetIdleQueues(now: Duration, but kept: QueueKey) {
        guard queues.count >= sweepAt else { return }
        queues = queues.filter { key, queue in
            key == kept || !queue.running.isEmpty || !queue.waiting.isEmpty
                || queue.nextStart > now
        }
        sweepAt = max(16, 2 * queues.count)
    }
}
