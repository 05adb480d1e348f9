import CEL

/// The types that the members of a context probably have, and the expressions that they don't fit.
///
/// A member has the type of its initial value, unless that is null, a loop sets it, or an action
/// assigns a value of another type that is known. Nothing keeps an event or the `input` of an
/// invocation from giving it another one, so what is found here is only a warning.
struct ContextTypes {
    /// An expression that refers to the context.
    private struct Use {
        let text: String
        let path: JSONPath
        let event: CELType
        let expected: CELType
    }

    private var types: [String: CELType] = [:]
    private var uses: [Use] = []

    // MARK: What is known

    /// A member has an initial value.
    mutating func declare(_ member: String, _ value: Literal) {
        switch value {
        case .constant(let value): types[member] = Self.kept(value.type)
        case .computed(let expression): types[member] = Self.type(of: .expression(expression))
        }
    }

    /// An action assigns a value. The type of a member isn't known if it gets a value of another
    /// type; what is assigned within its value is nothing new.
    mutating func assign(_ value: Template, at location: Location) {
        guard location.steps.isEmpty else { return }
        assign(Self.type(of: value), to: location)
    }

    /// An action assigns an id that it makes.
    mutating func assignID(at location: Location) { assign(.string, to: location) }

    private mutating func assign(_ type: CELType, to location: Location) {
        let member = ContextValue.text(of: location.root)
        // The actions come after the declarations.
        guard let known = types[member], type != .dyn, type != known else { return }
        types[member] = .dyn
    }

    /// A loop sets a member.
    mutating func setByLoop(_ member: String) { types[member] = .dyn }

    private static func type(of template: Template) -> CELType {
        switch template {
        case .constant(let value): kept(value.type)
        case .expression(let expression): kept(expression.program?.type ?? .dyn)
        case .list: .list(.dyn)
        case .map: .map(.string, .dyn)
        }
    }

    /// The type of a value that is kept in a context (``ContextValue``), without those of its
    /// elements.
    private static func kept(_ type: CELType) -> CELType {
        switch type {
        case .bool, .int, .double, .string: type
        case .uint: .int
        case .bytes, .timestamp, .duration, .type: .string
        case .list: .list(.dyn)
        case .map, .object: .map(.string, .dyn)
        case .null, .dyn, .optional, .variable: .dyn
        }
    }

    // MARK: Checking

    /// An expression without a fault, of a type that a condition, for example, must have.
    mutating func use(_ text: String, _ path: JSONPath, event: CELType, expecting type: CELType) {
        guard text.mentions("context") else { return }
        uses.append(Use(text: text, path: path, event: event, expected: type))
    }

    /// The expressions that have a fault if the members have the types that are known, each with
    /// its first fault.
    ///
    /// - Parameter names: All members of the context.
    func faults(names: Set<String>) -> [(path: JSONPath, fault: CELError)] {
        guard types.contains(where: { $0.value != .dyn }) else { return [] }
        let context = CELType.object(
            Dictionary(uniqueKeysWithValues: names.map { ($0, types[$0] ?? .dyn) }))
        var found: [(JSONPath, CELError)] = []
        for use in uses {
            // Not kept by the event's type: to find it there takes longer than to make it again.
            let environment = CELEnvironment(context: context, event: use.event)
            do throws(CELErrors) {
                try environment.check(use.text, expecting: use.expected)
            } catch {
                found.append((use.path, error.first))
            }
        }
        return found
    }
}
