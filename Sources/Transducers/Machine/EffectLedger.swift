/// Tracks which effects of a machine run, wait, or are obsolete: a pure value without tasks and
/// without a clock. Each function returns commands, in the order in which to carry them out.
///
/// `Payload` is the caller's data about an effect, which commands return.
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

    /// The reason why a run doesn't start.
    package enum Drop: Equatable {
        /// It was canceled while it waited.
        case cancelled
        /// Another run of its id or queue prevents it, and it may not wait.
        case discarded
        /// Too many wait.
        case overloaded(capacity: Int)
    }

    package enum Command {
        /// Start the run, after a time from now.
        case start(Run, after: Duration)
        /// Cancel the run; it isn't current any more.
        case stop(Run)
        /// Discard the run, which never started.
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
    /// The number of queues at which idle ones are removed.
    private var idleCheckCount = 16

    package init() {}

    /// A ledger of live runs, in the order of their numbers.
    ///
    /// - Parameter lastNumber: The number of the last run that ever began.
    package init(restoring runs: [Run], lastNumber: Int64) {
        lastID = UInt64(lastNumber)
        for run in runs {
            insert(run)
            guard let key = run.queue else { continue }
            queues[key, default: Queue(key: key)].key = key
            if run.isWaiting { wait(run, in: key) } else { queues[key]?.running.append(run.id) }
        }
    }

    /// The number of the last run that began.
    package var lastNumber: Int64 { Int64(lastID) }

    /// Reserves a number for a row without work, such as a sequence.
    package mutating func reserveNumber() -> Int64 {
        lastID += 1
        return lastNumber
    }

    /// Whether results of this run count.
    package func isCurrent(_ id: EffectRunID) -> Bool { runs[id] != nil }

    /// The number of live runs, including those that wait.
    package var count: Int { runs.count }

    /// The number of queues, including idle ones.
    package var queueCount: Int { queues.count }

    package func run(_ id: EffectRunID) -> Run? { runs[id] }

    // MARK: Requests

    /// Adds an effect. In a queue, the queue decides whether it starts; otherwise `policy` does, if
    /// the effect has an id.
    ///
    /// - Parameters:
    ///   - now: Time since any fixed moment; only differences count.
    ///   - delay: Draws the spacing of a queue.
    package mutating func start(
        key: EffectKey, policy: EffectPolicy, queue: QueueKey?, rank: Int, payload: Payload,
        now: Duration, drawing delay: (EffectQueueDelay) -> Duration
    ) -> [Command] {
        lastID += 1
        var commands: [Command] = []
        let run = Run(
            id: EffectRunID(lastID), key: key, queue: queue, rank: rank, payload: payload)
        if let queue {
            enter(queue, run, now: now, drawing: delay, into: &commands)
        } else {
            enterNamed(run, policy: policy, into: &commands)
        }
        return commands
    }

    /// Removes a run that has ended by itself. Ignores unknown and stale runs.
    package mutating func ended(
        _ id: EffectRunID, now: Duration, drawing delay: (EffectQueueDelay) -> Duration
    ) -> [Command] {
        var commands: [Command] = []
        guard let run = remove(id), let queue = run.queue else { return commands }
        fill(queue, now: now, drawing: delay, into: &commands)
        return commands
    }

    /// Cancels the runs for which `predicate` holds, in order of start. Looks at all live runs.
    package mutating func cancel(
        now: Duration, drawing delay: (EffectQueueDelay) -> Duration,
        where predicate: (Run) -> Bool
    ) -> [Command] {
        cancel(runs.values.filter(predicate).map(\.id), now: now, drawing: delay)
    }

    /// Cancels these runs, in order of start; those that wait never start. Then starts the runs
    /// that wait for their slots. Ignores runs that aren't live.
    package mutating func cancel(
        _ canceled: [EffectRunID], now: Duration, drawing delay: (EffectQueueDelay) -> Duration
    ) -> [Command] {
        var commands: [Command] = []
        var gone: Set<EffectRunID> = []
        var keys: Set<EffectKey> = []
        var freed: [QueueKey] = []
        var freedSet: Set<QueueKey> = []
        for id in canceled.sorted() {
            guard let run = runs.removeValue(forKey: id) else { continue }
            gone.insert(id)
            commands.append(run.isWaiting ? .drop(run, .cancelled) : .stop(run))
            if run.key.base != nil { keys.insert(run.key) }
            if let queue = run.queue, freedSet.insert(queue).inserted { freed.append(queue) }
        }
        // Each list once for all of its runs.
        for key in keys {
            named[key]?.removeAll { gone.contains($0) }
            if named[key]?.isEmpty == true { named[key] = nil }
        }
        for queue in freed {
            queues[queue]?.running.removeAll { gone.contains($0) }
            queues[queue]?.waiting.removeAll { gone.contains($0) }
        }
        for queue in freed { fill(queue, now: now, drawing: delay, into: &commands) }
        return commands
    }

    /// Changes a queue's policy. More room starts waiting runs; less room stops no running one.
    package mutating func update(
        _ queue: QueueKey, now: Duration, drawing delay: (EffectQueueDelay) -> Duration
    ) -> [Command] {
        var commands: [Command] = []
        guard queues[queue] != nil else { return commands }
        queues[queue]?.key = queue
        fill(queue, now: now, drawing: delay, into: &commands)
        return commands
    }

    /// Gives a live run another key. Ignores runs that aren't live.
    package mutating func rename(_ id: EffectRunID, to key: EffectKey) {
        guard let run = runs[id] else { return }
        if run.key.base != nil {
            named[run.key]?.removeAll { $0 == id }
            if named[run.key]?.isEmpty == true { named[run.key] = nil }
        }
        insert(
            Run(
                id: id, key: key, queue: run.queue, rank: run.rank, payload: run.payload,
                isWaiting: run.isWaiting))
        if key.base != nil { named[key]?.sort() }
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
        if run.key.base != nil, let place = named.index(forKey: run.key) {
            if named.values[place] == [id] {
                named.remove(at: place)
            } else {
                named.values[place].removeAll { $0 == id }
            }
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
        removeIdleQueues(now: now, but: key)
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
        let index = waiting.firstIndex { (runs[$0]?.rank ?? 0) < run.rank } ?? waiting.endIndex
        queues[key]?.waiting.insert(run.id, at: index)
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

    /// Removes queues that are empty and whose spacing has passed.
    private mutating func removeIdleQueues(now: Duration, but kept: QueueKey) {
        guard queues.count >= idleCheckCount else { return }
        queues = queues.filter { key, queue in
            key == kept || !queue.running.isEmpty || !queue.waiting.isEmpty
                || queue.nextStart > now
        }
        idleCheckCount = max(16, 2 * queues.count)
    }
}
