import OrderedJSON

/// Which handlers are at work for which effects, and where more effects wait than may be under
/// way.
///
/// A handler has a lane of its name. One that divides its places has a lane for each share
/// besides, and no lane takes more of the handler's places than a share may have. So what hangs
/// in one share leaves the others their places. Bounded by the handlers' concurrency, and by
/// ``sharesMax``.
struct LaneTable {
    /// Shares that have lanes of their own at once, of all handlers together. What comes on top
    /// waits in the handler's own lane.
    static let sharesMax = 4_096
    /// Bytes of a share's name; those that are longer are none.
    static let shareBytesMax = 256

    /// One handler.
    private struct Handler {
        let traits: HandlerTraits
        var underWay = 0
        /// Whether lanes with room of their own wait for a place of the handler.
        var isCrowded = false
        var hasRoom: Bool { underWay < traits.concurrencyMax }
    }

    /// What waits for one handler, or for one share of it.
    private struct Lane {
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
    private var lanes: [String: Lane] = [:]
    /// What is under way: the lane, and which try it is.
    private var issued: [EffectRef: (lane: String, attempt: Int)] = [:]
    /// Whether the store may hold effects in lanes of shares that aren't known here yet.
    private(set) var needsListing = false

    init() {}

    /// The handlers' lanes. All may have a backlog in the store at the start.
    init(_ handlers: [String: HandlerTraits]) {
        self.handlers = handlers.mapValues { Handler(traits: $0) }
        for (name, traits) in handlers {
            lanes[name] = Lane(handler: name, max: traits.concurrencyMax, hasBacklog: true)
        }
        needsListing = !handlers.isEmpty
    }

    /// How many tries are under way.
    var underWay: Int { issued.count }

    /// Whether there is a handler of this name.
    func isKnown(_ handler: String) -> Bool { handlers[handler] != nil }

    /// Which try of an effect is under way.
    func attempt(of ref: EffectRef) -> Int? { issued[ref]?.attempt }

    // MARK: Shares

    /// The lane for an effect of a handler.
    func name(for handler: String, _ argument: JSONValue) -> String {
        guard let traits = handlers[handler]?.traits, let share = traits.share?(argument),
            share.utf8.count <= Self.shareBytesMax, !share.utf8.contains(Self.divider)
        else { return handler }
        let name = "\(handler)\n\(share)"
        let hasRoom = lanes.count < handlers.count + Self.sharesMax
        return hasRoom || lanes[name] != nil ? name : handler
    }

    /// Between the name of a handler and that of a share.
    private static let divider = UInt8(ascii: "\n")

    /// Takes the lanes that the store holds effects for.
    mutating func list(_ stored: [String]) {
        needsListing = false
        for name in stored { noteBacklog(name) }
    }

    /// The lane of this name; a new one where there is none, `nil` if there is no handler for it.
    private func lane(_ name: String) -> Lane? {
        if let lane = lanes[name] { return lane }
        guard let end = name.utf8.firstIndex(of: Self.divider) else { return nil }
        let handler = String(name[..<end])
        // Also of a handler that has no shares any more: what waits in them is done all the same.
        guard let traits = handlers[handler]?.traits else { return nil }
        return Lane(handler: handler, max: traits.perShareMax)
    }

    /// Keeps a lane as long as there is something to know of it.
    private mutating func keep(_ lane: Lane, _ name: String) {
        let isIdle = lane.underWay == 0 && !lane.hasBacklog && name != lane.handler
        lanes[name] = isIdle ? nil : lane
    }

    // MARK: Places

    /// Takes a try, if its lane has room and nobody waits longer for it; else the effect is left
    /// to the backlog.
    mutating func admit(_ ref: EffectRef, lane name: String, attempt: Int) -> Bool {
        guard var lane = lane(name), let handler = handlers[lane.handler], issued[ref] == nil
        else { return false }
        guard !lane.hasBacklog, lane.underWay < lane.max, handler.hasRoom, !handler.isCrowded
        else {
            lane.hasBacklog = true
            if lane.wantsMore { handlers[lane.handler]?.isCrowded = true }
            lanes[name] = lane
            return false
        }
        begin(ref, lane: name, attempt: attempt)
        return true
    }

    /// Takes a try from the backlog.
    mutating func begin(_ ref: EffectRef, lane name: String, attempt: Int) {
        guard var lane = lane(name) else { return }
        issued[ref] = (name, attempt)
        lane.underWay += 1
        lanes[name] = lane
        handlers[lane.handler]?.underWay += 1
    }

    /// A try is over.
    mutating func end(_ ref: EffectRef) {
        guard let (name, _) = issued.removeValue(forKey: ref), var lane = lanes[name] else {
            return
        }
        lane.underWay -= 1
        keep(lane, name)
        handlers[lane.handler]?.underWay -= 1
    }

    /// Effects may wait in the store that nobody told of.
    mutating func noteBacklog(_ name: String) {
        guard var lane = lane(name) else { return }
        lane.hasBacklog = true
        lanes[name] = lane
    }

    /// The same, of every lane that the store holds effects for.
    mutating func noteBacklogs() { needsListing = !handlers.isEmpty }

    /// An effect that is under way will wait again.
    mutating func noteBacklog(of ref: EffectRef) {
        if let name = issued[ref]?.lane { noteBacklog(name) }
    }

    /// Lanes with a backlog and room for it: those first that have the fewest places, so that
    /// none waits for another one's backlog to end; then in the order of their names.
    var refillable: [String] {
        lanes.filter { $0.value.wantsMore && handlers[$0.value.handler]?.hasRoom == true }
            .sorted { ($0.value.underWay, $0.key) < ($1.value.underWay, $1.key) }
            .map(\.key)
    }

    /// How much a lane can take from its backlog, and where to go on; `nil` for nothing.
    func room(in name: String) -> (room: Int, after: EffectRef?)? {
        guard let lane = lanes[name], lane.wantsMore, let handler = handlers[lane.handler],
            handler.hasRoom
        else { return nil }
        let room = min(
            lane.max - lane.underWay, handler.traits.concurrencyMax - handler.underWay)
        return (room, lane.cursor)
    }

    /// How far a search has come; `nil` when it has seen everything behind where it began.
    mutating func searched(_ name: String, through cursor: EffectRef?, fromStart: Bool) {
        guard var lane = lanes[name] else { return }
        lane.cursor = cursor
        if cursor == nil, fromStart { lane.hasBacklog = false }
        keep(lane, name)
    }

    /// After a refill: notes for which handlers effects wait that only lack a place of theirs.
    mutating func noteCrowds() {
        for name in handlers.keys { handlers[name]?.isCrowded = false }
        for lane in lanes.values where lane.wantsMore { handlers[lane.handler]?.isCrowded = true }
    }

    /// Whether any lane could take more.
    var wantsRefill: Bool {
        needsListing
            || lanes.values.contains { $0.wantsMore && handlers[$0.handler]?.hasRoom == true }
    }
}
