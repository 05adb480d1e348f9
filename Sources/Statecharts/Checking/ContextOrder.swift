import CEL

/// Finds computed initial values that use a member of the context which isn't there yet: the
/// members are filled in their order, so that each sees those before it.
enum ContextOrder {
    /// The members with such a value, each with what is wrong. It takes as long as the texts of the
    /// values.
    static func faults(in context: [Chart.Declaration]) -> [(path: String, message: String)] {
        var places: [String: Int] = [:]
        for (index, member) in context.enumerated() {
            places[ContextValue.text(of: member.key)] = index
        }
        var found: [(String, String)] = []
        for (index, member) in context.enumerated() {
            guard case .computed(let expression) = member.value,
                expression.text.mentions("context")
            else { continue }
            for name in CELEnvironment.members(of: "context", in: expression.text) {
                guard let place = places[name], place >= index else { continue }
                let reason = place == index ? "this is its own value" : "'\(name)' comes later"
                found.append(
                    (
                        member.path,
                        "'context.\(name)' isn't there yet: members are filled in their order, and "
                            + reason
                    ))
            }
        }
        return found
    }
}
