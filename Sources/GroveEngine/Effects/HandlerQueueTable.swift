import OrderedJSON

/// The attempts under way, and the queues in which more effects wait for handlers.
///
/// A handler has a queue of its name. A handler with shares also has a queue per share, and a share
/// can't have more attempts than its maximum. So a share that hangs doesn't block the others.
/// Bounded by the handlers' concurrency and by ``Limits/handlerSharesMax``.
struct HandlerQueueTable {
    private struct Handler {
        let traits: HandlerTraits
        var underWay = 0
        /// Whether queues that have room wait until the handler has room.
        var isCrowded = false
        var hasRoom: Bool { underWay < traits.concurrencyMax }
    }

    /// The queue of a handler, or of one of its shares.
    private struct Queue {
        let handler: String
        let max: Int
        var underWay = 0
        /// Whether the store may have effects in it that don't run.
        var hasBacklog = false
        /// The last effect that the search in the store has seen.
        var cursor: EffectRef?
        var wantsMore: Bool { hasBacklog && underWay < max }
        /// Whether another effect waits behind those in it.
        var isBusy: Bool { hasBacklog || underWay >= max }
    }

    private var handlers: [String: Handler] = [:]
    private var queues: [String: Queue] = [:]
    /// Whether a handler may be marked as crowded.
    private var isAnyCrowded = false
    /// The attempts under way: their queues and numbers.
    private var dispatched: [EffectRef: (queue: String, attempt: Int)] = [:]
    /// Whether the store may have effects in queues of shares that aren't known here yet.
    private(set) var needsListing = false

    init() {}

    /// Queues of handlers. All may have a backlog in the store at the start.
    init(_ handlers: [String: HandlerTraits]) {
        self.handlers = handlers.mapValues { Handler(traits: $0) }
        for (name, traits) in handlers {
            queues[name] = Queue(handler: name, max: traits.concurrencyMax, hasBacklog: true)
        }
        needsListing = !handlers.isEmpty
    }

    var underWay: Int { dispatched.count }

    func isKnown(_ handler: String) -> Bool { handlers[handler] != nil }

    /// The number of an effect's attempt under way.
    func attempt(of ref: EffectRef) -> Int? { dispatched[ref]?.attempt }

    // MARK: Shares

    /// The queue for an effect of a handler.
    func name(for handler: String, _ argument: JSONValue) -> String {
        guard let traits = handlers[handler]?.traits, let share = traits.share?(argument),
            share.utf8.count <= Limits.handlerShareBytesMax, !share.utf8.contains(Self.divider)
        else { return handler }
        let name = "\(handler)\n\(share)"
        let hasRoom = queues.count < handlers.count + Limits.handlerSharesMax
        return hasRoom || queues[name] != nil ? name : handler
    }

    /// Between the name of a handler and that of a share.
    private static let divider = UInt8(ascii: "\n")

    /// Adds a backlog to each queue that has effects in the store.
    mutating func addBacklogs(_ stored: [String]) {
        needsListing = false
        for name in stored { addBacklog(name) }
    }

    /// The queue of this name, new if there is none; `nil` without a handler.
    private func queue(_ name: String) -> Queue? {
        if let queue = queues[name] { return queue }
        guard let end = name.utf8.firstIndex(of: Self.divider) else { return nil }
        let handler = String(name[..<end])
        // Also for a handler that no longer has shares: the effects that wait in them still run.
        guard let traits = handlers[handler]?.traits else { return nil }
        return Queue(handler: handler, max: traits.perShareMax)
    }

    /// Stores a queue, unless it is a share's and idle.
    private mutating func keep(_ queue: Queue, _ name: String) {
        let isIdle = queue.underWay == 0 && !queue.hasBacklog && name != queue.handler
        queues[name] = isIdle ? nil : queue
    }

    // MARK: Attempts

