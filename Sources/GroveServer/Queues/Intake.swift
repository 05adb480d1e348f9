import GroveEngine

/// Requests on their way into the engine: those of one connection in their order, several
/// connections in turns. A connection that had nothing waiting goes before those that wait for
/// their next turn, so that a client with one request doesn't wait for a client with thousands. But
/// every other turn goes to the latter.
struct Intake {
    /// Requests that one turn takes.
    static let requestsPerTurn = 64

    private var waiting: [ConnectionID: WaitingTurns] = [:]
    /// Connections whose first turn is to come.
    private var first = WaitingQueue<UInt64>()
    /// Those that had one.
    private var others = WaitingQueue<UInt64>()
    /// Whether ``next(onlyFirst:)`` gave a connection its first turn.
    var wasFirst = false
    /// Those that are gone when their requests are done.
    private var ending: Set<ConnectionID> = []

    /// The turns of one connection: what was put back, and the others in their order.
    private struct WaitingTurns {
        var rest: [Request]?
        var turns = WaitingQueue<[Request]>()

        var isEmpty: Bool { rest == nil && turns.count == 0 }

        mutating func next() -> [Request]? {
            defer { rest = nil }
            return rest ?? turns.next()
        }
    }

    /// Whether nothing waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Puts requests of one connection behind those that it has here.
    mutating func add(_ burst: [Request]) {
        guard let connection = burst.first?.connection else { return }
        if waiting[connection] == nil { first.append(connection.value) }
        let size = Self.requestsPerTurn
        guard burst.count > size else {
            waiting[connection, default: WaitingTurns()].turns.append(burst)
            return
        }
        for begin in stride(from: 0, to: burst.count, by: size) {
            let turn = Array(burst[begin..<min(begin + size, burst.count)])
            waiting[connection, default: WaitingTurns()].turns.append(turn)
        }
    }

    /// The requests whose turn it is, all of one connection.
    ///
    /// - Parameter onlyFirst: Whether only connections come in question whose first turn is to
    ///   come.
    mutating func next(onlyFirst: Bool = false) -> [Request]? {
        var id: UInt64?
        if !onlyFirst, wasFirst { id = others.next() }
        wasFirst = false
        if id == nil {
            id = first.next()
            wasFirst = id != nil
        }
        if id == nil, !onlyFirst { id = others.next() }
        guard let id else { return nil }
        let connection = ConnectionID(id)
        let turn = waiting[connection]?.next()
        if waiting[connection]?.isEmpty == true {
            waiting[connection] = nil
        } else {
            others.append(id)
        }
        return turn
    }

    /// Puts back what couldn't be taken of the last turn of a connection: it comes first.
    mutating func putBack(_ rest: [Request]) {
        guard let connection = rest.first?.connection else { return }
        if waiting[connection] == nil { others.append(connection.value) }
        waiting[connection, default: WaitingTurns()].rest = rest
    }

    /// Takes note that a connection has ended.
    ///
    /// - Returns: Whether requests of it wait; then ``hasEnded(_:)`` says when the last is done.
    mutating func end(_ connection: ConnectionID) -> Bool {
        guard waiting[connection] != nil else { return false }
        ending.insert(connection)
        return true
    }

    /// Whether a connection has ended whose last turn was just taken; says so once.
    mutating func hasEnded(_ connection: ConnectionID) -> Bool {
        waiting[connection] == nil && ending.remove(connection) != nil
    }
}
