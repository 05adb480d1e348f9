import ArgumentParser
import GroveClient
import GroveEngine
import OrderedJSON
import Transducers

/// An instance, read from a line of an export.
struct ImportLine {
    /// The instance's name, `machine/instance`.
    let name: String
    /// The number of live effects that it had.
    let effects: Int64
    private let version: Int64
    private let state: [UInt8]
    private let definitionVersion: String?
    private let isDone: Bool
    private let result: [UInt8]?

    /// Whether a line has only white space.
    static func isEmpty(_ line: [UInt8]) -> Bool {
        line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
    }

    /// Whether a line is one of an export, rather than the first one of another document in JSON.
    static func isExported(_ line: [UInt8]) -> Bool {
        // What is no JSON, such as the first line of a longer document, is none.
        guard let document = try? JSONDocument(parsing: line),
            document.kind(document.root) == .object
        else { return false }
        let fields = Fields(document)
        let name = fields.string("to") ?? fields.string("history")
        return name.flatMap { InstanceName($0) } != nil && fields.integer("v") != nil
    }

    /// Reads a line; `nil` for a step of an instance's history, which an import ignores. Unknown
    /// members are ignored too.
    ///
    /// - Throws: The error of the line.
    static func read(_ line: [UInt8]) throws(ValidationError) -> ImportLine? {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(parsing: line) } catch {
            throw ValidationError("it is no valid JSON: \(error)")
        }
        guard document.kind(document.root) == .object else {
            throw ValidationError("it is no JSON object")
        }
        let fields = Fields(document)
        return try isStep(fields) ? nil : ImportLine(fields, document)
    }

    /// Whether a line is a step: it names its instance in the member `history`, and has no `to`.
    private static func isStep(_ fields: Fields) throws(ValidationError) -> Bool {
        guard fields.node("to") == nil, fields.node("history") != nil else { return false }
        guard fields.string("history").flatMap({ InstanceName($0) }) != nil else {
            throw ValidationError("\"history\" is not MACHINE/INSTANCE")
        }
        guard let version = fields.integer("v"), version > 0 else {
            throw ValidationError("\"v\" of a step is missing, or is no version")
        }
        return true
    }

    private init(_ fields: Fields, _ document: JSONDocument) throws(ValidationError) {
        guard let text = fields.string("to"), InstanceName(text) != nil else {
            throw ValidationError("\"to\" is missing, or is not MACHINE/INSTANCE")
        }
        guard let version = fields.integer("v"), version >= 0 else {
            throw ValidationError("\"v\" is missing, or is no version")
        }
        guard let state = fields.node("state") else {
            throw ValidationError("\"state\" is missing")
        }
        if fields.node("done") != nil, fields.bool("done") == nil {
            throw ValidationError("\"done\" is neither true nor false")
        }
        let definition = fields.node("definition").map { Fields(document, $0) }
        definitionVersion = definition?.string("version")
        if definition?.node("version") != nil, definitionVersion == nil {
            throw ValidationError("the \"version\" in \"definition\" is no string")
        }
        name = text
        self.version = version
        self.state = Array(document.text(state))
        isDone = fields.bool("done") ?? false
        result = fields.node("result").map { Array(document.text($0)) }
        effects = fields.integer("effects") ?? 0
    }

    /// The request that creates the instance. Its key has a hash of the line, so that the same line
    /// is applied once, whatever happened to the instance since.
    func request(isTrial: Bool) -> GroveClient.Request {
        var content = Array("\(version) \(isDone) ".utf8) + state
        if let result { content += [0] + result }
        return GroveClient.Request.importing(
            name, version: version, state: state, definitionVersion: definitionVersion,
            isDone: isDone, result: result,
            dedup: "import-\(version)-\(String(content.fnv1a, radix: 16))", isTrial: isTrial)
    }
}
