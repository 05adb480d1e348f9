import GroveEngine
import GroveProtocol
import GroveServer
import GroveTestSupport
import GroveWire
import OrderedJSON

/// A server in memory with accounts, and clients that show tokens.
final class AccessTalk {
    let server: InMemoryServer
    private let owner: ConnectionID
    private var tokens: [String: String] = [:]

    /// A server with a principal that administers it, so that it isn't open.
    init() throws {
        server = InMemoryServer(
            catalogue: try conversationCatalogue(), store: ConversationStore(),
            options: .forConversations,
            now: Moment(uptime: 1_000, time: Timestamp(milliseconds: 1_763_692_800_000)))
        server.compiler = { ChartCompiler.compile($0) }
        owner = server.connect(as: ClientOrigin(address: "unix", isLocal: true, isOwner: true))
        try addPrincipal("root", ["admin */*"])
    }

    /// Adds a principal with a token.
    func addPrincipal(_ name: String, _ grants: [String]) throws {
        let list = JSONValue.array(grants.map { .string($0) })
        let line = """
            {"op":"accounts","id":0,"action":"change","principal":"\(name)",\
            "add":{"grants":\(list)}}
            """
        if grants.isEmpty || name != "root" { try asOwner(line) }
        let made = try asOwner(
            """
            {"op":"token","id":0,"action":"create","principal":"\(name)",\
            "grants":\(name == "root" ? "\(list)" : "[]")}
            """)
        tokens[name] = try JSONValue(parsing: Array(made.utf8))["token"]?.string
    }

    /// The public part of a principal's token.
    func tokenID(of name: String) -> String {
        String((tokens[name] ?? "").dropFirst("grove_".count).prefix(8))
    }

    /// A connection of a principal; `nil` for one that says nothing.
    func connect(as name: String?) throws -> ConnectionID {
        let id = server.connect()
        _ = try server.read(id)
        guard let name else { return id }
        guard let token = tokens[name] else { throw TestProblem("\(name) has no token") }
        let answers = try ask(#"{"op":"auth","id":0,"token":"\#(token)"}"#, from: id)
        guard answers.count == 1, answers[0].contains(#""ok":true"#) else {
            throw TestProblem("\(name) isn't let in: \(answers)")
        }
        return id
    }

    /// Sends a line, lets the server do all that follows, and returns the lines that come back.
    func ask(_ line: String, from id: ConnectionID) throws -> [String] {
        try server.receive(Array((line + "\n").utf8), from: id)
        return try settle(id)
    }

    /// Lets the server do all that is due, and returns the lines that came.
    func settle(_ id: ConnectionID) throws -> [String] {
        var bytes: [UInt8] = []
        repeat {
            try server.flush()
            while server.hasBackgroundWork { try server.work() }
            bytes += try server.read(id)
        } while server.hasBackgroundWork
        return bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The owner asks, and it must succeed.
    @discardableResult
    func asOwner(_ line: String) throws -> String {
        let answers = try ask(line, from: owner).filter { !$0.contains(#""op":"hello""#) }
        guard answers.count == 1, answers[0].contains(#""ok":true"#) else {
            throw TestProblem("\(line): \(answers)")
        }
        return answers[0]
    }
}