    /// Starts an attempt if its queue has room and no effect waits longer in it. Otherwise the
    /// effect joins the backlog.
    mutating func admit(_ ref: EffectRef, queue name: String, attempt: Int) -> Bool {
        if let place = queues.index(forKey: name),
            let owner = handlers.index(forKey: queues.values[place].handler)
        {
            // Nearly always: the queue is known and has room.
            let handler = handlers.values[owner]
            if !queues.values[place].isBusy, handler.hasRoom, !handler.isCrowded {
                if let other = dispatched.updateValue((name, attempt), forKey: ref) {
                    dispatched[ref] = other
                    return false
                }
                queues.values[place].underWay += 1
                handlers.values[owner].underWay += 1
                return true
            }
        }
        guard var queue = queue(name), let handler = handlers[queue.handler], dispatched[ref] == nil
        else { return false }
        guard !queue.isBusy, handler.hasRoom, !handler.isCrowded else {
            queue.hasBacklog = true
            if queue.wantsMore { markCrowded(queue.handler) }
            queues[name] = queue
            return false
        }
        begin(ref, queue: name, attempt: attempt)
        return true
    }

    /// Starts an attempt of the backlog.
    mutating func begin(_ ref: EffectRef, queue name: String, attempt: Int) {
        guard var queue = queue(name) else { return }
        dispatched[ref] = (name, attempt)
        queue.underWay += 1
        queues[name] = queue
        handlers[queue.handler]?.underWay += 1
    }

    mutating func end(_ ref: EffectRef) {
        guard let (name, _) = dispatched.removeValue(forKey: ref),
            let place = queues.index(forKey: name)
        else { return }
        queues.values[place].underWay -= 1
        let queue = queues.values[place]
        handlers[queue.handler]?.underWay -= 1
        if queue.underWay == 0 { keep(queue, name) }
    }

    /// Records that effects may wait in the store.
    mutating func addBacklog(_ name: String) {
        guard var queue = queue(name) else { return }
        queue.hasBacklog = true
        queues[name] = queue
    }

    /// Does the same for all queues that have effects in the store.
    mutating func listBacklogs() { needsListing = !handlers.isEmpty }

    /// Records that the effect of an attempt under way will wait again.
    mutating func addBacklog(of ref: EffectRef) {
        if let name = dispatched[ref]?.queue { addBacklog(name) }
    }

    /// Whether no effect waits for a handler, and none has, since the last search: after nearly
    /// every commit.
    var isQuiet: Bool {
        !needsListing && !isAnyCrowded && !queues.values.contains { $0.hasBacklog }
    }

    /// Queues with a backlog and room: those with the fewest attempts first, so that no queue waits
    /// for the end of another one's backlog; then by name.
    var refillable: [String] {
        queues.filter { $0.value.wantsMore && handlers[$0.value.handler]?.hasRoom == true }
            .sorted { ($0.value.underWay, $0.key) < ($1.value.underWay, $1.key) }
            .map(\.key)
    }

    /// The number of attempts that a queue can start, and the effect after which its search
    /// continues; `nil` for none.
    func room(in name: String) -> (room: Int, after: EffectRef?)? {
        guard let queue = queues[name], queue.wantsMore, let handler = handlers[queue.handler],
            handler.hasRoom
        else { return nil }
        let room = min(
            queue.max - queue.underWay, handler.traits.concurrencyMax - handler.underWay)
        return (room, queue.cursor)
    }

    /// Sets the effect that a search has reached; `nil` after the end of the queue.
    mutating func advanceSearch(
        in name: String, to cursor: EffectRef?, fromStart: Bool
    ) {
        guard var queue = queues[name] else { return }
        queue.cursor = cursor
        if cursor == nil, fromStart { queue.hasBacklog = false }
        keep(queue, name)
    }

    /// After a refill: marks the handlers whose own bound keeps effects waiting.
    mutating func markCrowded() {
        guard isAnyCrowded || !queues.isEmpty else { return }
        isAnyCrowded = false
        for name in handlers.keys { handlers[name]?.isCrowded = false }
        for queue in queues.values where queue.wantsMore { markCrowded(queue.handler) }
    }

    private mutating func markCrowded(_ handler: String) {
        handlers[handler]?.isCrowded = true
        isAnyCrowded = true
    }

    var wantsRefill: Bool {
        needsListing
            || queues.values.contains { $0.wantsMore && handlers[$0.handler]?.hasRoom == true }
    }
}
