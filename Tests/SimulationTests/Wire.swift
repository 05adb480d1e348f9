import GroveEngine
import GroveTestSupport
import OrderedJSON

/// A client's end of a connection. Bytes travel in both directions, in pieces of any size.
struct Wire {
    let id: ConnectionID
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var requests = 0

    init(_ server: InMemoryServer) { id = server.connect() }

    var hasOutgoing: Bool { !outgoing.isEmpty }

    /// Enqueues a request and returns its id.
    mutating func send(_ members: String, answered: Bool = true) -> Int {
        requests += 1
        let id = answered ? "\"id\":\(requests)," : ""
        outgoing += Array("{\(id)\(members)}\n".utf8)
        return requests
    }

    /// Delivers up to `count` bytes to the server, if it reads.
    mutating func deliver(_ count: Int, to server: InMemoryServer) throws(StoreError) {
        guard !outgoing.isEmpty, server.wantsInput(id) else { return }
        let piece = outgoing.prefix(count)
        outgoing.removeFirst(piece.count)
        try server.receive(piece, from: id)
    }

    /// Reads up to `count` bytes and returns the lines that are now complete.
    mutating func receive(
        _ count: Int, from server: InMemoryServer, _ digest: inout Digest
    ) throws -> [JSONValue] {
        let bytes = try server.read(id, atMost: count)
        digest.add(bytes)
        incoming += bytes
        var lines: [JSONValue] = []
        var start = 0
        for (index, byte) in incoming.enumerated() where byte == 10 {
            lines.append(try JSONValue(parsing: Array(incoming[start..<index])))
            start = index + 1
        }
        incoming.removeFirst(start)
        return lines
    }
}

/// A running hash of bytes, to check that two runs were the same.
struct Digest: Equatable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
