import GroveWire

/// The members of the objects that the description names: of replies about instances, steps and
/// effects, and of errors.
enum SchemaMembers {
    /// The reply to an event of a batch, which waits for no effects.
    static let appliedInBatch = applied.filter { $0.name != "settled" }

    /// The reply to an event.
    static let applied: [JSONMember] = [
        JSONMember("v", .of(.version), "after the event"),
        JSONMember("cur", .of(.cursor), "after the records of the step"),
        JSONMember("changed", .flag, "whether the state differs from the one before"),
        JSONMember("state?", .any, "with reply state or full: the state after the event"),
        JSONMember("outputs?", .list(of: .any), "with reply full"),
        JSONMember("effects?", .list(of: .of(.effectChange)), "with reply full"),
        JSONMember(
            "settled?", .list(of: .of(.effectEnd)), "with settle: the ends of its effects"),
        JSONMember("done?", .only(true), "the instance is done"),
        JSONMember("dup?", .only(true), "the key was used before: this is the first reply"),
    ]

    static let effectEnd: [JSONMember] = [
        JSONMember("effect", .integer(from: 1)),
        JSONMember("to?", .of(.instanceName), "its instance, if it isn't the event's"),
        JSONMember("id?", .text),
        JSONMember("end", .word(ProtocolWords.effectEnds)),
        JSONMember("reason?", .text, "why it failed"),
    ]

    static let definition: [JSONMember] = [
        JSONMember("name", .of(.machineName)),
        JSONMember("version", .text),
        JSONMember("hash?", .text, "missing if this version isn't hosted"),
    ]

    static let instance: [JSONMember] = [
        JSONMember("state", .any),
        JSONMember("v", .of(.version)),
        JSONMember("done", .flag),
        JSONMember("in?", .list(of: .text), "if asked for: the names of the active states"),
        held,
        JSONMember("result?", .any, "if done: the last output, or stopped"),
        JSONMember("reason?", .text, "if stopped: why"),
        JSONMember("definition", .of(.definition), "of the last step"),
        JSONMember("timers", .list(of: .of(.timer))),
        JSONMember("effects", .list(of: .of(.instanceEffect)), "all others"),
    ]

    static let held = JSONMember("held?", .word(ProtocolWords.holds))

    static let instanceItem: [JSONMember] = [
        JSONMember("to", .of(.instanceName)),
        JSONMember("v", .of(.version)),
        JSONMember("state", .any),
        JSONMember("done", .flag),
        JSONMember("updated", .of(.time)),
        JSONMember("definition?", .text, "the version of its last step, if it is an earlier one"),
        held,
        JSONMember("since?", .of(.time), "when it was held"),
        JSONMember("reason?", .text, "why it is held"),
    ]

    static let step: [JSONMember] = [
        JSONMember("v", .of(.version)),
        JSONMember("event", .any),
        JSONMember("outputs", .list(of: .any)),
        JSONMember("state?", .any, "if the step changed it"),
        JSONMember("at", .of(.time)),
        JSONMember("dedup?", .of(.dedupKey)),
        JSONMember("by?", .text, "the principal that sent the event"),
        JSONMember("traceparent?", .of(.trace)),
    ]

    // MARK: Effects

    private static let progress: [JSONMember] = [
        JSONMember("due?", .of(.time), "its next change without an event"),
        JSONMember("asleep?", .only(true), "it waits for an instance that is held"),
        JSONMember("reason?", .text, "of the last failure"),
    ]

    private static let kind: [JSONMember] = [
        JSONMember("kind", .word(ProtocolWords.effectKinds)),
        JSONMember("name?", .text, "a handler, an instance, or a machine, by kind"),
        JSONMember("id?", .text),
        JSONMember("phase", .word(ProtocolWords.phases)),
        JSONMember("then?", .text, "the event that its result becomes"),
    ]

    private static let pending: [JSONMember] =
        [JSONMember("attempt?", .integer(from: 1), "of perform")] + progress + [
            JSONMember("token?", .text, "of an open question, for complete"),
            JSONMember("child?", .of(.instanceName), "of start"),
        ]

    private static let number = JSONMember("effect", .integer(from: 1), "its number")

    /// An effect in a page of effects.
    static let effect: [JSONMember] =
        [JSONMember("to", .of(.instanceName)), number] + kind
        + [JSONMember("event?", .any, "of a timer")] + pending
        + [JSONMember("asked", .of(.time), "when the machine asked for it")]

    /// An effect of an instance that is read.
    static let instanceEffect: [JSONMember] = [number] + kind + pending

    static let timer: [JSONMember] =
        [
            number, JSONMember("id?", .text),
            JSONMember("phase?", .word(ProtocolWords.phases), "if it doesn't sleep"),
            JSONMember("event", .any),
        ] + progress

    static let effectChange: [JSONMember] = [
        JSONMember("type", .word(ProtocolWords.effectChanges)),
        JSONMember("effect?", .integer(from: 1)),
        JSONMember("id?", .text),
        JSONMember("kind?", .word(ProtocolWords.effectKinds)),
        JSONMember("name?", .text),
        JSONMember("attempt?", .integer(from: 1)),
        JSONMember("due_ms?", .count, "milliseconds since 1970"),
        JSONMember("token?", .text, "of a question"),
        JSONMember("number?", .integer(from: 1), "of a result"),
        JSONMember("late_ms?", .count),
        JSONMember("undoes?", .count, "the number of effects that are undone"),
        JSONMember("reason?", .text),
        JSONMember("was?", .text, "the id before a migration"),
        JSONMember("label?", .text, "of what a machine logs"),
        JSONMember("value?", .any, "of what a machine logs"),
    ]

    // MARK: Errors

    static let error: [JSONMember] = [
        JSONMember("code", .word(ErrorCode.allCases.map(\.rawValue))),
        JSONMember("message", .text),
        JSONMember("retry", .flag, "whether the same request may succeed later"),
        JSONMember("retry_after_ms?", .count),
        JSONMember("data?", .object([]), "by code"),
    ]

    /// A refusal over HTTP; what only HTTP knows has no code.
    static let problem: [JSONMember] = [
        JSONMember("type", .text.formed("uri-reference")),
        JSONMember("title", .text),
        JSONMember("status", .integer(from: 400, to: 599)),
        JSONMember("detail", .text),
        JSONMember("instance?", .text, "the path"),
        JSONMember("code?", .word(ErrorCode.allCases.map(\.rawValue))),
        JSONMember("retry?", .flag, "whether the same request may succeed later"),
        JSONMember("retry_after_ms?", .count),
        JSONMember("data?", .object([]), "by code"),
    ]
}
