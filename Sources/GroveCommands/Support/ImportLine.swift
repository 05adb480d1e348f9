import GroveClient
import GroveEngine
import OrderedJSON

/// One instance, as a line of an export tells of it.
struct ImportLine {
    /// What is wrong with a line.
    struct Broken: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The instance, `machine/instance`.
    let name: String
    /// How many live effects it had.
    let effects: Int64
    private let version: Int64
    private let state: [UInt8]
    private let definitionVersion: String?
    private let isDone: Bool
    private let result: [UInt8]?

    /// Whether a line holds nothing.
    static func isEmpty(_ line: [UInt8]) -> Bool {
        line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
    }

    /// Reads a line; `nil` for a step of an instance's history, which an export can hold and an
    /// import passes over. Members that aren't known are passed over.
    static func read(_ line: [UInt8]) throws(Broken) -> ImportLine? {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(parsing: line) } catch {
            throw Broken("it is no valid JSON: \(error)")
        }
        guard document.kind(document.root) == .object else {
            throw Broken("it is no JSON object")
        }
        return try isStep(document) ? nil : ImportLine(document)
    }

    /// Whether a line is a step: it says of which instance in the member `history`, and has no
    /// `to`.
    private static func isStep(_ document: JSONDocument) throws(Broken) -> Bool {
        guard document.member("to", of: document.root) == nil,
            let name = document.member("history", of: document.root)
        else { return false }
        guard document.string(name).flatMap({ InstanceName($0) }) != nil else {
            throw Broken("\"history\" is not MACHINE/INSTANCE")
        }
        let version = document.member("v", of: document.root).flatMap(document.integer)
        guard let version, version > 0 else {
            throw Broken("\"v\" of a step is missing, or is no version")
        }
        return true
    }

    private init(_ document: JSONDocument) throws(Broken) {
        func member(_ name: StaticString) -> JSONDocument.Node? {
            document.member(name, of: document.root)
        }
        guard let text = member("to").flatMap(document.string), InstanceName(text) != nil else {
            throw Broken("\"to\" is missing, or is not MACHINE/INSTANCE")
        }
        guard let version = member("v").flatMap(document.integer), version >= 0 else {
            throw Broken("\"v\" is missing, or is no version")
        }
        guard let state = member("state") else { throw Broken("\"state\" is missing") }
        let done = member("done")
        if let done, document.bool(done) == nil {
            throw Broken("\"done\" is neither true nor false")
        }
        let definition = member("definition").flatMap { document.member("version", of: $0) }
        if let definition, document.string(definition) == nil {
            throw Broken("the \"version\" in \"definition\" is no string")
        }
        name = text
        self.version = version
        definitionVersion = definition.flatMap(document.string)
        self.state = Array(document.text(state))
        isDone = done.flatMap(document.bool) ?? false
        result = member("result").map { Array(document.text($0)) }
        effects = member("effects").flatMap(document.integer) ?? 0
    }

    /// The request that makes the instance. Its key is made of what the line says, so that the same
    /// line is done once, whatever has become of the instance since.
    func request(isTrial: Bool) -> GroveClient.Request {
        var said = Array("\(version) \(isDone) ".utf8) + state
        if let result { said += [0] + result }
        return GroveClient.Request.importing(
            name, version: version, state: state, definitionVersion: definitionVersion,
            isDone: isDone, result: result,
            dedup: "import-\(version)-\(String(Self.digest(said), radix: 16))", isTrial: isTrial)
    }

    /// FNV-1a: tells apart what two lines say of one instance. The server compares the whole.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
