import CEL

extension CELEnvironment {
    /// The variables and functions of a chart's expressions.
    ///
    /// - Parameters:
    ///   - context: The type of the context.
    ///   - event: The type of the event.
    init(context: CELType, event: CELType) {
        let ends: [String: CELType] = [
            "kind": .dyn, "origin": .dyn, "via": .dyn, "send": .dyn, "invoke": .dyn,
        ]
        self.init(
            variables: [
                .init("context", context), .init("event", event),
                .init(
                    "self",
                    .object(["id": .string, "machine": .string, "v": .int, "address": .string])),
                .init("meta", .object(ends)), .init("now", .timestamp), .init("rand", .double),
            ],
            functions: [CELFunction("in", [.string], result: .bool)],
            allowsMixedArithmetic: true)
    }

    /// The type of `event`.
    var eventType: CELType { variables.first { $0.name == "event" }?.type ?? .dyn }

    /// The type of a context with these members, whose types aren't known.
    static func contextType(_ names: Set<String>) -> CELType {
        .object(Dictionary(uniqueKeysWithValues: names.map { ($0, CELType.dyn) }))
    }
}
