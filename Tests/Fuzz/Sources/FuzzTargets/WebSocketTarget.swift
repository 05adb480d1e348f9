import GroveHTTP

extension FuzzTarget {
    /// Compares the reader of WebSocket with a slow one that has all bytes at once. The first byte
    /// of the input determines where the rest is cut.
    static let webSocket = FuzzTarget(
        "websocket",
        // Lengths and keys: bytes from 0x80 on are only in the corpus and in mutations.
        words: [
            "\u{0}\u{0}\u{0}\u{0}", "\u{1}\u{2}\u{3}\u{4}", "\u{1}", "\u{9}", "\u{8}", "\n", "äö",
            "€", "\u{10FFFF}", "~\u{0}~", "\u{3}é", "aaaaaaaaaaaaaaaa",
        ],
        smokeInputs: 20_000
    ) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let expected = SlowWebSocket.events(bytes)
        for step in [Int(first), bytes.count, 1] {
            let actual = try SlowWebSocket.actual(bytes, step: max(1, step))
            guard actual == expected else {
                throw Finding("cut every \(step): \(actual), not \(expected)")
            }
        }
    }
}

enum SlowWebSocket {
    enum Event: Equatable {
        case text([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        case close(Int?, reason: [UInt8])
        case failure(Int)
    }

    static let messageMax = 300

    /// The reader's results for these bytes in pieces of `step`.
    static func actual(_ bytes: [UInt8], step: Int) throws -> [Event] {
        var reader = WebSocketReader(messageBytesMax: messageMax)
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(step))
            rest = rest.dropFirst(step)
            var position = 0
            var isDone = false
            while !isDone {
                let hasEnded = events.last.map(isEnd) ?? false
                let count = events.count
                chunk.withUnsafeBytes { chunk in
                    switch reader.next(in: chunk, from: &position) {
                    case .text: events.append(.text(reader.message))
                    case .ping: events.append(.ping(reader.control))
                    case .pong: events.append(.pong(reader.control))
                    case .close(let code): events.append(.close(code, reason: reader.control))
                    case .failure(let failure): events.append(.failure(failure.code))
                    case .needsMore: isDone = true
                    }
                }
                if hasEnded, events.count > count { throw Finding("it reads after the end") }
                if reader.carriedBytes > messageMax + 125 {
                    throw Finding("\(reader.carriedBytes) bytes are held")
                }
            }
            if position < chunk.count { throw Finding("it needs more before the end") }
        }
        return events
    }

    private static func isEnd(_ event: Event) -> Bool {
        switch event {
        case .close, .failure: true
        case .text, .ping, .pong: false
        }
    }

    /// Returns the expected results, from all bytes at once.
    static func events(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        var text: [UInt8]?
        while let first = rest.popFirst() {
            let opcode = first & 15
            if let code = fault(of: first, within: text != nil) { return events + [.failure(code)] }
            guard let second = rest.popFirst() else { break }
            guard let length = length(after: second, opcode, &rest) else { break }
            guard second >= 128, length >= 0 else { return events + [.failure(1002)] }
            if opcode < 8, length > messageMax - (text ?? []).count {
                return events + [.failure(1009)]
            }
            guard rest.count >= 4 else { break }
            let key = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            let payload = rest.prefix(length).enumerated().map { $1 ^ key[$0 % 4] }
            rest = rest.dropFirst(length)
            let isWhole = payload.count == length
            if opcode < 8 {
                let all = (text ?? []) + payload
                let isLast = isWhole && first >= 128
                guard isText(all, isWhole: isLast) else { return events + [.failure(1007)] }
                text = isLast ? nil : all
                if isLast { events.append(.text(all)) }
            }
            guard isWhole else { break }
            switch opcode {
            case 8: return events + [close(payload)]
            case 9: events.append(.ping(payload))
            case 10: events.append(.pong(payload))
            default: break
            }
        }
        return events
    }

    /// The code of a first byte that can't be right.
    private static func fault(of first: UInt8, within isWithin: Bool) -> Int? {
        switch (first, isWithin) {
        case (0x00, true), (0x80, true), (0x01, false), (0x81, false), (0x88...0x8A, _): nil
        case (0x02, false), (0x82, false): 1003
        default: 1002
        }
    }

    /// The length that follows, -1 for a wrong one, `nil` if it isn't all there. An unmasked frame
    /// and a long control frame are wrong at once.
    private static func length(
        after second: UInt8, _ opcode: UInt8, _ rest: inout ArraySlice<UInt8>
    ) -> Int? {
        let short = Int(second & 127)
        if second < 128 || (opcode >= 8 && short > 125) { return -1 }
        if short < 126 { return short }
        let count = short == 126 ? 2 : 8
        guard rest.count >= count else { return nil }
        let long = rest.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(count)
        return long < (count == 2 ? 126 : 65_536) || long > Int.max ? -1 : Int(long)
    }

    private static func close(_ payload: [UInt8]) -> Event {
        guard !payload.isEmpty else { return .close(nil, reason: []) }
        guard payload.count > 1 else { return .failure(1002) }
        let code = Int(payload[0]) * 256 + Int(payload[1])
        let never = [1004, 1005, 1006, 1015]
        guard (1000...1015).contains(code) || (3000...4999).contains(code), !never.contains(code)
        else { return .failure(1002) }
        let reason = Array(payload.dropFirst(2))
        return String(validating: reason, as: UTF8.self) == nil
            ? .failure(1007) : .close(code, reason: reason)
    }

    /// Whether bytes are a text of one line, or can become one.
    private static func isText(_ bytes: [UInt8], isWhole: Bool) -> Bool {
        if bytes.contains(10) { return false }
        if isWhole { return String(validating: bytes, as: UTF8.self) != nil }
        return endings.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
    }

    /// Up to three bytes, some of which end whatever has begun rightly.
    private static let endings: [[UInt8]] = {
        let next: [UInt8] = [0x80, 0x90, 0xA0]
        let one = next.map { [$0] }
        let two = one.flatMap { end in next.map { end + [$0] } }
        return [[]] + one + two + two.flatMap { end in next.map { end + [$0] } }
    }()
}
