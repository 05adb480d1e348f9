import OrderedJSON

/// What is known of a document's data before its expressions are written.
extension SCXMLImporter {
    /// The values that members of the context get.
    private struct Values {
        var constants: [(name: String, kind: CELText.Kind)] = []
        var computed: [(name: String, value: ScriptExpression)] = []

        mutating func add(_ name: String, _ value: ScriptExpression) {
            computed.append((name, value))
        }

        mutating func add(_ name: String, _ kind: CELText.Kind) {
            constants.append((name, kind))
        }

        /// Whether a member of a list or object is assigned.
        private(set) var changesMembers = false

        mutating func changeMember() { changesMembers = true }
    }

    /// Looks through a document for what its expressions mean.
    mutating func prepare(_ root: XMLElement) {
        var values = Values()
        collect(root, &values, isRoot: true)
        scope.changesMembers = values.changesMembers
        // The values of a machine inside come from outside, too.
        if machineLevel == 0, !bindsLate { scope.kinds = kinds(values) }
        if machineLevel == 0 { sendsObjects = sendsObjects(root, scope) }
        defaultData = place(of: dataSources(root))
        scope.eventData = defaultData
    }

    // MARK: Kinds

    /// The kinds of the members whose every value is of one kind.
    private func kinds(_ values: Values) -> [String: CELText.Kind] {
        var result: [String: CELText.Kind] = [:]
        func add(_ name: String, _ kind: CELText.Kind) {
            result[name] = result[name]?.joined(with: kind) ?? kind
        }
        for (name, kind) in values.constants { add(name, kind) }
        // Kinds only become less known, so a few rounds are enough; what still changes is unknown.
        for _ in 0..<ImportLimits.kindRoundsMax {
            let before = result
            for (name, value) in values.computed {
                var scope = scope
                scope.kinds = result
                var writer = CELWriter(scope)
                // What can't be written is reported where it stands; its kind isn't known.
                add(name, (try? writer.value(value).kind) ?? .unknown)
            }
            if result == before { return result }
        }
        for (name, _) in values.computed { result[name] = .unknown }
        return result
    }

    private static func kind(_ constant: JSONValue) -> CELText.Kind {
        switch constant {
        case .null: .nothing
        case .bool: .bool
        case .integer: .integer
        case .string: .string
        case .array: .list
        case .object: .map
        default: .number
        }
    }

    /// Collects the values of data, assignments, scripts and loops.
    private mutating func collect(_ element: XMLElement, _ values: inout Values, isRoot: Bool) {
        for child in element.elements where isOurs(child) {
            switch child.name {
            case "datamodel":
                for datum in child.elements { addDatum(datum, &values) }
            case "assign": addAssignment(child, &values)
            case "script":
                // A fault is reported where the script is imported; here it assigns nothing.
                guard let text = scriptText(child),
                    let statements = try? ScriptParser.statements(text.bytes)
                else { continue }
                for statement in statements { add(statement, &values) }
            case "foreach":
                if let item = child["item"] { values.add(item, .unknown) }
                if let index = child["index"] { values.add(index, .integer) }
                collect(child, &values, isRoot: false)
            case "send", "invoke":
                // Ids and what an empty finalize returns.
                addPlaces(child, &values)
                for inner in child.elements where inner.name == "finalize" {
                    collect(inner, &values, isRoot: false)
                }
            default: collect(child, &values, isRoot: false)
            }
        }
        if isRoot { for member in extraContext { values.add(member.name, .nothing) } }
    }

    private func addDatum(_ datum: XMLElement, _ values: inout Values) {
        guard let id = datum["id"] else { return }
        if let attribute = datum.attribute("expr") {
            // A fault is reported where the datum is imported.
            guard let parsed = try? ScriptParser.expression(attribute.value.bytes) else {
                return values.add(id, .nothing)
            }
            // A value that fails is null.
            guard let constant = parsed.constant else { return values.add(id, .unknown) }
            return values.add(id, Self.kind(constant))
        }
        let isEmpty = datum["src"] == nil && datum.elements.isEmpty && datum.text.isBlank
        values.add(id, isEmpty ? .nothing : .unknown)
    }

    private func addAssignment(_ element: XMLElement, _ values: inout Values) {
        // Faults are reported where the assignment is imported.
        guard let location = element.attribute("location"),
            let place = try? ScriptParser.expression(location.value.bytes)
        else { return }
        guard let name = place.name else { return values.changeMember() }
        guard let attribute = element.attribute("expr") else { return values.add(name, .unknown) }
        if let parsed = try? ScriptParser.expression(attribute.value.bytes) {
            values.add(name, parsed)
        }
    }

