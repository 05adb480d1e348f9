import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

/// Decides about one line: whether its client may do what it asks for.
struct AccessJudge {
    /// Who asks.
    let subject: AccessSubject
    /// Whether the client is on this machine.
    let isLocal: Bool
    /// The connection's memory of decisions.
    var cache = AccessCache()
    /// The last op of the line that was refused, and the verb that its client lacks.
    private(set) var refused: (op: Op, verb: Verb)?
    /// How many were refused: items of a `batch` are asked about one by one.
    private(set) var refusedCount = 0

    init(_ subject: AccessSubject, isLocal: Bool) {
        self.subject = subject
        self.isLocal = isLocal
    }

    fileprivate mutating func noteRefusal(of op: Op, _ verb: Verb) {
        refused = (op, verb)
        refusedCount += 1
    }

    /// Decides by an op's row of the table in docs/decisions/0064-grants.md.
    mutating func decide(_ op: Op, _ question: AccessQuestion) -> AccessDecision {
        var question = question
        question.isLocal = isLocal
        return Access.decide(op, question, for: subject, remembering: &cache)
    }
}

extension RequestDecoder {
    /// Refuses an op that the client may not use on what it names. It stands before everything that
    /// looks something up or decodes an event, and reads names only.
    ///
    /// - Throws: `UNAUTHENTICATED`, `FORBIDDEN`; and `BAD_REQUEST` where a name can't be read.
    mutating func requireAccess(_ op: Op, _ fields: Fields) throws(WireError) {
        guard var judge = judge.take() else { return }
        defer { self.judge = judge }
        let decision: AccessDecision
        if case .nobody = judge.subject {
            decision = judge.decide(op, AccessQuestion())
        } else {
            switch op.requirement {
            case .event, .trial: decision = try ask(op, fields, withEvent: true, &judge)
            case .target:
                decision =
                    fields.to == nil
                    ? try ask(op, machine: try machineName(), &judge)
                    : try ask(op, fields, withEvent: false, &judge)
            case .machine: decision = try ask(op, machine: try namedMachine(op), &judge)
            case .probe:
                var question = AccessQuestion()
                question.wantsHealth = try flag("health") ?? false
                decision = judge.decide(op, question)
            case .nothing, .ownConnection, .server, .filtered, .selection, .items,
                .askingInstance:
                decision = judge.decide(op, AccessQuestion())
            }
        }
        switch decision {
        case .allowed: return
        case .unauthenticated: throw WireError(.unauthenticated, ErrorCode.unauthenticated.meaning)
        case .forbidden(let verb):
            judge.noteRefusal(of: op, verb)
            throw .forbidden(verb)
        }
    }

    /// Asks about the instance in `to`, and the type of the event.
    private func ask(
        _ op: Op, _ fields: Fields, withEvent: Bool, _ judge: inout AccessJudge
    ) throws(WireError) -> AccessDecision {
        let name = try to(fields)
        var type: JSONDocument.Node?
        if withEvent {
            guard let event = fields.event else { throw .badRequest("$.event", "event is missing") }
            type = document.kind(event) == .string ? event : document.member("type", of: event)
        }
        var text = name.text
        return text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let target = AccessTarget(
                machine: UnsafeRawBufferPointer(rebasing: bytes[..<name.machineLength]),
                instance: UnsafeRawBufferPointer(rebasing: bytes[(name.machineLength + 1)...]))
            let typed = type.flatMap { node in
                document.withStringBytes(node) {
                    judge.decide(op, AccessQuestion(target, eventType: $0))
                }
            }
            return typed ?? judge.decide(op, AccessQuestion(target))
        }
    }

    private func ask(
        _ op: Op, machine: String?, _ judge: inout AccessJudge
    ) throws(WireError) -> AccessDecision {
        var machine = machine ?? ""
        return machine.withUTF8 {
            judge.decide(
                op,
                AccessQuestion(AccessTarget(machine: UnsafeRawBufferPointer($0), instance: nil)))
        }
    }

    /// The machine that `define`, `prune` or `undefine` names.
    private func namedMachine(_ op: Op) throws(WireError) -> String? {
        guard op == .define else { return try text("name") }
        return member("definition").flatMap { document.member("id", of: $0) }
            .flatMap { document.string($0) }
    }
}

extension WireError {
    /// `FORBIDDEN`: the verb that is missing, and nothing about the name.
    static func forbidden(_ verb: Verb) -> WireError {
        forbidden(verb: verb.rawValue)
    }

    /// The same, by the verb's word.
    static func forbidden(verb: String) -> WireError {
        WireError(.forbidden, "this takes a grant of '\(verb)'") { $0.member("verb", verb) }
    }
}
