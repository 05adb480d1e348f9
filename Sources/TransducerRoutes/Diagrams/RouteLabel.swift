import OrderedJSON

/// The names of states and events in refusals, diagrams and lists.
///
/// A type with a wire form has its names there, so that clients can send the names of a refusal;
/// other types have their names in the source.
enum RouteLabel {
    /// The case's name: `add` for `.add(amount: 5)`.
    static func name<Value>(of value: Value) -> String {
        if let encodable = value as? any Encodable, let name = wireName(encodable) { return name }
        return caseName(of: value) ?? String(describing: value)
    }

    /// The name with associated values: `add(amount: 5)`.
    static func of<Value>(_ value: Value) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum, !(value is any CustomStringConvertible) else {
            return String(describing: value)
        }
        let name = name(of: value)
        guard let payload = mirror.children.first else { return name }
        return "\(name)(\(values(of: payload.value)))"
    }

    private static func values(of payload: Any) -> String {
        let mirror = Mirror(reflecting: payload)
        guard mirror.displayStyle == .tuple else { return of(payload) }
        return mirror.children.map { child in
            let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
            return (label.map { "\($0): " } ?? "") + of(child.value)
        }.joined(separator: ", ")
    }

    private static func caseName(of value: Any) -> String? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum, !(value is any CustomStringConvertible) else {
            return nil
        }
        return mirror.children.first?.label ?? String(describing: value)
    }

    /// The name in the enum's JSON; `nil` without one, which is no error for a label.
    private static func wireName(_ value: some Encodable) -> String? {
        guard JSONCoding.isEnum(type(of: value)) else { return nil }
        var writer = JSONWriter()
        guard (try? JSONCoding.encode(value, into: &writer)) != nil else { return nil }
        return CaseName.read(writer.bytes)
    }
}
