/// The state that all coders of one decoding share: the document, and the places of errors.
///
/// Errors are thrown as Swift's `DecodingError`, so that hand-written `init(from:)` can catch them
/// as usual. Each contains a ``JSONDecodingError``, which ``report(_:)`` returns at the end.
final class DecodingState {
    typealias Node = JSONDocument.Node

    let document: JSONDocument
    let root: Node
    /// The node of the last enum with an unknown case name.
    var unknownCase: Node?
    // Unchecked, as in `EncodingState`: none of these accesses runs code of users.
    /// The node of the last enum whose only key was its case.
    @exclusivity(unchecked) var casedNode: Node?
    /// The node of the last enum whose keys were the members of an object.
    @exclusivity(unchecked) var listedNode: Node?
    /// The nodes of enums that were read as plain objects.
    @exclusivity(unchecked) private(set) var plainNodes: Set<Node> = []
    /// The type of the last enum.
    @exclusivity(unchecked) private var enumType: (any Decodable.Type)?
    /// What was read and what wasn't there; `nil` if nobody wants to know.
    let notes: ReadingNotes?
    /// The innermost node that threw an error other than `DecodingError`.
    private var foreignFailure: Node?
    /// For large objects, the index of the member after the last one found.
    private var cursors: [Node: Node] = [:]

    init(document: JSONDocument, root: Node, notes: ReadingNotes? = nil) {
        self.document = document
        self.root = root
        self.notes = notes
    }

    /// Decodes any value at `node`.
    func decode<T: Decodable>(_ type: T.Type, at node: Node) throws -> T {
        foreignFailure = nil
        let isEnum = TypeMetadata.isEnum(type)
        if isEnum { enumType = type }
        do {
            let form: KeyedForm = isEnum ? .enumeration : .object
            return try T(from: NodeDecoder(state: self, node: node, form: form))
        } catch {
            if isEnum, let value = stringValue(type, at: node) { return value }
            throw located(error, in: type, at: node, isEnum: isEnum)
        }
    }

    /// Decodes the values of the case at `node`.
    func decodeValues<T: Decodable>(_ type: T.Type, at node: Node) throws -> T {
        foreignFailure = nil
        do {
            return try T(from: NodeDecoder(state: self, node: node, form: .values))
        } catch {
            throw located(error, in: type, at: node, isEnum: false)
        }
    }

    // MARK: Enums

    /// Notes that the enum at `node` is read as a plain object.
    func setPlain(_ node: Node) {
        plainNodes.insert(node)
        if casedNode == node { casedNode = nil }
    }

    /// The value of a hand-written enum that is a string, and not the name of a case; `nil` for an
    /// enum of another kind.
    private func stringValue<T: Decodable>(_ type: T.Type, at node: Node) -> T? {
        guard document.kind(node) == .string, !EnumProbe.isSwifts(type) else { return nil }
        // The error of the first attempt is the one to report.
        return try? T(from: NodeDecoder(state: self, node: node, form: .object))
    }

    /// Throws if the enum at `node` has Swift's own form of a case, but isn't coded by hand.
    func refuseSwiftsForm(at node: Node) throws {
        guard listedNode == node, let enumType, EnumProbe.isSwifts(enumType) else { return }
        throw noCase(at: node)
    }

    /// The error of an enum whose case isn't known.
    func noCase(at node: Node) -> DecodingError {
        unknownCase = node
        return .typeMismatch(
            Any.self,
            DecodingError.Context(
                codingPath: document.steps(to: node), debugDescription: EnumProbe.wrongKeys))
    }

    // MARK: Simple values

    func bool(_ node: Node) throws -> Bool {
        if let value = document.bool(node) { return value }
        throw mismatch(Bool.self, expected: "true or false", at: node)
    }

    func string(_ node: Node) throws -> String {
        if let value = document.string(node) { return value }
        throw mismatch(String.self, expected: "a string", at: node)
    }

    func double(_ node: Node) throws -> Double {
        if let value = document.double(node) { return value }
        throw mismatch(Double.self, expected: "a number", at: node)
    }

    func float(_ node: Node) throws -> Float {
        guard let value = document.double(node) else {
            throw mismatch(Float.self, expected: "a number", at: node)
        }
        let float = Float(value)
        if float.isFinite { return float }
        throw mismatch(Float.self, expected: "a number within the range of Float", at: node)
    }

    func integer<T: FixedWidthInteger>(_ node: Node) throws -> T {
        if let value = document.integer(node), let integer = T(exactly: value) { return integer }
        let found: String? =
            switch document.kind(node) {
            case .integer: "one outside of that range"
            case .double: "a number with a fraction, an exponent or too many digits"
            default: nil
            }
        throw mismatch(T.self, expected: JSONWord.range(T.self), found: found, at: node)
    }

    // MARK: Members

    /// The value of the member `name` of an object; nil if there is none.
    func member(_ name: String, of object: Node) -> Node? {
        guard document.count(object) > JSONLimits.membersWithoutCursorMax else {
            let value = document.member(named: name, of: object)
            if let notes, let value { notes.read.insert(value) }
            return value
        }
        guard let value = document.member(named: name, of: object, from: cursors[object]) else {
            return nil
        }
        cursors[object] = document.nodeAfter(value)
        notes?.read.insert(value)
        return value
    }

