import GroveAccess
import GroveEngine
import GroveTestSupport
import GroveWire
import Testing

@testable import GroveProtocol

/// Quotas of the principal that the transport shows, and clients that are another one.
@Suite("Quotas of connections")
struct ConnectionQuotaTests {
    private static let token = #"grove_7gnu3cjq_PWdkry5CJQXelsz6DKRYfmt076DKRYfmt07ELSZgnu12daWCr"#
    private static let auth = #"{"op":"auth","id":1,"token":"\#(token)"}"# + "\n"
    private static let hello = #"{"op":"hello","id":1,"token":"\#(token)"}"# + "\n"
    private static let ask = #"{"op":"get","id":2,"to":"counter/a"}"# + "\n"
    private static let ping = #"{"op":"ping","id":3}"# + "\n"

    /// A conversation with a server whose principal `ops` has a token, and whose `anonymous` may
    /// read and send, within quotas.
    private static func conversation(_ quotas: [Quota: Int64]) throws -> Conversation {
        let talk = try Conversation()
        var accounts = AccountsTable()
        var wish = TokenWish(try PrincipalName("ops"))
        wish.grants = [try Grant("admin */*"), try Grant("read counter/*")]
        wish.end = .never
        let digested = Array(token.utf8).withUnsafeBytes { bytes -> DigestedToken? in
            guard let token = BearerToken(bytes) else { return nil }
            return DigestedToken(token)
        }
        _ = try accounts.carryOut(
            .createToken(wish, try #require(digested)), as: .offline, at: 0)
        var edit = PrincipalEdit(.anonymous)
        edit.addedGrants = [try Grant("read,send counter/*")]
        for (quota, value) in quotas { edit.quotas[quota] = value }
        _ = try accounts.carryOut(.change(edit), as: .offline, at: 0)
        talk.context.change(accounts)
        connect(talk)
        return talk
    }

    /// Goes over to another connection. What the last one has in use stays so.
    private static func connect(_ talk: Conversation) {
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        talk.machine.identify(.unknown, using: &talk.context)
        talk.machine.greet(using: &talk.context)
        #expect(talk.lines().count == 1)
    }

    @Test(arguments: [auth, hello])
    func `a client above the connections of anonymous may say who it is`(line: String) throws {
        let talk = try Self.conversation([.connections: 1])
        Self.connect(talk)
        #expect(talk.mustSayWho && !talk.isUnknown)
        #expect(talk.send(line + Self.ask).map(\.code) == [nil])
        #expect(talk.requests.map(\.caller.principal) == [StoredPrincipal.firstNumber])
        #expect(!talk.mustSayWho && talk.machine.closing == nil)
        talk.wait(ServerLimits.authenticationMilliseconds)
        #expect(talk.machine.closing == nil)
    }

    @Test func `else what it asks for is refused, and its connection closed`() throws {
        let talk = try Self.conversation([.connections: 1])
        Self.connect(talk)
        let answer = talk.send(Self.ask + Self.ask)
        #expect(answer.map(\.code) == ["RATE_LIMITED"])
        #expect(answer.first?.contains(#""id":2"#) == true)
        #expect(talk.machine.closing == .connectionLimit && talk.requests.isEmpty)
        // The one that counts isn't.
        let other = try Self.conversation([.connections: 1])
        #expect(other.send(Self.ask).isEmpty && other.requests.count == 1)
    }

    @Test func `what says nothing, or too much, is closed, too`() throws {
        let silent = try Self.conversation([.connections: 1])
        Self.connect(silent)
        #expect(silent.wait(ServerLimits.authenticationMilliseconds - 1).isEmpty)
        #expect(silent.wait(1).map(\.code) == ["RATE_LIMITED"])
        #expect(silent.machine.closing == .connectionLimit)
        let long = try Self.conversation([.connections: 1])
        Self.connect(long)
        long.send(String(repeating: "x", count: ServerLimits.unknownLineBytesMax + 1))
        #expect(long.machine.closing == .connectionLimit)
        let guessing = try Self.conversation([.connections: 1])
        Self.connect(guessing)
        let wrong = #"{"op":"auth","id":1,"token":"grove_"}"# + "\n"
        guessing.send(String(repeating: wrong, count: ServerLimits.refusalsMax))
        #expect(guessing.machine.closing == .unauthenticated)
    }

    @Test func `an identity above its connections isn't taken for a stranger`() throws {
        let talk = try Self.conversation([:])
        var accounts = talk.context.access.accounts
        var edit = PrincipalEdit(try PrincipalName("shop"))
        let identity = try Identity("cert:dns:a.example")
        edit.addedIdentities = [identity]
        edit.addedGrants = [try Grant("read counter/*")]
        edit.quotas[.connections] = 1
        _ = try accounts.carryOut(.change(edit), as: .offline, at: 0)
        talk.context.change(accounts)
        for code in [nil, "RATE_LIMITED"] {
            talk.machine = ConnectionMachine(id: ConnectionID(83), context: talk.context)
            talk.machine.identify(ClientOrigin(identities: [identity]), using: &talk.context)
            // So that a request over HTTP gets as far as to its quota.
            #expect(!talk.isUnknown)
            #expect(talk.send(Self.ask).first?.code == code)
        }
        talk.machine = ConnectionMachine(id: ConnectionID(84), context: talk.context)
        talk.machine.identify(ClientOrigin(identities: [identity]), using: &talk.context)
        #expect(talk.send(Self.auth).map(\.code) == [nil])
    }

    @Test func `health is answered above the bound, a few times`() throws {
        let talk = try Self.conversation([.connections: 1])
        Self.connect(talk)
        for _ in 0..<ServerLimits.unknownLinesMax {
            #expect(talk.send(Self.ping).map(\.code) == [nil])
        }
        #expect(talk.send(Self.ping).map(\.code) == ["RATE_LIMITED"])
        #expect(talk.machine.closing == .connectionLimit)
    }

    @Test func `a connection counts as soon as there is room`() throws {
        let talk = try Self.conversation([.connections: 1])
        let use = try #require(talk.use)
        Self.connect(talk)
        #expect(talk.use == nil && use.connections == 1)
        use.count(connections: -1)
        talk.send(Self.ask)
        #expect(talk.requests.count == 1 && use.connections == 1)
        #expect(talk.use === use)
    }

    @Test func `a spent rate of anonymous doesn't hold back a token`() throws {
        let talk = try Self.conversation([.eventsPerSecond: 1])
        let item = #"{"to":"counter/a","event":"increment"}"#
        let items = Array(repeating: item, count: 200).joined(separator: ",")
        talk.send(#"{"op":"batch","id":1,"items":[\#(items)]}"# + "\n")
        #expect(talk.isHeldByQuota && !talk.wantsInput)
        talk.requests = []
        Self.connect(talk)
        #expect(talk.wantsInput)
        #expect(talk.send(Self.auth + Self.ask).map(\.code) == [nil])
        #expect(talk.requests.count == 1 && talk.wantsInput)
    }

    /// The last parts of a request, as they are read.
    @Test(arguments: [[ask], ["{\"op\":", "\"get\",\"id\":2,\"to\":\"counter/a\"}\n"]])
    func `a client without one waits with its first request`(parts: [String]) throws {
        let talk = try Self.conversation([.requests: 1])
        talk.send(Self.ask)
        let former = try #require(talk.use)
        Self.connect(talk)
        #expect(talk.send(Self.ping).map(\.code) == [nil])
        for part in parts { talk.send(part) }
        talk.send(Self.ask)
        #expect(talk.requests.count == 1 && talk.isHeldByQuota && !talk.wantsInput)
        former.count(requests: -1)
        talk.requests = []
        #expect(talk.resume().isEmpty)
        #expect(talk.requests.count == 1, "the second one waits for the first")
        talk.answer()
        _ = talk.resume()
        #expect(talk.requests.count == 1 && !talk.hasBacklog)
    }

    @Test func `a long line of such a client isn't read to its end`() throws {
        let talk = try Self.conversation([.requests: 1])
        talk.send(Self.ask)
        Self.connect(talk)
        talk.send(String(repeating: "x", count: ServerLimits.unknownLineBytesMax))
        #expect(talk.wantsInput)
        talk.send("x")
        #expect(!talk.wantsInput && talk.machine.closing == nil)
    }

    @Test func `over HTTP each request waits by itself, and its client is read`() throws {
        let talk = try Self.conversation([.requests: 1])
        talk.send(Self.ask)
        let former = try #require(talk.use)
        Self.connect(talk)
        talk.machine.beginRequests(using: &talk.context)
        talk.requests = []
        talk.send(Self.ask)
        #expect(talk.requests.isEmpty && talk.waitsForQuota && talk.wantsInput)
        former.count(requests: -1)
        _ = talk.resume()
        #expect(talk.requests.count == 1 && !talk.waitsForQuota)
        talk.answer()
        // The next request may be of another client.
        talk.machine.identifyAnew(using: &talk.context)
        former.count(requests: 1)
        #expect(talk.send(Self.hello).map(\.code) == [nil])
        talk.send(Self.ask)
        #expect(talk.requests.count == 1)
    }

    @Test func `bytes that are no lines are counted, and end the time without quotas`() throws {
        let talk = try Self.conversation([.bytesPerSecond: 100])
        talk.machine.beginRequests(using: &talk.context)
        talk.machine.beginLines(using: &talk.context)
        talk.machine.spend(bytes: 1_000, using: &talk.context)
        #expect(talk.use?.isSpent == true && talk.wantsInput)
        talk.machine.spend(
            bytes: ServerLimits.unknownLineBytesMax * ServerLimits.unknownLinesMax,
            using: &talk.context)
        #expect(!talk.wantsInput)
    }
}
