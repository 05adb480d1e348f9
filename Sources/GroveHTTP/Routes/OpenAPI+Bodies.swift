import GroveWire
import OrderedJSON

extension OpenAPI {
    /// One form of a request's body: the members that it may have, but for those of the path.
    struct BodyForm: Sendable {
        let members: [JSONMember]
        /// Members of which exactly one must be there.
        var choice: [String] = []
    }

    /// The body of a request; `nil` for a route without one.
    ///
    /// A body may have each member of the op but those in which the path has something: the same
    /// rule by which requests are read.
    static func body(of route: HTTPRoute) -> JSONSchema? {
        switch (route.body, route.action) {
        case (.none, _): return nil
        case (.event, _): return .of(.event)
        case (.members, .op(let op)), (.requiredMembers, .op(let op)):
            let taken = route.membersOfPath
            return .oneOf(
                forms(of: op).map { form in
                    .object(
                        form.members.filter { !taken.contains($0.name) } + [trace],
                        exactlyOneOf: form.choice)
                })
        case (.members, _), (.requiredMembers, _): return .object([])
        }
    }

    private static let trace = JSONMember("traceparent?", JSONSchema.of(.trace).orNull)
    private static let dedup = JSONMember("dedup?", .of(.dedupKey))
    private static let trial = JSONMember("trial?", .flag, "check it all, and change nothing")

    /// The forms that the members of an op's request may have.
    static func forms(of op: Op) -> [BodyForm] {
        switch op {
        case .accounts: accounts
        case .batch: [BodyForm(members: batch)]
        case .cancel: [BodyForm(members: cancel, choice: cancel.map { $0.name })]
        case .complete: [BodyForm(members: complete, choice: ["result", "error"])]
        case .create:
            [
                BodyForm(members: [
                    JSONMember(
                        "input?", .object([]).orNull, "members of a statechart's context"), dedup,
                ])
            ]
        case .define:
            [BodyForm(members: [JSONMember("definition", .object([]), "a statechart"), trial])]
        case .import: [BodyForm(members: importing)]
        case .migrate: [BodyForm(members: migrate)]
        case .retry:
            [
                BodyForm(members: [
                    JSONMember("effect?", .integer(from: 1), "its number"),
                    JSONMember("event?", .any, "instead of the stored one"),
                ])
            ]
        case .stop, .suspend:
            [
                BodyForm(members: [
                    JSONMember(
                        "reason?", .text(0...ProtocolLimits.reasonBytesMax), "kept, for people")
                ])
            ]
        case .token: tokens
        default: [BodyForm(members: [])]
        }
    }

    private static let batch: [JSONMember] = [
        JSONMember("items", .list(of: .of(.sendItem), 0...ProtocolLimits.batchItemsMax)),
        JSONMember("atomic?", .flag, "all are applied or none"),
    ]

    private static let cancel: [JSONMember] = [
        JSONMember(
            "effect?", .oneOf([.integer(from: 1), .text(from: 1)]),
            "the effect of this number, or all of this id"),
        JSONMember("timer?", .text(from: 1), "the timers of this id"),
        JSONMember("request?", .of(.dedupKey), "all that result from the event of this key"),
    ]

    private static let complete: [JSONMember] = [
        JSONMember("token", .text, "of the question"),
        JSONMember("result?", .any, "the answer"),
        JSONMember("error?", .text, "instead: why there is none"),
    ]

    private static let importing: [JSONMember] = [
        JSONMember(
            "v", .integer(from: 0, to: ProtocolLimits.importedVersionMax),
            "the version at which it begins"),
        JSONMember("state", .any),
        JSONMember(
            "definition?", .object([JSONMember("version?", .text)]),
            "the version of the machine that stored the state; the present one by default"),
        JSONMember("done?", .flag),
        JSONMember("result?", .any, "only with done"),
        dedup, trial,
    ]

    private static let migrate: [JSONMember] = [
        JSONMember("version?", .text, "the present one by default"),
        JSONMember("states?", .map(of: .text), "new names of states by the former ones"),
        JSONMember(
            "context?", .map(of: .any), "expressions for members, over the former context"),
        trial,
    ]
}
