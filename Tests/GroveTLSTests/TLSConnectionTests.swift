import GroveTLS
import GroveTestSupport
import Testing

@Suite("TLSConnection")
struct TLSConnectionTests {
    @Test(arguments: [1, 2, 7, 100, Int.max])
    func `two sides talk, however their bytes are cut`(pieceBytes: Int) throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        #expect(pair.client.phase == .handshaking && pair.server.phase == .handshaking)
        #expect(pair.send([1], from: .client) == 0)
        pair.carry(pieceBytes: pieceBytes)
        #expect(pair.client.phase == .open && pair.server.phase == .open)
        #expect(pair.client.version == "TLSv1.3" && pair.server.version == "TLSv1.3")
        #expect(pair.client.peer?.hosts == ["localhost"] && pair.server.peer == nil)
        pair.send(Array("question\n".utf8), from: .client)
        pair.send(Array("answer\n".utf8), from: .server)
        pair.carry(pieceBytes: pieceBytes)
        #expect(pair.serverReceived == Array("question\n".utf8))
        #expect(pair.clientReceived == Array("answer\n".utf8))
    }

    @Test func `each direction ends by itself`() throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        pair.carry()
        pair.send(Array("last question".utf8), from: .client)
        pair.client.endSending()
        pair.client.endSending()
        pair.carry()
        #expect(pair.serverReceived == Array("last question".utf8))
        #expect(pair.server.phase == .peerDone && pair.client.phase == .open)
        #expect(pair.send([1], from: .client) == 0)
        #expect(pair.send(Array("answers".utf8), from: .server) == 7)
        pair.server.endSending()
        pair.carry()
        #expect(pair.clientReceived == Array("answers".utf8))
        #expect(pair.client.phase == .peerDone)
        pair.client.receiveEnd()
        pair.server.receiveEnd()
        #expect(pair.client.phase == .peerDone && pair.server.phase == .peerDone)
    }

    @Test func `an end without the end of TLS is a failure`() throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        pair.server.receiveEnd()
        #expect(pair.serverFailure?.kind == .cutOff)
        let later = try TLSPair(TLSPair.client(), TLSPair.server())
        later.carry()
        later.client.receiveEnd()
        #expect(later.clientFailure?.kind == .cutOff)
        #expect(later.send([1], from: .client) == 0)
    }

    @Test func `much data passes both ways in bounded memory`() throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        pair.carry()
        let data = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var (up, down) = (0, 0)
        while up < data.count || down < data.count {
            up += pair.send(Array(data[up...].prefix(1 << 20)), from: .client)
            down += pair.send(Array(data[down...].prefix(1 << 20)), from: .server)
            pair.carry()
        }
        #expect(pair.serverReceived == data && pair.clientReceived == data)
        // 64 KiB, one record, and what surrounds five of them.
        #expect(pair.waitingMax >= TLSConnection.waitingBytesMax)
        #expect(pair.waitingMax < TLSConnection.waitingBytesMax + (16 << 10) + 5 * 32)
    }

    @Test func `nothing is taken while 64 KiB wait`() throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        pair.carry()
        let much = [UInt8](repeating: 7, count: 1 << 20)
        #expect(pair.send(much, from: .client) < 81 << 10)
        #expect(pair.send(much, from: .client) == 0)
        pair.client.takeOutbound { min($0.count, 32 << 10) }
        #expect(pair.send(much, from: .client) > 0)
    }

    @Test(arguments: [
        "{\"op\":\"ping\",\"id\":1}\n", "GET / HTTP/1.1\r\n\r\n", "\0", "\u{15}\u{3}\u{3}",
    ])
    func `a client that speaks something else isn't answered by TLS`(text: String) throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        Array(text.utf8).withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
        #expect(pair.serverFailure?.kind == .notTLS)
        #expect(pair.server.waitingBytes == 0 && pair.serverReceived.isEmpty)
    }

    @Test func `a server that speaks something else is a failure`() throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        Array("{\"op\":\"hello\"}\n".utf8).withUnsafeBytes {
            pair.client.receive($0, into: &pair.clientReceived)
        }
        #expect(pair.clientFailure?.kind == .notTLS)
    }

    @Test func `garbage fails and never crashes`() throws {
        let server = try TLSContext(server: TLSPair.server())
        var random = SeededRandom(seed: 1)
        for _ in 0..<10_000 {
            var connection = TLSConnection(server: server)
            var bytes: [UInt8] = [0x16, 0x03, 0x01]
            for _ in 0..<Int.random(in: 0..<600, using: &random) {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            }
            var plaintext: [UInt8] = []
            bytes.withUnsafeBytes { connection.receive($0, into: &plaintext) }
            #expect(plaintext.isEmpty)
            switch connection.phase {
            case .handshaking, .failed: break
            case .open, .peerDone: Issue.record("garbage opened a connection")
            }
        }
    }

    @Test func `a damaged byte in either direction fails`() throws {
        for place in stride(from: 0, to: 60, by: 3) {
            let pair = try TLSPair(TLSPair.client(), TLSPair.server())
            pair.carry()
            pair.send(Array("a line that nobody may change\n".utf8), from: .client)
            var record: [UInt8] = []
            pair.client.takeOutbound { bytes in
                record += bytes
                return bytes.count
            }
            guard place < record.count else { continue }
            record[place] ^= 0x40
            record.withUnsafeBytes { pair.server.receive($0, into: &pair.serverReceived) }
            // A length that grew waits for bytes that never come.
            if place == 3 || place == 4 { pair.server.receiveEnd() }
            #expect(pair.serverFailure != nil, "byte \(place)")
            #expect(pair.serverReceived.isEmpty)
        }
    }

    @Test func `a handshake is cut off at every byte`() throws {
        let context = try TLSContext(server: TLSPair.server())
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        var hello: [UInt8] = []
        pair.client.takeOutbound { bytes in
            hello += bytes
            return bytes.count
        }
        for count in 0..<hello.count {
            var connection = TLSConnection(server: context)
            var plaintext: [UInt8] = []
            hello[..<count].withUnsafeBytes { connection.receive($0, into: &plaintext) }
            #expect(connection.phase == .handshaking)
            connection.receiveEnd()
            guard case .failed(let failure) = connection.phase else {
                Issue.record("it didn't fail")
                continue
            }
            #expect(failure.kind == .cutOff)
        }
    }

    @Test func `a handshake has at most 64 KiB`() throws {
        let server = try TLSContext(server: TLSPair.server())
        var connection = TLSConnection(server: server)
        var plaintext: [UInt8] = []
        // A hello of 128 KiB by its own account, in records of 1 KiB.
        var sent = 0
        var record: [UInt8] = [0x16, 0x03, 0x01, 0x04, 0x00, 0x01, 0x01, 0xFF, 0xFF]
        record += [UInt8](repeating: 0, count: 5 + 1_024 - record.count)
        while connection.phase == .handshaking, sent < 1 << 20 {
            record.withUnsafeBytes { connection.receive($0, into: &plaintext) }
            sent += record.count
            record[5...8] = [0, 0, 0, 0]
        }
        guard case .failed(let failure) = connection.phase else {
            Issue.record("it takes everything")
            return
        }
        #expect(sent <= TLSConnection.handshakeBytesMax + 2 * record.count)
        #expect(failure.kind == .tooMuch)
    }
}
