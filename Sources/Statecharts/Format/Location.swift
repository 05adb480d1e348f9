import CEL

/// A place in the context that an action assigns: `cart.items[0].sku`.
struct Location: Sendable {
    enum Step: Sendable {
        case member(CELKey)
        case index(Int)
    }

    /// The member of the context.
    let root: CELKey
    /// The steps into its value.
    let steps: [Step]
    /// The text, for messages.
    let text: String
    /// The reason why nothing can be assigned here.
    var fault: String?

    /// The names that are never assigned.
    static let reserved: Set<String> = ["self", "event", "meta", "now", "rand"]

    private init(faulty text: String, _ fault: String) {
        root = CELKey("")
        steps = []
        self.text = text
        self.fault = fault
    }

    /// Reads a path.
    ///
    /// - Parameter isDeclared: Whether the context has a member of a name.
    init(_ text: String, isDeclared: (String) -> Bool) {
        var rest = text[...]
        let name = String(rest.prefix { $0 != "." && $0 != "[" })
        rest = rest.dropFirst(name.count)
        guard !name.isEmpty else {
            self.init(faulty: text, "a location begins with a member of the context")
            return
        }
        if let fault = Self.fault(of: name, isDeclared: isDeclared) {
            self.init(faulty: text, fault)
            return
        }
        var steps: [Step] = []
        while !rest.isEmpty {
            guard let step = Self.step(&rest) else {
                self.init(
                    faulty: text, "'\(text)' is no location: write a.b, a[0] or a[\"b\"]")
                return
            }
            steps.append(step)
        }
        self.init(root: name, steps: steps, text: text)
    }

    private init(root: String, steps: [Step], text: String) {
        self.root = CELKey(root)
        self.steps = steps
        self.text = text
    }

    private static func fault(of name: String, isDeclared: (String) -> Bool) -> String? {
        if reserved.contains(name) { return "'\(name)' can't be assigned" }
        if isDeclared(name) { return nil }
        return name == "context"
            ? "a location begins within the context: write it without 'context.'"
            : "the context has no member '\(name)': declare it in context"
    }

    private static func step(_ rest: inout Substring) -> Step? {
        if rest.first == "." {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "." && $0 != "[" }
            guard !name.isEmpty else { return nil }
            rest = rest.dropFirst(name.count)
            return .member(CELKey(String(name)))
        }
        guard rest.first == "[", let end = rest.firstIndex(of: "]") else { return nil }
        let inner = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        if let index = Int(inner) { return index >= 0 ? .index(index) : nil }
        guard let quote = inner.first, quote == "'" || quote == "\"", inner.count >= 2,
            inner.last == quote
        else { return nil }
        let name = inner.dropFirst().dropLast()
        guard !name.contains(quote), !name.contains("\\") else { return nil }
        return .member(CELKey(String(name)))
    }
}
