import GroveWire

extension FuzzTarget {
    /// Compares the framer with a slow one that reads all bytes at once. The first byte of the
    /// input determines where the rest is cut.
    static let framer = FuzzTarget(
        "framer", words: ["\n", "\r\n", "\r", "\r\r\n", "aaaaaaaaaaaaaaaa", "\n\n"],
        smokeInputs: 40_000
    ) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        guard !SlowFramer.isBorderline(bytes) else { return }
        let expected = SlowFramer.events(bytes)
        for step in [Int(first), bytes.count, 1] {
            let actual = SlowFramer.actual(bytes, step: max(1, step))
            guard actual == expected else {
                throw Finding("cut every \(step): \(actual), not \(expected)")
            }
        }
    }
}

enum SlowFramer {
    enum Event: Equatable {
        case line([UInt8])
        case tooLong
        case flood
    }

    static let lineMax = 24
    static let hardMax = 80

    /// Whether a final `\r` turns a line into a flood depends on the pieces. Both results are
    /// correct.
    static func isBorderline(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: 10).contains { $0.count == hardMax + 1 && $0.last == 13 }
    }

    /// The framer's results for these bytes in pieces of `step`.
    static func actual(_ bytes: [UInt8], step: Int) -> [Event] {
        var framer = LineFramer(lineBytesMax: lineMax, lineBytesHard: hardMax)
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(step))
            rest = rest.dropFirst(step)
            var position = 0
            var isDone = false
            while !isDone {
                chunk.withUnsafeBytes { chunk in
                    switch framer.next(in: chunk, from: &position) {
                    case .line(let range): events.append(.line(Array(chunk[range])))
                    case .carriedLine:
                        framer.withCarriedLine { events.append(.line(Array($0))) }
                    case .tooLong: events.append(.tooLong)
                    case .flood:
                        events.append(.flood)
                        isDone = true
                    case .empty: break
                    case .needsMore: isDone = true
                    }
                }
            }
            if events.last == .flood { break }
        }
        return normal(events)
    }

    /// Returns the expected results, from all bytes at once.
    static func events(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var parts = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let last = parts.popLast() ?? []
        for part in parts {
            let line = part.last == 13 ? part.dropLast() : part
            if line.count > hardMax {
                events.append(.flood)
                return normal(events)
            }
            if line.count > lineMax {
                events.append(.tooLong)
            } else if !line.isEmpty {
                events.append(.line(Array(line)))
            }
        }
        if last.count > hardMax {
            events.append(.flood)
        } else if last.count > lineMax, !(last.count == lineMax + 1 && last.last == 13) {
            events.append(.tooLong)
        }
        return normal(events)
    }

    /// Removes "too long" directly before a flood. Whether it is reported depends on the pieces,
    /// and it doesn't matter because the connection ends.
    private static func normal(_ events: [Event]) -> [Event] {
        guard events.last == .flood else { return events }
        var events = Array(events.dropLast())
        while events.last == .tooLong { events.removeLast() }
        return events + [.flood]
    }
}
