import CEL

extension CELEnvironment {
    /// The variables and functions of a chart's expressions.
    ///
    /// - Parameters:
    ///   - names: The members of the context; their types aren't known.
    ///   - event: The type of the event.
    init(ofContext names: Set<String>, event: CELType) {
        let ends: [String: CELType] = [
            "kind": .dyn, "origin": .dyn, "via": .dyn, "send": .dyn, "invoke": .dyn,
        ]
        let context = Dictionary(uniqueKeysWithValues: names.map { ($0, CELType.dyn) })
        self.init(
            variables: [
                .init("context", .object(context)), .init("event", event),
                .init(
                    "self",
                    .object(["id": .string, "machine": .string, "v": .int, "address": .string])),
                .init("meta", .object(ends)), .init("now", .timestamp), .init("rand", .double),
            ],
            functions: [CELFunction("in", [.string], result: .bool)],
            allowsMixedArithmetic: true)
    }
}
