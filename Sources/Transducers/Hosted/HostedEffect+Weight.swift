import OrderedJSON

extension HostedEffect {
    /// About how many bytes it takes as JSON, the names around what the machine has put in left
    /// out. Looks at everything in it: what passes here can be stored and read back.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for what JSON can't say,
    ///   ``StepFailure/outputLimit(_:)`` for what is nested too deeply or has too long a name.
    func measured() throws(StepFailure) -> Int { try measured(depth: 1) }

    private func measured(depth: Int) throws(StepFailure) -> Int {
        guard depth <= Self.nestingMax else {
            throw .outputLimit("effects may be nested \(Self.nestingMax) deep")
        }
        switch self {
        case .start(let run): return try run.measured()
        case .event(let event): return try event.measured()
        case .cancel(let selector): return try selector.measured()
        case .rename(let renames):
            var bytes = 0
            for rename in renames { bytes += try rename.measured() }
            return bytes
        case .updateQueue(let queue): return try queue.measured()
        case .log(let label, let value): return try (label?.jsonBytes ?? 0) + value.measured()
        case .sequence(let parts), .all(let parts):
            var bytes = 0
            for part in parts { bytes += try part.measured(depth: depth + 1) }
            return bytes
        }
    }
}

extension HostedKey {
    fileprivate func measured() throws(StepFailure) -> Int {
        let bytes = text?.jsonBytes ?? 0
        guard bytes <= Self.bytesMax else {
            throw .outputLimit("an effect's id may have \(Self.bytesMax) bytes, not \(bytes)")
        }
        return types.map { $0.reduce(bytes) { $0 + $1.jsonBytes + 3 } } ?? bytes
    }
}

extension HostedRename {
    fileprivate func measured() throws(StepFailure) -> Int {
        try from.measured() + to.measured() + (event?.measured() ?? 0)
    }
}

extension HostedRun {
    fileprivate func measured() throws(StepFailure) -> Int {
        try retry.check()
        try Self.check([timeout ?? 0, Int64(rank)])
        var bytes = try key.measured() + work.measured() + (then?.jsonBytes ?? 0)
        if let queue { bytes += try queue.measured() }
        if let undo { bytes += try Self.measured(name: undo.handler) + undo.argument.measured() }
        return bytes
    }

    /// Refuses integers that JSON can't say exactly.
    fileprivate static func check(_ integers: [Int64]) throws(StepFailure) {
        for integer in integers where integer.magnitude > UInt64(integerMax) {
            throw .unstorable("the integer \(integer) isn't exact in JSON")
        }
    }

    fileprivate static func measured(name: String) throws(StepFailure) -> Int {
        let bytes = name.jsonBytes
        guard bytes <= targetBytesMax else {
            throw .outputLimit(
                "the name that an effect is for may have \(targetBytesMax) bytes, not \(bytes)")
        }
        return bytes
    }
}

extension RetryPolicy {
    fileprivate func check() throws(StepFailure) {
        guard factor.isFinite, jitter.isFinite else {
            throw .unstorable("its retry policy is no number")
        }
        try HostedRun.check([
            Int64(attemptsMax), intervalMilliseconds, intervalMillisecondsMax,
            totalMillisecondsMax ?? 0,
        ])
    }
}

extension HostedQueue {
    fileprivate func measured() throws(StepFailure) -> Int {
        try HostedRun.check([Int64(maxCount), spacing, spacingRange])
        return name.jsonBytes
    }
}

extension HostedSelector {
    fileprivate func measured() throws(StepFailure) -> Int {
        let scopes = scopes.reduce(0) { $0 + $1.jsonBytes + 3 }
        switch choice {
        case .id(let text), .prefix(let text): return scopes + text.jsonBytes
        case .all: return scopes
        }
    }
}

extension DurableWork where Event == JSONValue, Argument == JSONValue {
    fileprivate func measured() throws(StepFailure) -> Int {
        switch self {
        case .after(let delay, let event):
            try HostedRun.check([delay])
            return try event.measured()
        case .perform(let handler, let argument):
            return try HostedRun.measured(name: handler) + argument.measured()
        case .send(let target, let event, let delay):
            try HostedRun.check([delay])
            return try HostedRun.measured(name: target) + event.measured()
        case .start(let machine, let instance, let input, _):
            let name = instance.map { "\(machine)/\($0)" } ?? machine
            return try HostedRun.measured(name: name) + (input?.measured() ?? 0)
        case .ask(let expires):
            try HostedRun.check([expires ?? 0])
            return 0
        case .closure(let token):
            try HostedRun.check([token])
            return 0
        case .compensate: return 0
        }
    }
}

extension JSONValue {
    /// At least as many bytes as it has as JSON.
    fileprivate func measured() throws(StepFailure) -> Int { try measured(depth: 0) }

    private func measured(depth: Int) throws(StepFailure) -> Int {
        switch self {
        case .null, .bool: return 5
        case .string(let text): return text.jsonBytes + 2
        case .integer(let integer):
            try HostedRun.check([integer])
            return 24
        case .double(let double):
            guard double.isFinite else { throw .unstorable("JSON can't say \(double)") }
            return 24
        case .array(let elements):
            try Self.check(depth)
            var bytes = 2
            for element in elements { bytes += try element.measured(depth: depth + 1) + 1 }
            return bytes
        case .object(let members):
            try Self.check(depth)
            var bytes = 2
            for member in members {
                bytes += try member.name.jsonBytes + 4 + member.value.measured(depth: depth + 1)
            }
            return bytes
        }
    }

    private static func check(_ depth: Int) throws(StepFailure) {
        let max = JSONLimits.standard.depthMax
        guard depth < max else {
            throw .outputLimit("what an effect carries may be nested \(max) deep as JSON")
        }
    }
}

extension StepFailure {
    fileprivate static func unstorable(_ reason: String) -> StepFailure {
        .evaluation("an effect can't be written: \(reason)")
    }
}

extension String {
    /// Its bytes as JSON, without the quotes.
    fileprivate var jsonBytes: Int {
        var bytes = 0
        for byte in utf8 {
            switch byte {
            case 0..<0x20: bytes += 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += 2
            default: bytes += 1
            }
        }
        return bytes
    }
}
