import OrderedJSON

/// Turns a machine of XState 5, written as JSON, into a definition.
///
/// Guards, actions and actors are code there, and their names are all that JSON has of them. A
/// named guard gets a place in `guards`, and an action a log; both fail until they are written, so
/// an event that needs them is refused and nothing changes.
public struct XStateImporter {
    typealias Path = JSONPlaces.Path

    private let places: JSONPlaces
    var problems: ProblemCollector
    let tree: XStateTree
    /// The guards that are named, in the order of their first use.
    var guards = JSONObject()

    /// Imports a machine.
    ///
    /// - Parameters:
    ///   - bytes: JSON, at most ``ImportLimits/documentBytesMax`` bytes.
    ///   - name: The machine's id, if it has no usable one.
    public static func definition(_ bytes: [UInt8], name: String) -> ImportResult {
        var problems = ProblemCollector(LineTable(bytes))
        let limits = JSONLimits(
            depthMax: ImportLimits.jsonLevelsMax, bytesMax: ImportLimits.documentBytesMax,
            valuesMax: ImportLimits.valuesMax)
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes, limits: limits)
        } catch {
            problems.error(error.offset, "this is no JSON: \(error.message)")
            return problems.result(nil)
        }
        guard let machine = json.object, machine["states"]?.object != nil else {
            problems.error(0, "a machine of XState is an object with 'states'")
            return problems.result(nil)
        }
        var importer = XStateImporter(machine, bytes, problems)
        let definition = importer.machine(machine, name: name)
        let places = importer.places
        return importer.problems.result(.object(definition)) { path in
            places.offset(of: Self.source(of: path, in: json))
        }
    }

    /// The way to the source of a part of the definition, as far as both are written alike.
    private static func source(of path: JSONPlaces.Path, in json: JSONValue) -> Path {
        var result: Path = []
        var value = json
        for step in path {
            switch step {
            case .member(let name):
                let members = value.object?.members ?? []
                let found =
                    members.first { $0.name == name }
                    ?? members.first {
                        result.last == .member("states") && XStateTree.plain($0.name) == name
                    }
                guard let found else { return result }
                result.append(.member(found.name))
                value = found.value
            case .element(let index):
                guard let list = value.array, index < list.count else { return result }
                result.append(step)
                value = list[index]
            }
        }
        return result
    }

    private init(_ machine: JSONObject, _ bytes: [UInt8], _ problems: ProblemCollector) {
        places = JSONPlaces(bytes)
        tree = XStateTree(machine)
        self.problems = problems
    }

    mutating func error(_ path: Path, _ message: String) {
        problems.error(offset(of: path), message)
    }

    mutating func warning(_ path: Path, _ message: String) {
        problems.warning(offset(of: path), message)
    }

    /// Searching a place walks the text, so only places that are reported are searched.
    private func offset(of path: Path) -> Int { problems.isFull ? 0 : places.offset(of: path) }

    // MARK: The machine and its states

    private mutating func machine(_ object: JSONObject, name: String) -> JSONObject {
        var result = JSONObject()
        let id = object["id"]?.string.flatMap(SCXMLImporter.machineName)
        if let given = object["id"]?.string, id != given {
            warning([.member("id")], "the machine's id is '\(id ?? "")', not '\(given)'")
        }
        if let id = id ?? SCXMLImporter.machineName(name) { result["id"] = .string(id) }
        result["version"] = object["version"]?.string.map { .string($0) } ?? "1.0.0"
        if let context = object["context"] { result["context"] = self.context(context) }
        // The guards are known when the states were read.
        result["guards"] = .null
        for member in state(object, 0, isMachine: true) { result[member.name] = member.value }
        result["guards"] = guards.isEmpty ? nil : .object(guards)
        return result
    }

    private mutating func context(_ json: JSONValue) -> JSONValue? {
        guard let object = json.object else {
            error([.member("context")], "a context is an object")
            return nil
        }
        var result = JSONObject()
        for member in object {
            // An object {"expr":…} would be computed.
            if let text = member.value.object?["expr"]?.string, member.value.object?.count == 1 {
                result[member.name] = ["expr": .string("{'expr': \(CELText.literal(text))}")]
            } else {
                result[member.name] = member.value
            }
        }
        return .object(result)
    }

    /// Members that say nothing more, or that are handled elsewhere.
    private static let derived: Set<String> = [
        "id", "key", "order", "version", "context", "transitions", "uniqueId",
    ]

    private static let unused: Set<String> = ["meta", "types", "tsTypes", "schemas", "schema"]

    private static let older: Set<String> = [
        "activities", "delimiter", "strict", "data", "preserveActionOrder",
        "predictableActionArguments",
    ]

    private mutating func state(
        _ object: JSONObject, _ index: Int, isMachine: Bool = false
    ) -> JSONObject {
        let path = tree.nodes[index].path
        var result = JSONObject()
        let node = tree.nodes[index]
        if !isMachine, node.name != XStateTree.plain(node.key) { result["id"] = .string(node.name) }
        let isHistory = Self.isHistory(object)
        if isHistory, object["type"] == nil { result["type"] = "history" }
        for member in Self.patternsLast(object) {
            let place = path + [.member(member.name)]
            switch member.name {
            case "type": addType(member.value, to: &result, place)
            case "history" where isHistory:
                switch member.value {
                case .string("deep"): result["history"] = "deep"
                // In XState `true` is shallow.
                case .string("shallow"), .bool, .null: break
                default: error(place, "'history' is shallow or deep")
                }
            case "history":
                // A definition that XState printed has it in each state.
                if !member.value.isNull, member.value.bool != false {
                    error(place, "'history' is of a state of the type history")
                }
            case "target":
                result["target"] = targets(member.value, index, among: node.parent, place)
            case "initial": result["initial"] = initial(member.value, index, place)
            case "states": addStates(member.value, of: index, to: &result, place)
            case "on": result["on"] = on(member.value, index, place)
            case "always", "onDone":
                result[member.name] = transitions(member.value, index, place)
            case "after": result["after"] = after(member.value, index, place)
            case "entry", "exit": result[member.name] = actionList(member.value, place)
            case "invoke": result["invoke"] = invocations(member.value, index, place)
            case "output": result["output"] = template(member.value)
            case "tags":
                result["tags"] = member.value.string.map { [.string($0)] } ?? member.value
            case "description": result["description"] = member.value
            case let name where Self.derived.contains(name): break
            case let name where Self.unused.contains(name):
                warning(place, "'\(name)' isn't imported")
            case let name where Self.older.contains(name):
                error(place, "'\(name)' is of XState 4")
            case let name: error(place, "'\(name)' is unknown here")
            }
        }
        return result
    }

    /// Whether a state stands for others. XState takes one without a type and without states for
    /// that if it has `history`.
    private static func isHistory(_ object: JSONObject) -> Bool {
        if let type = object["type"], !type.isNull { return type.string == "history" }
        let hasStates = !(object["states"]?.object?.isEmpty ?? true)
        guard !hasStates, let history = object["history"] else { return false }
        return history.bool == true || !(history.string ?? "").isEmpty
    }

    /// The members of a state, with `on` as the last one if it has patterns, which would win
    /// against `onDone` and `onError` otherwise: in XState a name does.
    private static func patternsLast(_ object: JSONObject) -> [JSONObject.Member] {
        let hasPatterns = object["on"]?.object?.contains { $0.name.hasSuffix("*") } ?? false
        guard hasPatterns else { return object.members }
        return object.members.filter { $0.name != "on" }
            + object.members.filter { $0.name == "on" }
    }

    private mutating func addType(
        _ json: JSONValue, to result: inout JSONObject, _ path: Path
    ) {
        switch json.string {
        case "atomic", "compound": break
        case "parallel", "final", "history": result["type"] = json
        default: error(path, "'type' is atomic, compound, parallel, final or history")
        }
    }

    private mutating func addStates(
        _ json: JSONValue, of index: Int, to result: inout JSONObject, _ path: Path
    ) {
        guard let object = json.object, !object.isEmpty else { return }
        var states = JSONObject()
        for member in object {
            let place = path + [.member(member.name)]
            guard let inner = member.value.object, let child = tree.index(at: place) else {
                error(place, "a state is an object")
                continue
            }
            let name = XStateTree.plain(member.name)
            if states[name] != nil { error(place, "another state would be named '\(name)' too") }
            states[name] = .object(state(inner, child))
        }
        result["states"] = .object(states)
    }

    private mutating func initial(
        _ json: JSONValue, _ index: Int, _ path: Path
    ) -> JSONValue? {
        if tree.nodes[index].isParallel || tree.nodes[index].children.isEmpty { return nil }
        guard let object = json.object else {
            return initialTargets(json, index, path)
        }
        guard let target = object["target"] else {
            error(path, "'initial' needs a target")
            return nil
        }
        let targets = initialTargets(target, index, path + [.member("target")])
        guard let actions = object["actions"], actions.array?.isEmpty != true else {
            return targets
        }
        let list = actionList(actions, path + [.member("actions")])
        return ["target": targets ?? .null, "actions": list ?? []]
    }

    /// A name is that of a child here, not of a sibling.
    private mutating func initialTargets(
        _ json: JSONValue, _ index: Int, _ path: Path
    ) -> JSONValue? {
        guard let text = json.string, !text.hasPrefix("#"), !text.hasPrefix(".") else {
            return targets(json, index, among: index, path)
        }
        return targets(.string("." + text), index, among: index, path)
    }

    // MARK: Values

    /// Returns a constant in a position where a text is an expression.
    func template(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(CELText.literal(text))
        case .array(let elements): return .array(elements.map { template($0) })
        case .object(let object):
            var result = JSONObject()
            for member in object { result[member.name] = template(member.value) }
            return .object(result)
        default: return value
        }
    }
}
