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
    private let isDone: Bool
    private let result: [UInt8]?

    /// Whether a line holds nothing.
    static func isEmpty(_ line: [UInt8]) -> Bool {
        line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
    }

    /// Reads a line. Members that aren't known are passed over.
    init(_ line: [UInt8]) throws(Broken) {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(parsing: line) } catch {
            throw Broken("it is no valid JSON: \(error)")
        }
        guard document.kind(document.root) == .object else {
            throw Broken("it is no JSON object")
        }
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
        name = text
        self.version = version
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
            name, version: version, state: state, isDone: isDone, result: result,
            dedup: "import-\(version)-\(String(Self.digest(said), radix: 16))", isTrial: isTrial)
    }

    /// FNV-1a: tells apart what two lines say of one instance. The server compares the whole.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
