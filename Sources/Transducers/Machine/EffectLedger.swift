/// Tracks which effects of a machine run, wait, or are obsolete: a pure value without tasks and
/// without a clock. Each function returns commands, in the order in which to carry them out.
///
/// It isn't generic over what callers know of an effect: they keep that by the run's number. A
/// generic type of another target isn't specialized for the engine.
package struct EffectLedger {
    /// One run of an effect.
    package struct Run {
        package let id: EffectRunID
        package let key: EffectKey
        let queue: QueueKey?
        /// Waiting runs of a higher rank start first.
        let rank: Int
        package var isWaiting = false

        /// A run, for a ledger that is read from rows.
        package init(
            id: EffectRunID, key: EffectKey, queue: QueueKey?, rank: Int,
            isWaiting: Bool = false
        ) {
            self.id = id
            self.key = key
            self.queue = queue
            self.rank = rank
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
        /// The last start, and those that are to come, in order.
        private var starts: [Start] = []

        init(key: QueueKey) { self.key = key }

        private struct Start {
            let run: EffectRunID
            let time: Duration
            /// No later start before this time.
            let next: Duration
        }

        /// No start before this time.
        var nextStart: Duration { starts.last?.next ?? .zero }

        /// Reserves the next moment at which the spacing allows a start.
        mutating func reserveStart(
            of run: EffectRunID, now: Duration, spacing: Duration
        ) -> Duration {
            let time = max(now, nextStart)
            if let last = starts.lastIndex(where: { $0.time <= now }) {
                starts.removeSubrange(..<last)
            }
            starts.append(Start(run: run, time: time, next: time + spacing))
            return time
        }

        /// Removes runs. A start that is still to come won't be one, so it makes no other wait.
        mutating func remove(_ gone: Set<EffectRunID>, now: Duration) {
            running.removeAll { gone.contains($0) }
            waiting.removeAll { gone.contains($0) }
            starts.removeAll { $0.time > now && gone.contains($0.run) }
        }
    }

    private var runs: [EffectRunID: Run] = [:]
    /// The live runs of each id, in order; `nil` while few runs live: those are looked through.
    private var named: [EffectKey: [EffectRunID]]?
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

    /// The run that begins next.
    var next: EffectRunID { EffectRunID(lastID + 1) }

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

    /// Adds an effect that no queue and no other effect affects, and which affects none: it starts
    /// at once. Most effects are like that, and need no commands.
    ///
    /// - Returns: Whether it was added; if not, ``start(key:policy:queue:rank:now:drawing:)`` has
    ///   to.
    package mutating func startAlone(key: EffectKey, policy: EffectPolicy, rank: Int) -> Bool {
        guard key.base == nil || policy == .coexist || !isLive(key) else { return false }
        lastID += 1
        insert(Run(id: EffectRunID(lastID), key: key, queue: nil, rank: rank))
        return true
    }

    /// Removes a run that has ended by itself and was in no queue: no other one starts then.
    ///
    /// - Returns: Whether it was in no queue, or isn't known.
    package mutating func endAlone(_ id: EffectRunID) -> Bool {
        guard let run = runs[id] else { return true }
        guard run.queue == nil else { return false }
        runs[id] = nil
        forgetName(of: run)
        return true
    }

    /// Adds an effect. In a queue, the queue decides whether it starts; otherwise `policy` does, if
    /// the effect has an id.
    ///
    /// - Parameters:
    ///   - now: Time since any fixed moment; only differences count.
    ///   - delay: Draws the spacing of a queue.
    package mutating func start(
        key: EffectKey, policy: EffectPolicy, queue: QueueKey?, rank: Int, now: Duration,
        drawing delay: (EffectQueueDelay) -> Duration
    ) -> [Command] {
        lastID += 1
        var commands: [Command] = []
        let run = Run(id: EffectRunID(lastID), key: key, queue: queue, rank: rank)
        if let queue {
            enter(queue, run, now: now, drawing: delay, into: &commands)
        } else {
            enterNamed(run, policy: policy, now: now, drawing: delay, into: &commands)
        }
        return commands
    }

    /// Removes a run that has ended by itself. Ignores unknown and stale runs.
    package mutating func ended(
        _ id: EffectRunID, now: Duration, drawing delay: (EffectQueueDelay) -> Duration
    ) -> [Command] {
        var commands: [Command] = []
        guard let run = remove(id, now: now), let queue = run.queue else { return commands }
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
        if named != nil {
            for key in keys {
                named?[key]?.removeAll { gone.contains($0) }
                if named?[key]?.isEmpty == true { named?[key] = nil }
            }
        }
        for queue in freed {
            queues[queue]?.remove(gone, now: now)
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
        forgetName(of: run)
        insert(
            Run(
                id: id, key: key, queue: run.queue, rank: run.rank, isWaiting: run.isWaiting))
        if key.base != nil { named?[key]?.sort() }
    }

    // MARK: By id

    private mutating func enterNamed(
        _ run: Run, policy: EffectPolicy, now: Duration,
        drawing delay: (EffectQueueDelay) -> Duration, into commands: inout [Command]
    ) {
        if run.key.base != nil, policy != .coexist, isLive(run.key) {
            if policy == .keepOldest {
                commands.append(.drop(run, .discarded))
                return
            }
            commands = cancel(live(run.key), now: now, drawing: delay)
        }
        insert(run)
        commands.append(.start(run, after: .zero))
    }

    /// Whether a run with this id is live.
    package func isLive(_ key: EffectKey) -> Bool {
        if let named { return named[key] != nil }
        return runs.values.contains { $0.key == key }
    }

    /// The live runs with this id, in order.
    private func live(_ key: EffectKey) -> [EffectRunID] {
        if let named { return named[key] ?? [] }
        return runs.values.filter { $0.key == key }.map(\.id).sorted()
    }

    private mutating func insert(_ run: Run) {
        runs[run.id] = run
        if named != nil {
            if run.key.base != nil { named?[run.key, default: []].append(run.id) }
        } else if runs.count > Self.unindexedMax {
            var all: [EffectKey: [EffectRunID]] = [:]
            for run in runs.values.sorted(by: { $0.id < $1.id }) where run.key.base != nil {
                all[run.key, default: []].append(run.id)
            }
            named = all
        }
    }

    private mutating func remove(_ id: EffectRunID, now: Duration) -> Run? {
        guard let run = runs.removeValue(forKey: id) else { return nil }
        forgetName(of: run)
        if let queue = run.queue { queues[queue]?.remove([id], now: now) }
        return run
    }

    private mutating func forgetName(of run: Run) {
        guard named != nil, run.key.base != nil, let place = named?.index(forKey: run.key) else {
            return
        }
        if named?.values[place] == [run.id] {
            named?.remove(at: place)
        } else {
            named?.values[place].removeAll { $0 == run.id }
        }
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
            // Its policy may make room, which those get first that have waited.
            fill(key, now: now, drawing: delay, into: &commands)
            let running = queues[key]?.running ?? []
            for id in running.prefix(max(0, running.count - max(maxCount, 1) + 1)) {
                if let old = remove(id, now: now) { commands.append(.stop(old)) }
            }
            insert(run)
            begin(run, in: key, now: now, drawing: delay, into: &commands)
        case .runOldest(_, .discardNew):
            // Its policy may make room, which those get first that have waited.
            fill(key, now: now, drawing: delay, into: &commands)
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
        case .runNewest(let maxCount): queue.running.count < max(maxCount, 1)
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
        let start = queue.reserveStart(
            of: run.id, now: now, spacing: delay(queue.key.queue.effectQueueDelay))
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
