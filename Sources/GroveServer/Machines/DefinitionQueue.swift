import Dispatch
import GroveEngine
import GroveWire

/// Definitions that clients have sent and that other threads read, because that takes longer than a
/// turn of the engine's queue. The later requests of their connections wait, so that each client's
/// requests keep their order.
struct DefinitionQueue {
    /// Reads definitions. Not by tasks, because effect handlers can block all their threads.
    static let threads = DispatchQueue(
        label: "grove.definitions", qos: .utility, attributes: .concurrent)

    /// The definitions that aren't read yet, in order.
    private var waiting: [(request: Request, define: Define)] = []
    private var underWay = 0
    /// The later requests of connections with such a definition.
    private var behind: [ConnectionID: [Request]] = [:]
    /// Closed connections whose requests wait here.
    private var closed: Set<ConnectionID> = []

    /// Takes the first definition of a burst of one connection, with the requests after it.
    ///
    /// - Returns: The requests before it; all of them without a definition.
    mutating func take(_ burst: [Request]) -> [Request] {
        if waiting.isEmpty, underWay == 0, !burst.contains(where: { $0.op == .define }) {
            return burst
        }
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
            waiting.append((request, define))
            return Array(burst[..<place])
        }
        return burst
    }

    /// The next definition to read; nil while enough are being read.
    mutating func next() -> (request: Request, define: Define)? {
        guard underWay < Self.readMax, !waiting.isEmpty else { return nil }
        underWay += 1
        return waiting.removeFirst()
    }

    /// Ends the reading of a definition.
    ///
    /// - Returns: Its request with what was read, and the later requests of its connection.
    mutating func end(
        _ request: Request, _ define: Define, _ compiled: CompiledDefinition
    ) -> [Request] {
        underWay -= 1
        guard let later = behind.removeValue(forKey: request.connection) else { return [] }
        var define = define
        define.compiled = compiled
        let read = Request(
            connection: request.connection, token: request.token, operation: .define(define))
        return [read] + later
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
