import GroveWire

/// Which calls may go out on the present connection, and which have to wait for others about the
/// same instance. A value, without I/O or time.
///
/// A call that the server has put off stops its instance's lane: nothing more goes out in it until
/// a pause is over and everything under way is answered. Then the oldest call goes out alone, and
/// the others behind it when it has its answer. So only what was under way at the time of the
/// refusal can have come before the call that was put off.
struct Lanes: Sendable {
    /// What keeps its order: the calls about one instance, or one call about none.
    enum Name: Hashable, Sendable {
        case instance(String)
        case call(Int)
    }

    private enum Phase {
        case open
        /// Until the pause is over.
        case paused
        /// Until everything under way is answered.
        case gathering
        /// Until the one that was sent again is answered.
        case probing
    }

    private struct Lane {
        var phase = Phase.open
        var underWay = 0
        /// Calls that wait, in their order.
        var held: [Call] = []
        /// How often in a row it was stopped.
        var stops = 0
    }

    private let isOneByOne: Bool
    private var lanes: [Name: Lane] = [:]

    /// No calls yet.
    init(order: RetryPolicy.Order) { isOneByOne = order == .oneByOne }

    /// Whether nothing is under way and nothing waits.
    var isEmpty: Bool { lanes.isEmpty }

    /// Which lane a call goes in. One that waits for a state holds up nothing.
    static func name(of call: Call) -> Name {
        guard let instance = call.request.instance, call.request.known != .await else {
            return .call(call.order)
        }
        return .instance(instance)
    }

    /// Whether a new call may be sent now; otherwise it is kept until it may.
    mutating func admit(_ call: Call) -> Bool {
        let name = Lanes.name(of: call)
        var lane = lanes[name] ?? Lane()
        let isNext = lane.phase == .open && lane.held.isEmpty
        if isNext && !(isOneByOne && lane.underWay > 0) {
            lane.underWay += weight(call)
            lanes[name] = lane
            return true
        }
        lane.held.append(call)
        lanes[name] = lane
        return false
    }

    /// A call under way has its answer: the calls that may be sent now.
    mutating func settle(_ call: Call) -> [Call] {
        let name = Lanes.name(of: call)
        guard var lane = lanes[name] else { return [] }
        lane.underWay -= weight(call)
        // Of a patient call that was under way before, the probe's answer is not told.
        let isProbe = lane.phase == .probing && (weight(call) > 0 || lane.underWay == 0)
        if isProbe || lane.phase == .open {
            lane.phase = .open
            lane.stops = 0
        }
        return release(lane, name)
    }

    /// A call under way was put off: how often its lane was stopped in a row, when it is stopped
    /// now and a pause has to begin; `nil` when it was stopped already.
    mutating func putOff(_ call: Call) -> Int? {
        let name = Lanes.name(of: call)
        var lane = lanes[name] ?? Lane()
        lane.underWay -= weight(call)
        let place = lane.held.firstIndex { $0.order > call.order } ?? lane.held.endIndex
        lane.held.insert(call, at: place)
        // The last one under way may be put off after a pause for another one is over.
        let isStopped =
            lane.phase == .open || lane.phase == .probing
            || (lane.phase == .gathering && lane.underWay == 0)
        if isStopped {
            lane.phase = .paused
            lane.stops += 1
        }
        lanes[name] = lane
        return isStopped ? lane.stops : nil
    }

    /// The pause of a lane is over: the calls that may be sent now.
    mutating func resume(_ name: Name) -> [Call] {
        guard var lane = lanes[name], lane.phase == .paused else { return [] }
        lane.phase = .gathering
        return release(lane, name)
    }

    /// The connection is gone: every call that waited.
    mutating func takeAll() -> [Call] {
        defer { lanes = [:] }
        return lanes.values.flatMap(\.held)
    }

    /// The calls that wait and whose time is over.
    mutating func takeExpired(at now: ContinuousClock.Instant) -> [Call] {
        var expired: [Call] = []
        for name in lanes.keys {
            guard var lane = lanes.removeValue(forKey: name) else { continue }
            expired += lane.held.filter { $0.deadline <= now }
            lane.held.removeAll { $0.deadline <= now }
            lanes[name] = isOver(lane) ? nil : lane
        }
        return expired
    }

    /// When the time of the next call that waits is over.
    var nextDeadline: ContinuousClock.Instant? {
        lanes.values.compactMap { $0.held.map(\.deadline).min() }.min()
    }

    private mutating func release(_ lane: Lane, _ name: Name) -> [Call] {
        var lane = lane
        let calls = release(&lane)
        lanes[name] = isOver(lane) ? nil : lane
        return calls
    }

    private func release(_ lane: inout Lane) -> [Call] {
        if lane.phase == .gathering, lane.underWay == 0 { lane.phase = .probing }
        guard lane.phase == .open || lane.phase == .probing else { return [] }
        let underWayMax = isOneByOne || lane.phase == .probing ? 1 : Int.max
        var count = 0
        while count < lane.held.count, lane.underWay < underWayMax {
            lane.underWay += weight(lane.held[count])
            count += 1
        }
        defer { lane.held.removeFirst(count) }
        return Array(lane.held[..<count])
    }

    /// One that the server may answer much later holds up the others only where each waits for
    /// the one before it.
    private func weight(_ call: Call) -> Int { !call.request.isPatient || isOneByOne ? 1 : 0 }

    /// Whether nothing is to be remembered of a lane. A pause that isn't over is.
    private func isOver(_ lane: Lane) -> Bool {
        lane.underWay == 0 && lane.held.isEmpty && lane.phase != .paused
    }
}
