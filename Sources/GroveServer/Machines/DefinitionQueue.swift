import GroveEngine
import GroveWire

/// Definitions that clients have sent and that other threads read, because that takes longer than a
/// turn of the engine's queue. The later requests of their connections wait, so that each client's
/// requests keep their order.
struct DefinitionQueue {
    /// The definitions that aren't read yet.
    private var unread = LongWork<(request: Request, define: Define)>(
        atOnce: DefinitionQueue.readMax)
    /// The later requests of connections with such a definition.
    private var behind: [ConnectionID: [Request]] = [:]
    /// Closed connections whose requests wait here.
    private var closed: Set<ConnectionID> = []

    /// Takes the first definition of a burst of one connection, with the requests after it.
    ///
    /// - Returns: The requests before it; all of them without a definition.
    mutating func take(_ burst: [Request]) -> [Request] {
        if unread.isEmpty, !burst.hasRequest(.define) { return burst }
        guard let connection = burst.first?.connection else { return burst }
        if behind[connection] != nil {
            behind[connection]? += burst
            return []
        }
        for (place, request) in burst.enumerated() {
            guard case .define(let define) = request.operation, define.compiled == nil else {
                continue
            }
            behind[connection] = Array(burst[(place + 1)...])
            unread.add((request, define))
            return Array(burst[..<place])
        }
        return burst
    }

    /// The next definition to read, with its number; nil while enough are being read.
    mutating func next() -> (number: Int, request: Request, define: Define)? {
        unread.next().map { ($0.number, $0.piece.request, $0.piece.define) }
    }

    /// Ends the reading of a definition.
    ///
    /// - Returns: Its request with what was read, and the later requests of its connection.
    mutating func end(_ number: Int, _ compiled: CompiledDefinition) -> [Request] {
        guard let (request, define) = unread.end(number),
            let later = behind.removeValue(forKey: request.connection)
        else { return [] }
        var read = define
        read.compiled = compiled
        let first = Request(
            connection: request.connection, token: request.token, operation: .define(read),
            caller: request.caller)
        return [first] + later
    }

    /// Notes that a connection is closed.
    ///
    /// - Returns: Whether requests of it wait here: then it ends after them.
    mutating func close(_ connection: ConnectionID) -> Bool {
        guard behind[connection] != nil else { return false }
        closed.insert(connection)
        return true
    }

    /// Whether a closed connection has no requests here any more; true once.
    mutating func hasClosed(_ connection: ConnectionID) -> Bool {
        behind[connection] == nil && closed.remove(connection) != nil
    }
}
