import OrderedJSON

/// Turns a document of SCXML 1.0 into a definition.
public struct SCXMLImporter {
    /// Reads a file that a document names, such as a script; nil if there is none.
    public typealias Reader = (String) -> [UInt8]?

    static let namespace = "http://www.w3.org/2005/07/scxml"

    let read: Reader
    let machineLevel: Int
    let lines: LineTable
    var problems: ProblemCollector
    var document: SCXMLDocument
    var scope = ScriptScope()
    /// Members of the context without a datum, made by scripts and late binding.
    var extraContext = JSONObject()
    /// The names that data and scripts declare outside of blocks, or assign.
    var outerNames: Set<String> = []
    /// The events that the document sends and that are named like those of the platform, with
    /// their prefixes.
    var sentEvents: Set<String> = []
    /// Whether `done` events can be raised.
    var makesDone = false
    /// The general notes that are reported.
    var noted: Set<String> = []
    /// Whether a machine of the document sends values that may be objects as `content`.
    var sendsObjects = false
    /// The place of the data where no transition's events say it.
    var defaultData = ScriptScope.EventData.members
    /// Whether data get their values when their state is first entered (SCXML 5.3.3).
    var bindsLate = false

    /// Imports a document.
    ///
    /// - Parameters:
    ///   - bytes: XML in UTF-8, at most ``ImportLimits/documentBytesMax`` bytes.
    ///   - name: The machine's id, if the document has no usable name.
    ///   - read: Reads files that the document names in `src`.
    public static func definition(
        _ bytes: [UInt8], name: String, read: @escaping Reader = { _ in nil }
    ) -> ImportResult {
        let lines = LineTable(bytes)
        var problems = ProblemCollector(lines)
        let root: XMLElement
        do throws(XMLFault) {
            root = try XMLReader.read(bytes)
        } catch {
            problems.error(error.offset, error.message)
            return problems.result(nil)
        }
        guard root.name == "scxml", root.namespace == nil || root.namespace == namespace else {
            problems.error(root.offset, "the root element isn't 'scxml'")
            return problems.result(nil)
        }
        if root.namespace == nil {
            problems.warning(root.offset, "the namespace \(namespace) isn't declared")
        }
        var importer = SCXMLImporter(
            root, lines: lines, problems: problems, read: read, machineLevel: 0)
        let definition = importer.machine(root, name: name)
        let states = importer.document.states
        return importer.problems.result(.object(definition)) { path in
            // The innermost state of the machine itself; others are parts of `invoke`.
            var names: [String] = []
            var rest = path[...]
            while rest.first == .member("states"), case .member(let name)? = rest.dropFirst().first
            {
                names.append(name)
                rest = rest.dropFirst(2)
            }
            return states.first { $0.value.name == names.last }?.key ?? root.offset
        }
    }

    init(
        _ root: XMLElement, lines: LineTable, problems: ProblemCollector,
        read: @escaping Reader, machineLevel: Int
    ) {
        self.read = read
        self.lines = lines
        self.machineLevel = machineLevel
        self.problems = problems
        document = SCXMLDocument(root, &self.problems)
        scope.states = document.names
        scope.names = document.data
    }

    // MARK: The machine

    /// Returns the definition of a document, or of one inside another.
    mutating func machine(_ root: XMLElement, name: String?) -> JSONObject {
        checkAttributes(
            root, ["initial", "name", "datamodel", "version", "binding"], inMachine: true)
        var machine = JSONObject()
        if let id = machineName(root["name"], root) ?? name.flatMap(Self.machineName) {
            machine["id"] = .string(id)
        }
        if name != nil { machine["version"] = "1.0.0" }
        machine["errors"] = "scxml"
        let kind = root["datamodel"] ?? "ecmascript"
        if !["ecmascript", "null", "", "cel"].contains(kind) {
            problems.error(root.offset, "expressions of the data model '\(kind)' aren't read")
        }
        if let version = root["version"], version != "1.0" {
            problems.error(root.offset, "this is SCXML \(version), not 1.0")
        }
        switch root["binding"] {
        case nil, "early": break
        case "late": bindsLate = true
        default: problems.error(root.offset, "'binding' is early or late")
        }
        outerNames = document.data
        let (loops, declared) = scriptNames(root)
        for name in loops { scope.names.insert(name) }
        for name in declared where document.declare(name) {
            scope.names.insert(name)
            extraContext[name] = .null
        }
        prepare(root)
        let children = root.elements
        machine["initial"] = initial(of: root, children)
        let context = contextMembers(root, isRoot: true)
        // The states may add members of the context.
        machine["context"] = .null
        var scripts: [JSONValue] = []
        for child in children where child.name == "script" && isOurs(child) {
            scripts += script(child)
        }
        if !scripts.isEmpty { machine["entry"] = .array(scripts) }
        let transitions = children.filter { $0.name == "transition" && isOurs($0) }
        if let first = transitions.first {
            problems.warning(first.offset, "transitions of <scxml> aren't in SCXML 1.0")
        }
        addTransitions(of: root, transitions, to: &machine)
        machine["states"] = .object(states(in: root))
        checkChildren(
            root, ["datamodel", "script", "state", "parallel", "final", "transition"])
        var members = extraContext
        for member in context { members[member.name] = member.value }
        machine["context"] = members.isEmpty ? nil : .object(members)
        return machine
    }