    // MARK: Errors

    /// The error of a value of another type than `type` at `node`.
    func mismatch(
        _ type: any Any.Type, expected: String, found: String? = nil, at node: Node
    ) -> DecodingError {
        let message = "expected \(expected), found \(found ?? kindName(node))"
        let context = context(
            document.steps(to: node), message: message, expected: expected)
        return document.kind(node) == .null
            ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The error of an object without the member `name`, which belongs to `key`.
    ///
    /// - Parameter isMember: Whether it is a plain member, not a value of an enum's case.
    func missing<Key: CodingKey>(
        _ key: Key, _ name: String, of object: Node, _ type: any Any.Type, isMember: Bool = false
    ) -> DecodingError {
        let expected = JSONWord(type)?.exactText
        var steps = document.steps(to: object)
        var message = "the member \(quoted(name)) is missing"
        if let caseName = document.string(object) {
            message = "the case \(quoted(caseName)) needs the member \(quoted(name))"
        } else {
            steps.append(.name(name))
        }
        let member = isMember ? missingMember(Key.self, steps, of: object) : nil
        return .keyNotFound(
            key, context(steps, message: message, expected: expected, missing: member))
    }

    /// The missing member; nil if an array contains the object.
    private func missingMember<Key: CodingKey>(
        _ type: Key.Type, _ steps: [PathStep], of object: Node
    ) -> MissingMember? {
        var path: [String] = []
        for step in steps {
            guard case .name(let name) = step else { return nil }
            path.append(name)
        }
        let unknown = document.members(of: object).lazy
            .compactMap { name, _ in self.document.string(name) }
            .filter { Key(stringValue: $0) == nil }
        return MissingMember(
            path: path, unknown: Array(unknown.prefix(JSONLimits.unknownMembersMax)))
    }

    /// The error of an array without more elements.
    func exhausted(_ array: Node, _ type: any Any.Type) -> DecodingError {
        let count = document.count(array)
        return .valueNotFound(
            type,
            context(
                document.steps(to: array) + [.index(count)],
                message: "the array has only \(count) elements",
                expected: JSONWord(type)?.exactText))
    }

    /// The error of a label `type` of an enum case.
    func refusedLabel(at node: Node) -> DecodingError {
        .dataCorrupted(
            context(
                document.steps(to: node),
                message: "a case with a label \"type\" can't be read: that member names the case",
                expected: nil))
    }

    func context(
        _ steps: [PathStep], message: String, expected: String?, missing: MissingMember? = nil
    ) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: steps, debugDescription: message,
            underlyingError: JSONDecodingError(
                path: PathStep.text(steps), message: message, expected: expected,
                missing: missing))
    }

    /// The error to throw for one from a type's own code. For an unknown case name it replaces
    /// Swift's "invalid number of keys". An error of another type is unchanged; its node is kept
    /// for the report.
    private func located(
        _ error: any Error, in type: any Any.Type, at node: Node, isEnum: Bool
    ) -> any Error {
        guard let decoding = error as? DecodingError else {
            if foreignFailure == nil { foreignFailure = node }
            return error
        }
        if isEnum, unknownCase == node, case .typeMismatch(_, let context) = decoding,
            context.underlyingError == nil, context.debugDescription == EnumProbe.wrongKeys
        {
            return unknown(type, at: node)
        }
        return error
    }

    private func unknown(_ type: any Any.Type, at node: Node) -> DecodingError {
        let isObject = document.kind(node) == .object
        guard let caseNode = isObject ? document.member("type", of: node) : node else {
            return missing(PathStep.name(EnumLabels.type), EnumLabels.type, of: node, type)
        }
        guard let name = document.string(caseNode) else {
            let form = isObject ? "" : ", or an object with \"type\""
            return mismatch(type, expected: "the name of a case" + form, at: caseNode)
        }
        return .dataCorrupted(
            context(
                document.steps(to: caseNode), message: "there is no case \(quoted(name))",
                expected: "a case of \(type)"))
    }

    /// The error for the caller.
    func report(_ error: any Error) -> JSONDecodingError {
        guard let decoding = error as? DecodingError else {
            if let error = error as? JSONDecodingError { return error }
            let path = document.path(to: foreignFailure ?? root)
            return JSONDecodingError(path: path, message: "\(error)")
        }
        let context: DecodingError.Context
        var keys: [any CodingKey] = []
        var expected: String?
        switch decoding {
        case .typeMismatch(let type, let found), .valueNotFound(let type, let found):
            context = found
            expected = JSONWord(type)?.exactText
        case .keyNotFound(let key, let found):
            context = found
            keys = [key]
        case .dataCorrupted(let found): context = found
        @unknown default:
            return JSONDecodingError(path: document.path(to: root), message: "\(error)")
        }
        if let ours = context.underlyingError as? JSONDecodingError { return ours }
        return JSONDecodingError(
            path: PathStep.text(context.codingPath + keys), message: context.debugDescription,
            expected: expected)
    }

    private func quoted(_ name: String) -> String {
        var writer = JSONWriter()
        writer.string(name.count > 64 ? name.prefix(64) + "…" : name)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The kind of the value at `node`, without its contents.
    private func kindName(_ node: Node) -> String {
        switch document.kind(node) {
        case .null: "null"
        case .bool: "a bool"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
