import OrderedJSON

/// Which handlers are at work for which effects, and where more effects wait than may be under
/// way.
///
/// A handler has a queue of its name. One that divides its places has a queue for each share
/// besides, and no queue takes more of the handler's places than a share may have. So what hangs
/// in one share leaves the others their places. Bounded by the handlers' concurrency, and by
/// ``sharesMax``.
struct HandlerQueueTable {
    /// Shares that have queues of their own at once, of all handlers together. What comes on top
    /// waits in the handler's own queue.
    static let sharesMax = 4_096
    /// Bytes of a share's name; those that are longer are none.
    static let shareBytesMax = 256

    /// One handler.
    private struct Handler {
        let traits: HandlerTraits
        var underWay = 0
        /// Whether queues with room of their own wait for a place of the handler.
        var isCrowded = false
        var hasRoom: Bool { underWay < traits.concurrencyMax }
    }

    /// What waits for one handler, or for one share of it.
    private struct Queue {
        let handler: String
        let max: Int
        var underWay = 0
        /// Whether the store may hold effects for it that are not under way.
        var hasBacklog = false
        /// Where the search in the store goes on.
        var cursor: EffectRef?
        var wantsMore: Bool { hasBacklog && underWay < max }
    }

    private var handlers: [String: Handler] = [:]
    private var queues: [String: Queue] = [:]
    /// What is under way: the queue, and which try it is.
    private var dispatched: [EffectRef: (queue: String, attempt: Int)] = [:]
    /// Whether the store may hold effects in queues of shares that aren't known here yet.
    private(set) var needsListing = false

    init() {}

    /// The handlers' queues. All may have a backlog in the store at the start.
    init(_ handlers: [String: HandlerTraits]) {
        self.handlers = handlers.mapValues { Handler(traits: $0) }
        for (name, traits) in handlers {
            queues[name] = Queue(handler: name, max: traits.concurrencyMax, hasBacklog: true)
        }
        needsListing = !handlers.isEmpty
    }

    /// How many tries are under way.
    var underWay: Int { dispatched.count }

    /// Whether there is a handler of this name.
    func isKnown(_ handler: String) -> Bool { handlers[handler] != nil }

    /// Which try of an effect is under way.
    func attempt(of ref: EffectRef) -> Int? { dispatched[ref]?.attempt }

    // MARK: Shares

    /// The queue for an effect of a handler.
    func name(for handler: String, _ argument: JSONValue) -> String {
        guard let traits = handlers[handler]?.traits, let share = traits.share?(argument),
            share.utf8.count <= Self.shareBytesMax, !share.utf8.contains(Self.divider)
        else { return handler }
        let name = "\(handler)\n\(share)"
        let hasRoom = queues.count < handlers.count + Self.sharesMax
        return hasRoom || queues[name] != nil ? name : handler
    }

    /// Between the name of a handler and that of a share.
    private static let divider = UInt8(ascii: "\n")

    /// Takes the queues that the store holds effects for.
    mutating func list(_ stored: [String]) {
        needsListing = false
        for name in stored { noteBacklog(name) }
    }

    /// The queue of this name; a new one where there is none, `nil` if there is no handler for it.
    private func queue(_ name: String) -> Queue? {
        if let queue = queues[name] { return queue }
        guard let end = name.utf8.firstIndex(of: Self.divider) else { return nil }
        let handler = String(name[..<end])
        // Also of a handler that has no shares any more: what waits in them is done all the same.
        guard let traits = handlers[handler]?.traits else { return nil }
        return Queue(handler: handler, max: traits.perShareMax)
    }

    /// Keeps a queue as long as there is something to know of it.
    private mutating func keep(_ queue: Queue, _ name: String) {
        let isIdle = queue.underWay == 0 && !queue.hasBacklog && name != queue.handler
        queues[name] = isIdle ? nil : queue
    }

    // MARK: Places

    /// Takes a try, if its queue has room and nobody waits longer for it; else the effect is left
    /// to the backlog.
    mutating func admit(_ ref: EffectRef, queue name: String, attempt: Int) -> Bool {
        guard var queue = queue(name), let handler = handlers[queue.handler], dispatched[ref] == nil
        else { return false }
        guard !queue.hasBacklog, queue.underWay < queue.max, handler.hasRoom, !handler.isCrowded
        else {
            queue.hasBacklog = true
            if queue.wantsMore { handlers[queue.handler]?.isCrowded = true }
            queues[name] = queue
            return false
        }
        begin(ref, queue: name, attempt: attempt)
        return true
    }

    /// Takes a try from the backlog.
    mutating func begin(_ ref: EffectRef, queue name: String, attempt: Int) {
        guard var queue = queue(name) else { return }
        dispatched[ref] = (name, attempt)
        queue.underWay += 1
        queues[name] = queue
        handlers[queue.handler]?.underWay += 1
    }

    /// A try is over.
    mutating func end(_ ref: EffectRef) {
        guard let (name, _) = dispatched.removeValue(forKey: ref), var queue = queues[name] else {
            return
        }
        queue.underWay -= 1
        keep(queue, name)
        handlers[queue.handler]?.underWay -= 1
    }

    /// Effects may wait in the store that nobody told of.
    mutating func noteBacklog(_ name: String) {
        guard var queue = queue(name) else { return }
        queue.hasBacklog = true
        queues[name] = queue
    }

    /// The same, of every queue that the store holds effects for.
    mutating func noteBacklogs() { needsListing = !handlers.isEmpty }

    /// An effect that is under way will wait again.
    mutating func noteBacklog(of ref: EffectRef) {
        if let name = dispatched[ref]?.queue { noteBacklog(name) }
    }

    /// Queues with a backlog and room for it: those first that have the fewest places, so that
    /// none waits for another one's backlog to end; then in the order of their names.
    var refillable: [String] {
        queues.filter { $0.value.wantsMore && handlers[$0.value.handler]?.hasRoom == true }
            .sorted { ($0.value.underWay, $0.key) < ($1.value.underWay, $1.key) }
            .map(\.key)
    }

    /// How much a queue can take from its backlog, and where to go on; `nil` for nothing.
    func room(in name: String) -> (room: Int, after: EffectRef?)? {
        guard let queue = queues[name], queue.wantsMore, let handler = handlers[queue.handler],
            handler.hasRoom
        else { return nil }
        let room = min(
            queue.max - queue.underWay, handler.traits.concurrencyMax - handler.underWay)
        return (room, queue.cursor)
    }

    /// How far a search has come; `nil` when it has seen everything behind where it began.
    mutating func searched(_ name: String, through cursor: EffectRef?, fromStart: Bool) {
        guard var queue = queues[name] else { return }
        queue.cursor = cursor
        if cursor == nil, fromStart { queue.hasBacklog = false }
        keep(queue, name)
    }

    /// After a refill: notes for which handlers effects wait that only lack a place of theirs.
    mutating func noteCrowds() {
        for name in handlers.keys { handlers[name]?.isCrowded = false }
        for queue in queues.values where queue.wantsMore {
            handlers[queue.handler]?.isCrowded = true
        }
    }

    /// Whether any queue could take more.
    var wantsRefill: Bool {
        needsListing
            || queues.values.contains { $0.wantsMore && handlers[$0.handler]?.hasRoom == true }
    }
}
