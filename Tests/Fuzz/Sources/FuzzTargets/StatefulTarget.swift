import BuiltInMachines
import GroveEngine
import GroveProtocol
import GroveTestSupport
import OrderedJSON

extension FuzzTarget {
    /// Bytes as a list of operations: requests, commits, a disk that fills up. Each reply is
    /// compared with a simple model that uses a dictionary.
    static let stateful = FuzzTarget("stateful", smokeInputs: 1_500) { input in
        var play = try StatefulPlay()
        for pair in stride(from: 0, to: input.count - 1, by: 2) {
            try play.step(input[pair], input[pair + 1])
        }
        try play.finish()
    }
}

/// A server and the model of its expected state.
struct StatefulPlay {
    struct Counter {
        var version: Int64 = 0
        var count: Int64 = 0
        var keys: [UInt8: (amount: Int64, version: Int64)] = [:]
    }

    /// The expected reply; several requests wait for one commit.
    enum Expected {
        case version(Int64, count: Int64?, isRepeat: Bool)
        case code(String)
        case anything
    }

    private let store = FillableStore()
    private let server: InMemoryServer
    private let client: ConnectionID
    private var committed: [UInt8: Counter] = [:]
    private var pending: [UInt8: Counter] = [:]
    private var waiting: [Int64: Expected] = [:]
    private var requests: Int64 = 0

    init() throws {
        server = InMemoryServer(
            catalogue: try Catalogue(BuiltInMachines.definitions), store: store,
            now: Moment(uptime: 0, time: Timestamp(milliseconds: 0)))
        client = server.connect()
        _ = try server.read(client)
    }

    mutating func step(_ operation: UInt8, _ argument: UInt8) throws {
        let name = argument & 3
        switch operation % 12 {
        case 0...3: try send(name, amount: Int64(argument >> 4), key: nil)
        case 4...6: try send(name, amount: Int64(argument >> 6), key: (argument >> 2) & 7)
        case 7: try get(name)
        case 8: try delete(name)
        case 9: try flush()
        case 10: store.isFull.toggle()
        default: try create(name)
        }
    }

    mutating func finish() throws {
        store.isFull = false
        try flush()
        for name in UInt8(0)...3 { try get(name) }
        try flush()
        guard waiting.isEmpty else { throw Finding("never answered: \(waiting)") }
    }

    // MARK: Requests

    private mutating func ask(_ members: String, _ expected: Expected) throws {
        requests += 1
        waiting[requests] = expected
        try server.receive(Array("{\"id\":\(requests),\(members)}\n".utf8), from: client)
    }

    private mutating func send(_ name: UInt8, amount: Int64, key: UInt8?) throws {
        var members = "\"op\":\"send\",\"to\":\"counter/\(name)\",\"reply\":\"state\","
        members += "\"event\":{\"type\":\"add\",\"amount\":\(amount)}"
        if let key { members += ",\"dedup\":\"\(key)\"" }
        var counter = pending[name] ?? Counter()
        if let key, let known = counter.keys[key] {
            let expected: Expected =
                known.amount == amount
                ? .version(known.version, count: nil, isRepeat: true) : .code("DEDUP_MISMATCH")
            return try ask(members, expected)
        }
        counter.version += 1
        counter.count += amount
        if let key { counter.keys[key] = (amount, counter.version) }
        pending[name] = counter
        try ask(members, .version(counter.version, count: counter.count, isRepeat: false))
    }

    private mutating func get(_ name: UInt8) throws {
        let expected =
            pending[name].map {
                Expected.version($0.version, count: $0.count, isRepeat: false)
            } ?? .code("NO_SUCH_INSTANCE")
        try ask("\"op\":\"get\",\"to\":\"counter/\(name)\"", expected)
    }

    private mutating func create(_ name: UInt8) throws {
        let expected: Expected =
            pending[name] == nil
            ? .version(0, count: 0, isRepeat: false) : .code("ALREADY_EXISTS")
        if pending[name] == nil { pending[name] = Counter() }
        try ask("\"op\":\"create\",\"to\":\"counter/\(name)\"", expected)
    }

    private mutating func delete(_ name: UInt8) throws {
        let expected =
            pending[name].map { Expected.version($0.version, count: nil, isRepeat: false) }
            ?? .code("NO_SUCH_INSTANCE")
        pending[name] = nil
        try ask("\"op\":\"delete\",\"to\":\"counter/\(name)\"", expected)
    }

    // MARK: Answers

    private mutating func flush() throws {
        let commits = store.base.head
        try server.flush()
        if store.wasRefused {
            store.wasRefused = false
            pending = committed
            // Requests that didn't need the commit are answered normally; the others fail.
            for id in waiting.keys { waiting[id] = .anything }
            guard store.base.head == commits else { throw Finding("a full disk was written to") }
        } else {
            committed = pending
        }
        for line in try server.read(client).split(separator: 10) {
            try check(JSONValue(parsing: Array(line)))
        }
        guard waiting.isEmpty else { throw Finding("not answered: \(waiting)") }
    }

    private mutating func check(_ reply: JSONValue) throws {
        guard let id = reply["id"]?.integer, let expected = waiting.removeValue(forKey: id) else {
            throw Finding("nobody asked for \(reply)")
        }
        switch expected {
        case .anything: break
        case .code(let code):
            guard reply["error"]?["code"]?.string == code else {
                throw Finding("\(reply), not \(code)")
            }
        case .version(let version, let count, let isRepeat):
            let isRight =
                reply["ok"]?.bool == true && reply["v"]?.integer == version
                && (reply["dup"]?.bool ?? false) == isRepeat
                && (count == nil || reply["state"]?["count"]?.integer == count)
            guard isRight else { throw Finding("\(reply), not \(expected)") }
        }
    }
}

/// A store in memory whose disk is sometimes full.
final class FillableStore: ForwardingStore {
    var isFull = false
    var wasRefused = false

    init() { super.init(MemoryStore()) }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if isFull {
            wasRefused = true
            throw .full
        }
        try super.commit(writes)
    }
}