    private func add(_ statement: ScriptStatement, _ values: inout Values) {
        switch statement {
        case .declare(let name): values.add(name, .nothing)
        case .assign(let place, let value, _):
            guard let name = place.name else { return values.changeMember() }
            if case .binary("[+]", _, _) = value.node { values.changeMember() }
            values.add(name, value)
        case .branch(_, let then, let other):
            for inner in then + other { add(inner, &values) }
        }
    }

    private func addPlaces(_ element: XMLElement, _ values: inout Values) {
        var names = (element["namelist"] ?? "").split(whereSeparator: \.isWhitespace)
            .map(String.init)
        names += element.elements.compactMap { $0["location"] }
        if element.name == "send" { names = [] }
        if let place = element["idlocation"] { names.append(place) }
        for name in names { values.add(name, .unknown) }
    }

    // MARK: Places of data

    /// What can be the source of an event's data.
    struct DataSources {
        var isUser = false
        var isDone = false
        var isError = false
    }

    /// The place of the data of events from these sources.
    func place(of sources: DataSources) -> ScriptScope.EventData {
        var names: [String] = []
        if sources.isDone { names.append("output") }
        if sources.isError { names.append("error") }
        if sources.isUser, sendsObjects { names.append("value") }
        if sources.isUser || names.count > 1 {
            return names.isEmpty ? .members : .either(names)
        }
        return names.first.map { .member($0) } ?? .members
    }

    /// The sources of the data of events with these descriptors.
    func dataSources(_ descriptors: [String]) -> DataSources {
        let errors: Set<String> = [
            "error.execution", "error.communication", "error.platform", "error.invoke",
        ]
        var result = DataSources()
        for descriptor in descriptors {
            let name = descriptor.hasSuffix(".*") ? String(descriptor.dropLast(2)) : descriptor
            let parts = name.split(separator: ".")
            let start = parts.prefix(2).joined(separator: ".")
            if start == "done.state" || start == "done.invoke" {
                result.isDone = true
                if sentEvents.contains(name) { result.isUser = true }
            } else if errors.contains(start) {
                result.isError = true
                if sentEvents.contains(name) { result.isUser = true }
            } else {
                result.isUser = true
                if name == "done" || name == "*" { result.isDone = true }
                if name == "error" { result.isError = true }
            }
        }
        if !makesDone, result.isUser { result.isDone = false }
        return result
    }

    /// The sources of the data of events that any transition of a document takes.
    private mutating func dataSources(_ root: XMLElement) -> DataSources {
        var descriptors: [String] = []
        walk(root) { importer, element in
            switch element.name {
            case "transition":
                descriptors += (element["event"] ?? "").split(whereSeparator: \.isWhitespace)
                    .map { String($0.hasSuffix(".*") ? $0.dropLast(2) : $0) }
            case "send":
                importer.addSentEvent(element["event"] ?? "")
            case "final", "invoke": importer.makesDone = true
            default: break
            }
        }
        return dataSources(descriptors)
    }

    /// Adds an event that is named like those of the platform, with its prefixes.
    private mutating func addSentEvent(_ event: String) {
        guard event.hasPrefix("done.") || event.hasPrefix("error."),
            event.utf8.count <= ImportLimits.stateNameBytesMax
        else { return }
        sentEvents.insert(event)
        for index in event.indices where event[index] == "." {
            sentEvents.insert(String(event[..<index]))
        }
    }

    /// Visits the elements of a machine, without those of machines inside.
    private mutating func walk(
        _ element: XMLElement, _ visit: (inout SCXMLImporter, XMLElement) -> Void
    ) {
        for child in element.elements where isOurs(child) && child.name != "scxml" {
            visit(&self, child)
            walk(child, visit)
        }
    }

    /// Whether a machine sends a value that may be an object as `content`.
    private func sendsObjects(_ element: XMLElement, _ scope: ScriptScope) -> Bool {
        var scope = scope
        // The data of a machine inside are its own.
        if element.name == "invoke" { scope.kinds = [:] }
        return element.elements.contains { child in
            if element.name == "send", child.name == "content",
                let attribute = child.attribute("expr"), Self.maySendObject(attribute, scope)
            {
                return true
            }
            return sendsObjects(child, scope)
        }
    }

    /// Whether the value of `content` may be an object, whose members are known only later.
    static func maySendObject(_ attribute: XMLElement.Attribute, _ scope: ScriptScope) -> Bool {
        // Faults are reported where the content is imported; nothing is sent then.
        guard let parsed = try? ScriptParser.expression(attribute.value.bytes) else { return false }
        if case .object = parsed.node { return false }
        var writer = CELWriter(scope)
        guard let kind = try? writer.value(parsed).kind else { return false }
        return kind == .unknown || kind == .map
    }
}
