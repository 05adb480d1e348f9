import CEL

/// The context: initial values and assignments (SCXML 5.3, 5.4 and 5.9).
extension Interpreter {
    /// Fills the context in the definition's order; later members see earlier ones. Input replaces
    /// members of the same name.
    mutating func fillContext(_ input: CELMap) throws(ChartFailure) {
        for member in chart.context {
            let value: CELValue
            if let given = input[member.key] {
                value = given
            } else {
                do throws(ChartFailure) {
                    value = try self.value(member.value)
                } catch {
                    // Where failures are events, the member is null.
                    try absorb(error)
                    state.context[member.key] = .null
                    isContextStale = true
                    continue
                }
            }
            variables[0] = .null
            state.context[member.key] = try normalized(value, at: member.path).value
            isContextStale = true
        }
        assignedBytes += 1
    }

    /// All values of one `assign` see the context before it, and are applied together.
    mutating func assign(
        _ assignments: [Action.Assignment], at path: String
    ) throws(ChartFailure) {
        if assignments.count == 1, let single = assignments.first {
            try assign(value(single.value), to: single.location, at: path)
            return
        }
        var values: [CELValue] = []
        for assignment in assignments { values.append(try value(assignment.value)) }
        let before = state.context
        do throws(ChartFailure) {
            for (assignment, value) in zip(assignments, values) {
                try assign(value, to: assignment.location, at: path)
            }
        } catch {
            state.context = before
            isContextStale = true
            throw error
        }
    }

    /// Sets the value at a location, whose parts but the last must exist. A last member is added if
    /// it is missing; a last index may be the list's count, which appends.
    mutating func assign(
        _ value: CELValue, to location: Location, at path: String
    ) throws(ChartFailure) {
        if let fault = location.fault { throw ChartFailure(.evalError, fault, at: path) }
        // Without this second reference the context is changed in place.
        variables[0] = .null
        isContextStale = true
        isChanged = true
        guard state.context.contains(location.root) else {
            throw ChartFailure(
                .evalError, "the context has no member for '\(location.text)'", at: path)
        }
        if location.steps.isEmpty {
            state.context[location.root] = value
        } else {
            var root = state.context[location.root] ?? .null
            state.context[location.root] = .null
            let isSet = Self.set(value, at: location.steps[...], in: &root)
            state.context[location.root] = root
            guard isSet else {
                throw ChartFailure(
                    .evalError, "there is no place '\(location.text)' in the context", at: path)
            }
        }
        try countAssigned(value, at: path)
    }

    /// Sets a value within another one; false if there is no such place.
    private static func set(
        _ value: CELValue, at steps: ArraySlice<Location.Step>, in target: inout CELValue
    ) -> Bool {
        guard let step = steps.first else {
            target = value
            return true
        }
        let rest = steps.dropFirst()
        switch (step, target) {
        case (.member(let key), .map(var map)):
            guard map[key] != nil || rest.isEmpty else { return false }
            target = .null
            var inner = map[key] ?? .null
            map[key] = .null
            let isSet = set(value, at: rest, in: &inner)
            map[key] = inner
            target = .map(map)
            return isSet
        case (.index(let index), .list(var list)):
            guard index < list.count || rest.isEmpty && index == list.count else { return false }
            target = .null
            if index == list.count { list.append(.null) }
            let isSet = set(value, at: rest, in: &list[index])
            target = .list(list)
            return isSet
        default: return false
        }
    }

    /// Measures the context each time that as many bytes were assigned as it may have, so that a
    /// step never holds much more.
    private mutating func countAssigned(
        _ value: CELValue, at path: String
    ) throws(ChartFailure) {
        switch value {
        case .string(let text): assignedBytes += text.utf8.count
        case .list, .map: assignedBytes += ChartLimits.resultBytesMax
        default: assignedBytes += 64
        }
        if assignedBytes > ChartLimits.stateBytesMax { try checkContext() }
    }

    /// Checks the size of the context, if it was assigned since it was measured.
    mutating func checkContext() throws(ChartFailure) {
        guard assignedBytes > 0 else { return }
        assignedBytes = 0
        guard ContextValue.bound(state.context) > ChartLimits.stateBytesMax else { return }
        let bytes = ContextValue.measure(state.context)
        guard bytes <= ChartLimits.stateBytesMax else {
            var failure = ChartFailure(
                .stateTooLarge,
                "the context would have about \(bytes) bytes; \(ChartLimits.stateBytesMax) are "
                    + "allowed")
            failure.stateBytes = bytes
            throw failure
        }
    }
}