    private mutating func machineName(_ text: String?, _ root: XMLElement) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let name = Self.machineName(text)
        if name != text {
            problems.warning(root.offset, "the machine's id is '\(name ?? "")', not '\(text)'")
        }
        return name
    }

    /// A machine's id from any text: letters, digits, `_`, `.` and `-`, a letter first.
    static func machineName(_ text: String) -> String? {
        let name = text.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "-": Character(scalar)
            default: "_"
            }
        }.drop { !$0.isLetter }.prefix(ImportLimits.nameBytesMax)
        return name.isEmpty ? nil : String(name)
    }

    /// The names that loops set, and those that scripts assign or declare.
    private func scriptNames(_ element: XMLElement) -> (loops: Set<String>, scripts: [String]) {
        var loops: Set<String> = []
        var scripts: [String] = []
        for child in element.elements where isOurs(child) {
            if child.name == "foreach" {
                for name in ["item", "index"] { if let text = child[name] { loops.insert(text) } }
            }
            if child.name == "script", let text = scriptText(child),
                let statements = try? ScriptParser.statements(text.bytes)
            {
                scripts += statements.flatMap(Self.assigned)
            }
            // The data of a machine inside are its own.
            if child.name == "invoke" { continue }
            let inner = scriptNames(child)
            loops.formUnion(inner.loops)
            scripts += inner.scripts
        }
        return (loops, scripts)
    }

    private static func assigned(_ statement: ScriptStatement) -> [String] {
        switch statement {
        case .assign(let place, _, _):
            guard let name = place.name, !name.hasPrefix("_") else { return [] }
            return [name]
        case .declare(let name): return [name]
        case .branch(_, let then, let other): return (then + other).flatMap(assigned)
        }
    }

    // MARK: Elements and attributes

    /// Whether an element is SCXML's own.
    func isOurs(_ element: XMLElement) -> Bool {
        element.namespace == nil || element.namespace == Self.namespace
    }

    /// Reports attributes that have no meaning here.
    mutating func checkAttributes(
        _ element: XMLElement, _ known: Set<String>, inMachine: Bool = false
    ) {
        for attribute in element.attributes {
            if let space = attribute.namespace {
                problems.warning(
                    attribute.offset,
                    "the attribute '\(attribute.name)' of \(space) isn't imported")
            } else if !known.contains(attribute.name) {
                problems.error(
                    attribute.offset,
                    "'\(attribute.name)' has no meaning in <\(element.name)>")
            }
        }
    }

    /// Reports elements and text that have no meaning here.
    mutating func checkChildren(
        _ element: XMLElement, _ known: Set<String>, allowsText: Bool = false
    ) {
        for child in element.elements {
            if !isOurs(child) {
                problems.warning(
                    child.offset,
                    "<\(child.name)> of \(child.namespace ?? "") isn't imported")
            } else if !known.contains(child.name) {
                problems.error(
                    child.offset, "<\(child.name)> has no meaning in <\(element.name)>")
            }
        }
        let text = element.text
        if !allowsText, let index = text.bytes.firstIndex(where: { !XMLReader.isSpace($0) }) {
            problems.error(
                text.offset(of: index), "<\(element.name)> has no text")
        }
    }

    /// Reports that attributes exclude each other.
    mutating func checkOneOf(_ element: XMLElement, _ names: [String]) {
        let present = names.filter { element.attribute($0) != nil }
        if present.count > 1 {
            problems.error(
                element.offset,
                "<\(element.name)> has only one of \(present.joined(separator: " and "))")
        }
    }
}
