import OrderedJSON
import Transducers

// A row in a journal record. The members of frequent rows are written one by one, without those
// that the record has: a tenth of the bytes of the JSON in `effects`. All others are this JSON.

extension StoredEffect {
    /// The first byte of a row in a record.
    private struct Form: OptionSet {
        let rawValue: UInt8
        /// It has a handler queue.
        static let queue = Form(rawValue: 2)
        /// Its members one by one; else its body as JSON.
        static let short = Form(rawValue: 4)
        /// It is active; else it waits for its turn in a queue of its machine. Only of short ones.
        static let active = Form(rawValue: 8)
        /// Its handler queue has the name of its handler. Only of short ones.
        static let ownQueue = Form(rawValue: 16)
        /// It began with the step. Only of short ones.
        static let beginning = Form(rawValue: 32)
        /// It can be undone. Only of short ones.
        static let undo = Form(rawValue: 64)
    }

    /// The members of a short row that most don't have.
    private struct Extras: OptionSet {
        let rawValue: UInt8
        static let id = Extras(rawValue: 1)
        static let scopes = Extras(rawValue: 2)
        static let then = Extras(rawValue: 4)
        static let retry = Extras(rawValue: 8)
        static let timeout = Extras(rawValue: 16)
        static let request = Extras(rawValue: 32)
        static let log = Extras(rawValue: 64)
        static let begun = Extras(rawValue: 128)
    }

    /// Whether a row can be made from the journal, and need not be written with its commit: work
    /// that neither has a due time nor waits for an answer.
    var canBeJournaled: Bool {
        due == nil && (body.phase == .active || body.phase == .waiting) && body.asleep == nil
            && weight <= Limits.journaledEffectBytesMax
    }

    func appendJournaled(to bytes: inout [UInt8], at: Timestamp) throws(StoreError) {
        var form: Form = []
        if handlerQueue != nil { form.insert(.queue) }
        guard let run = body.run, case .perform(let handler, let argument) = run.work,
            isShort(run, at: at)
        else {
            bytes.append(form.rawValue)
            if let handlerQueue { ByteCoding.append(handlerQueue.utf8, to: &bytes) }
            return ByteCoding.append(try encodedBody(), to: &bytes)
        }
        form.insert(.short)
        if body.phase == .active { form.insert(.active) }
        if handlerQueue == handler {
            form.insert(.ownQueue)
            form.remove(.queue)
        }
        let isBeginning = body.asked == at.milliseconds && body.begun == body.asked
        if isBeginning { form.insert(.beginning) }
        if run.undo != nil { form.insert(.undo) }
        bytes.append(form.rawValue)
        if form.contains(.queue), let handlerQueue {
            ByteCoding.append(handlerQueue.utf8, to: &bytes)
        }
        var extras: Extras = []
        if run.key.id != nil { extras.insert(.id) }
        if !run.key.scopes.isEmpty { extras.insert(.scopes) }
        if run.then != nil { extras.insert(.then) }
        if run.retry != .standard { extras.insert(.retry) }
        if run.timeout != nil { extras.insert(.timeout) }
        if body.request != nil { extras.insert(.request) }
        if body.log != nil { extras.insert(.log) }
        if !isBeginning, body.begun != nil { extras.insert(.begun) }
        bytes.append(extras.rawValue)
        if !isBeginning {
            ByteCoding.append(body.asked, to: &bytes)
            if let begun = body.begun { ByteCoding.append(begun, to: &bytes) }
        }
        ByteCoding.append(Int64(body.failures), to: &bytes)
        ByteCoding.append(Int64(body.delivered), to: &bytes)
        ByteCoding.append(run.policy.rawValue.utf8, to: &bytes)
        ByteCoding.append(Int64(run.rank), to: &bytes)
        ByteCoding.append(handler.utf8, to: &bytes)
        ByteCoding.append(argument.serialized(), to: &bytes)
        if let id = run.key.id { ByteCoding.append(id.utf8, to: &bytes) }
        if extras.contains(.scopes) {
            ByteCoding.append(Int64(run.key.scopes.count), to: &bytes)
            for scope in run.key.scopes { ByteCoding.append(scope.utf8, to: &bytes) }
        }
        if let then = run.then { ByteCoding.append(then.utf8, to: &bytes) }
        if extras.contains(.retry) { run.retry.append(to: &bytes) }
        if let timeout = run.timeout { ByteCoding.append(timeout, to: &bytes) }
        if let request = body.request { ByteCoding.append(request.utf8, to: &bytes) }
        if let log = body.log { ByteCoding.append(log.utf8, to: &bytes) }
        if let undo = run.undo {
            ByteCoding.append(undo.handler.utf8, to: &bytes)
            ByteCoding.append(undo.argument.serialized(), to: &bytes)
        }
    }

