import GroveTLS
import GroveTestSupport

extension FuzzTarget {
    /// Bytes of a peer before, in and after a handshake. The first byte of the input says which of
    /// ``TLSTrial``; the keys differ from run to run. Nothing that the peer hasn't encrypted may
    /// come out as plaintext, and what waits to be sent is bounded.
    static let tls = FuzzTarget(
        "tls",
        words: [
            // Records: a handshake, an alert, data, a change of keys.
            "\u{16}\u{3}\u{1}\u{0}\u{5}", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{1}\u{0}",
            "\u{17}\u{3}\u{3}\u{0}\u{20}", "\u{14}\u{3}\u{3}\u{0}\u{1}\u{1}",
            "\u{1}\u{0}\u{0}\u{26}\u{3}\u{3}", "grove/1", "\u{0}\u{10}\u{0}\u{a}\u{0}\u{8}",
            "{\"op\":\"ping\"}\n", "GET / HTTP/1.1\r\n\r\n",
        ],
        smokeInputs: 1_500
    ) { input in
        guard let first = input.first else { return }
        let trial = TLSTrial.allCases[Int(first) % TLSTrial.allCases.count]
        try trial.run(Array(input.dropFirst()))
    }
}

/// What the bytes of an input are to a pair of connections.
private enum TLSTrial: CaseIterable {
    /// All that a server gets.
    case strangeClient
    /// All that a client gets.
    case strangeServer
    /// Changes of a client's first bytes: each two are a place and what is added there.
    case changedHello
    /// Changes of a server's first answer.
    case changedAnswer
    /// What a server gets after its handshake.
    case intrudedServer
    /// What a client gets after its handshake.
    case intrudedClient
    /// What a client sends; the first two bytes are a place in the ciphertext that is changed.
    case changedData
    /// What a client sends, carried in pieces of the length of its first byte.
    case pieces

    func run(_ bytes: [UInt8]) throws {
        let pair = try Self.pair()
        switch self {
        case .strangeClient:
            bytes.withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
            try Self.require(pair.server.phase != .open, "a stranger is a client")
        case .strangeServer:
            bytes.withUnsafeBytes { pair.client.receive($0, into: &pair.clientReceived) }
            try Self.require(pair.client.phase != .open, "a stranger is a server")
        case .changedHello:
            var hello = Self.take(&pair.client)
            Self.change(&hello, bytes)
            hello.withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
            pair.carry()
        case .changedAnswer:
            let hello = Self.take(&pair.client)
            hello.withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
            var answer = Self.take(&pair.server)
            Self.change(&answer, bytes)
            answer.withUnsafeBytes { pair.client.receive($0, into: &pair.clientReceived) }
            pair.carry()
        case .intrudedServer:
            try Self.open(pair)
            bytes.withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
            pair.carry()
        case .intrudedClient:
            try Self.open(pair)
            bytes.withUnsafeBytes { pair.client.receive($0, into: &pair.clientReceived) }
            pair.carry()
        case .changedData: return try Self.changeData(pair, bytes)
        case .pieces: return try Self.carryPieces(pair, bytes)
        }
        try Self.check(pair, sent: [])
    }

    /// One byte of ciphertext is changed: what comes out is a beginning of what was sent, and the
    /// connection fails.
    private static func changeData(_ pair: TLSPair, _ bytes: [UInt8]) throws {
        guard bytes.count > 2 else { return }
        try open(pair)
        let sent = Array(bytes.dropFirst(2))
        pair.send(sent, from: .client)
        var ciphertext = take(&pair.client)
        change(&ciphertext, [bytes[0], bytes[1] | 1])
        ciphertext.withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
        try require(pair.serverReceived.count < sent.count, "changed bytes are accepted")
        try check(pair, sent: sent)
    }

    private static func carryPieces(_ pair: TLSPair, _ bytes: [UInt8]) throws {
        let pieceBytes = max(1, Int(bytes.first ?? 1))
        pair.carry(pieceBytes: pieceBytes)
        try require(pair.server.phase == .open && pair.client.phase == .open, "no handshake")
        pair.send(bytes, from: .client)
        pair.client.endSending()
        pair.carry(pieceBytes: pieceBytes)
        try require(pair.serverReceived == bytes, "something is lost")
        try require(pair.server.phase == .peerDone, "the end is lost")
        pair.send(bytes, from: .server)
        pair.carry(pieceBytes: pieceBytes)
        try require(pair.clientReceived == bytes, "something is lost behind the end")
    }

    // MARK: What must hold

    private static func check(_ pair: TLSPair, sent: [UInt8]) throws {
        try require(sent.starts(with: pair.serverReceived), "a server reads what nobody sent")
        try require(pair.clientReceived.isEmpty, "a client reads what nobody sent")
        let most = TLSConnection.waitingBytesMax + 2 * TLSConnection.recordBytesMax
        try require(pair.waitingMax <= most, "\(pair.waitingMax) bytes wait")
        if pair.serverFailure != nil {
            try require(pair.send([1], from: .server) == 0, "a server sends after its failure")
            pair.server.endSending()
            try require(!pair.server.hasEndedSending, "a server ends what has failed")
        }
    }

    private static func require(_ holds: Bool, _ problem: String) throws {
        if !holds { throw Finding(problem) }
    }

    // MARK: Pairs

    private static let contexts = Result {
        (
            client: try TLSContext(client: TLSPair.client()),
            server: try TLSContext(server: TLSPair.server())
        )
    }

    private static func pair() throws -> TLSPair {
        let contexts = try contexts.get()
        return try TLSPair(contexts.client, contexts.server)
    }

    private static func open(_ pair: TLSPair) throws {
        pair.carry()
        try require(pair.server.phase == .open && pair.client.phase == .open, "no handshake")
    }

    /// Removes and returns what a side has to send.
    private static func take(_ side: inout TLSConnection) -> [UInt8] {
        var taken: [UInt8] = []
        side.takeOutbound { bytes in
            taken = Array(bytes)
            return bytes.count
        }
        return taken
    }

    /// Adds to bytes at places: each two of `changes` are a place, from the beginning and then from
    /// the last place on, and the sum.
    private static func change(_ bytes: inout [UInt8], _ changes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var place = 0
        for start in stride(from: 0, to: changes.count - 1, by: 2) {
            place = (place + Int(changes[start])) % bytes.count
            bytes[place] &+= changes[start + 1]
        }
    }
}