    /// Whether all its members are among those of short rows, and its numbers can be written so.
    private func isShort(_ run: HostedRun, at: Timestamp) -> Bool {
        body.reason == nil && body.token == nil && body.child == nil && body.outcome == nil
            && body.parent == nil && body.rest == nil && body.outstanding == 0 && !body.isBroken
            && !body.goesOn && !body.isFinal && body.asleep == nil && body.trace == nil
            && run.queue == nil && run.key.types == nil
            && run.rank >= 0 && (run.timeout ?? 0) >= 0 && body.asked >= 0
            && (body.begun ?? 0) >= 0 && body.failures >= 0 && body.delivered >= 0
            && run.retry.isShort && at.milliseconds >= 0
    }

    /// Decodes a row of a record.
    ///
    /// - Throws: `.corrupt` for bytes that aren't one; never traps.
    init(
        journaledIn reader: inout ByteReader, ref: EffectRef, owner: String, at: Timestamp
    ) throws(StoreError) {
        let form = Form(rawValue: try reader.byte())
        let queue = form.contains(.queue) ? try reader.string() : nil
        guard form.contains(.short) else {
            try self.init(
                ref: ref, due: nil, handlerQueue: queue, decoding: try reader.span())
            return
        }
        let extras = Extras(rawValue: try reader.byte())
        let isBeginning = form.contains(.beginning)
        let asked = isBeginning ? at.milliseconds : try reader.integer()
        let begun =
            isBeginning ? asked : extras.contains(.begun) ? try reader.integer() : nil
        let failures = Int(try reader.integer())
        let delivered = Int(try reader.integer())
        guard let policy = EffectPolicy(rawValue: try reader.string()) else {
            throw .corrupt("a journaled effect of \(owner) has an unknown policy")
        }
        let rank = Int(try reader.integer())
        let handler = try reader.string()
        let argument = try Self.value(try reader.array(), of: owner)
        var run = HostedRun(
            key: HostedKey(id: extras.contains(.id) ? try reader.string() : nil), policy: policy,
            rank: rank, work: .perform(handler: handler, argument: argument))
        if extras.contains(.scopes) {
            for _ in 0..<(try reader.integer()) { run.key.scopes.append(try reader.string()) }
        }
        if extras.contains(.then) { run.then = try reader.string() }
        if extras.contains(.retry) { run.retry = try RetryPolicy(decoding: &reader) }
        if extras.contains(.timeout) { run.timeout = try reader.integer() }
        var body = Body(
            owner: owner, phase: form.contains(.active) ? .active : .waiting, run: run,
            asked: Timestamp(milliseconds: asked))
        body.begun = begun
        body.failures = failures
        body.delivered = delivered
        if extras.contains(.request) { body.request = try reader.string() }
        if extras.contains(.log) { body.log = try reader.string() }
        if form.contains(.undo) {
            let undo = try reader.string()
            let argument = try Self.value(try reader.array(), of: owner)
            body.run?.undo = HostedRun.Undo(handler: undo, argument: argument)
        }
        self.init(
            ref: ref, handlerQueue: form.contains(.ownQueue) ? handler : queue, body: body)
    }

    private static func value(
        _ bytes: [UInt8], of owner: String
    ) throws(StoreError) -> JSONValue {
        do {
            let document = try JSONDocument(parsing: bytes, limits: .stored)
            return try JSONCoding.decode(JSONValue.self, from: document, at: document.root)
        } catch {
            throw .corrupt("the argument of an effect of \(owner) can't be read: \(error)")
        }
    }
}

extension RetryPolicy {
    fileprivate var isShort: Bool {
        attemptsMax >= 0 && intervalMilliseconds >= 0 && intervalMillisecondsMax >= 0
            && (totalMillisecondsMax ?? 0) >= 0 && totalMillisecondsMax != .max
    }

    /// Appends the numbers; those that aren't integers as their bits.
    fileprivate func append(to bytes: inout [UInt8]) {
        ByteCoding.append(Int64(attemptsMax), to: &bytes)
        ByteCoding.append(intervalMilliseconds, to: &bytes)
        ByteCoding.append(intervalMillisecondsMax, to: &bytes)
        ByteCoding.append(totalMillisecondsMax.map { $0 + 1 } ?? 0, to: &bytes)
        for number in [factor, jitter] {
            withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    fileprivate init(decoding reader: inout ByteReader) throws(StoreError) {
        self.init(attemptsMax: Int(try reader.integer()))
        intervalMilliseconds = try reader.integer()
        intervalMillisecondsMax = try reader.integer()
        let total = try reader.integer()
        totalMillisecondsMax = total == 0 ? nil : total - 1
        factor = Double(bitPattern: try reader.word())
        jitter = Double(bitPattern: try reader.word())
    }
}
