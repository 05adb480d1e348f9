import GroveAccess
import GroveEngine
import GroveTestSupport
import GroveWire
import Testing

@testable import GroveProtocol

@Suite("ConnectionAccess")
struct ConnectionAccessTests {
    private static let token = #"grove_7gnu3cjq_PWdkry5CJQXelsz6DKRYfmt076DKRYfmt07ELSZgnu12daWCr"#

    /// A conversation with a server that has one principal, `ops`, whose token is known.
    private static func conversation(
        as origin: ClientOrigin = .unknown, expires: Int64? = nil
    ) throws -> Conversation {
        let talk = try Conversation()
        var accounts = AccountsTable()
        var wish = TokenWish(try PrincipalName("ops"))
        wish.grants = [try Grant("admin */*"), try Grant("read counter/*")]
        wish.end = expires.map { .at($0) } ?? .never
        let digested = Array(token.utf8).withUnsafeBytes { bytes -> DigestedToken? in
            guard let token = BearerToken(bytes) else { return nil }
            return DigestedToken(token)
        }
        _ = try accounts.carryOut(
            .createToken(wish, try #require(digested)), as: .offline, at: 0)
        talk.context.change(accounts)
        talk.machine.identify(origin, using: &talk.context)
        return talk
    }

    private static let auth = #"{"op":"auth","id":1,"token":"\#(token)"}"# + "\n"
    private static let ask = #"{"op":"stats","id":2}"# + "\n"

    @Test func `requests behind auth are judged by its outcome`() throws {
        let talk = try Self.conversation()
        #expect(talk.send(Self.auth + Self.ask).count == 1)
        let request = try #require(talk.requests.first)
        #expect(request.caller.principal == StoredPrincipal.firstNumber)
        #expect(request.caller.version == talk.context.access.accounts.version)
    }

    @Test func `a client that hasn't said who it is may only say that`() throws {
        let talk = try Self.conversation()
        #expect(talk.send(Self.ask).first?.code == "UNAUTHENTICATED")
        #expect(talk.requests.isEmpty)
        #expect(talk.send(#"{"op":"ping","id":3}"# + "\n").first?.code == "UNAUTHENTICATED")
        #expect(talk.machine.closing == nil)
    }

    @Test func `the third refusal closes the connection`() throws {
        let talk = try Self.conversation()
        for number in 1...ServerLimits.refusalsMax {
            #expect(talk.machine.closing == nil)
            let wrong = #"{"op":"auth","id":\#(number),"token":"grove_"}"# + "\n"
            #expect(talk.send(wrong).first?.code == "UNAUTHENTICATED")
        }
        #expect(talk.machine.closing == .unauthenticated)
        #expect(talk.machine.takeWrongTokens().count == 3)
        #expect(talk.machine.takeWrongTokens().isEmpty)
    }

    @Test func `it has five seconds to say who it is`() throws {
        let talk = try Self.conversation()
        #expect(talk.wait(ServerLimits.authenticationMilliseconds - 1).isEmpty)
        #expect(talk.wait(1).first?.code == "UNAUTHENTICATED")
        #expect(talk.machine.closing == .unauthenticated)
        let other = try Self.conversation()
        other.send(Self.auth)
        other.wait(ServerLimits.authenticationMilliseconds)
        #expect(other.machine.closing == nil)
    }

    @Test func `until then its lines are short`() throws {
        let talk = try Self.conversation()
        let most = ServerLimits.unknownLineBytesMax
        let head = #"{"op":"auth","id":1,"token":"\#(Self.token)","#
        let fits = head + #""x":""# + String(repeating: "x", count: most - head.count - 7) + "\"}"
        #expect(fits.utf8.count == most)
        #expect(talk.send(fits + "\n").first?.code == nil)
        let other = try Self.conversation()
        #expect(other.send(" " + fits + "\n").first?.code == "LINE_TOO_LONG")
        #expect(other.machine.closing == .unauthenticated)
        // Those of a known one aren't.
        #expect(talk.send(" " + fits + "\n").first?.code == nil)
    }

    @Test func `it has a few lines to say who it is`() throws {
        let ping = #"{"op":"ping"}"# + "\n"
        let most = ServerLimits.unknownLinesMax
        let talk = try Self.conversation(as: ClientOrigin(isLocal: true))
        talk.send(String(repeating: ping, count: most))
        #expect(talk.machine.closing == nil)
        talk.send(ping)
        #expect(talk.machine.closing == .unauthenticated)
        let known = try Self.conversation(as: ClientOrigin(isLocal: true))
        known.send(String(repeating: ping, count: most - 1) + Self.auth)
        known.send(String(repeating: ping, count: most))
        #expect(known.machine.closing == nil)
    }

    @Test func `any refusal counts while nobody knows it`() throws {
        let talk = try Self.conversation()
        for line in ["x", #"{"op":"nothing","id":1}"#, #"{"id":1}"#] {
            #expect(talk.machine.closing == nil)
            talk.send(line + "\n")
        }
        #expect(talk.machine.closing == .unauthenticated)
    }

    @Test func `what was accepted before a token's end is answered`() throws {
        let talk = try Self.conversation(expires: 60_000)
        talk.send(Self.auth + Self.ask)
        let request = try #require(talk.requests.first)
        talk.context.now.time = Timestamp(milliseconds: 60_000)
        #expect(talk.wait(1).first?.code == "UNAUTHENTICATED")
        #expect(talk.machine.closing == .expired && !talk.shouldClose)
        #expect(talk.context.strangers.noted.isEmpty)
        talk.machine.deliver(.done, to: request.token, using: &talk.context)
        #expect(!talk.machine.outbound.isEmpty)
    }

    @Test func `a token's end doesn't wait for a reply that may take long`() throws {
        let talk = try Self.conversation(expires: 60_000)
        let hello = #"{"op":"hello","id":0,"order":"strict","token":"\#(Self.token)"}"# + "\n"
        let wait =
            #"{"op":"await","id":1,"to":"counter/a","until":"done","timeout_ms":3600000}"# + "\n"
        talk.send(hello + wait + Self.ask)
        try #require(talk.requests.count == 2)
        talk.context.now.time = Timestamp(milliseconds: 60_000)
        talk.wait(1)
        // Its reply is held, because the one before hasn't come.
        talk.machine.deliver(.done, to: talk.requests[1].token, using: &talk.context)
        _ = talk.lines()
        #expect(talk.machine.closing == .expired && talk.shouldClose)
    }

    @Test func `a revoked token closes a connection that is ending by itself, too`() throws {
        let talk = try Self.conversation()
        talk.send(Self.auth + Self.ask + #"{"op":"hello","id":9,"proto":2}"# + "\n")
        #expect(talk.machine.closing == .unsupportedProto && !talk.shouldClose)
        var accounts = talk.context.access.accounts
        var caller = AccountsCaller.offline
        caller.force = true
        _ = try accounts.carryOut(.revokeAllTokens, as: caller, at: 1)
        talk.context.change(accounts)
        talk.machine.accountsChanged(using: &talk.context)
        _ = talk.lines()
        #expect(talk.machine.closing == .revoked && talk.shouldClose)
    }

    @Test func `an identity of the transport is enough`() throws {
        let owner = try Self.conversation(as: ClientOrigin(isLocal: true, isOwner: true))
        owner.send(Self.ask)
        #expect(owner.requests.first?.caller.principal == StoredPrincipal.ownerNumber)
        let stranger = try Self.conversation(
            as: ClientOrigin(identities: [try Identity("cert:dns:a.example")]))
        #expect(stranger.send(Self.ask).first?.code == "UNAUTHENTICATED")
    }

    @Test func `a token that ends closes its connection`() throws {
        let talk = try Self.conversation(expires: 60_000)
        talk.send(Self.auth)
        talk.context.now.time = Timestamp(milliseconds: 59_999)
        #expect(talk.wait(1).isEmpty)
        talk.context.now.time = Timestamp(milliseconds: 60_000)
        #expect(talk.wait(1).first?.code == "UNAUTHENTICATED")
        #expect(talk.machine.closing == .expired)
        // And isn't one for others.
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        talk.machine.identify(.unknown, using: &talk.context)
        #expect(talk.send(Self.auth).first?.code == "UNAUTHENTICATED")
    }

    @Test func `a revoked token closes its connection`() throws {
        let talk = try Self.conversation()
        talk.send(Self.auth)
        var accounts = talk.context.access.accounts
        var caller = AccountsCaller.offline
        caller.force = true
        let id = try #require(TokenID("7gnu3cjq"))
        _ = try accounts.carryOut(.revokeToken(id), as: caller, at: 0)
        talk.context.change(accounts)
        talk.machine.accountsChanged(using: &talk.context)
        #expect(talk.lines().first?.code == "UNAUTHENTICATED")
        #expect(talk.machine.closing == .revoked)
    }

    /// Revokes all tokens.
    ///
    /// - Parameter isOwn: Whether the client itself has done it.
    private static func revoke(_ talk: Conversation, isOwn: Bool = false) throws {
        var accounts = talk.context.access.accounts
        var caller = AccountsCaller.offline
        caller.force = true
        _ = try accounts.carryOut(.revokeAllTokens, as: caller, at: 1)
        talk.context.change(accounts)
        talk.machine.accountsChanged(keepsUnsent: isOwn, using: &talk.context)
    }

    @Test func `what a revoked client hasn't got yet is dropped`() throws {
        let talk = try Self.conversation()
        talk.send(Self.auth)
        for number in 0..<100 { talk.receive(#"{"op":"ping","id":\#(number)}"# + "\n") }
        var sent = ""
        talk.machine.outbound.send {
            sent = String(decoding: $0.prefix(10), as: UTF8.self)
            return 10
        }
        try Self.revoke(talk)
        let lines = talk.lines()
        #expect(lines.count == 2 && lines.last?.code == "UNAUTHENTICATED")
        #expect((sent + (lines.first ?? "")).contains(#""id":0"#))
        #expect(talk.machine.closing == .revoked && talk.shouldClose)
    }

    @Test func `the answer to a client that takes its own token away is sent`() throws {
        let talk = try Self.conversation()
        talk.send(Self.auth)
        talk.receive(#"{"op":"ping","id":7}"# + "\n")
        try Self.revoke(talk, isOwn: true)
        let lines = talk.lines()
        #expect(lines.count == 2 && lines.first?.contains(#""id":7"#) == true)
        #expect(lines.last?.code == "UNAUTHENTICATED")
    }

    @Test func `replies that wait for earlier ones aren't sent after a revocation`() throws {
        let talk = try Self.conversation()
        talk.send(#"{"op":"hello","id":0,"order":"strict"}"# + "\n" + Self.auth + Self.ask)
        talk.receive(#"{"op":"ping","id":9}"# + "\n")
        try Self.revoke(talk)
        #expect(talk.lines().map(\.code) == ["UNAUTHENTICATED"])
        #expect(talk.answer().isEmpty)
    }

    @Test func `a closing client that reads slowly is closed in time`() throws {
        let talk = try Self.conversation()
        talk.send(Self.auth)
        try Self.revoke(talk)
        for _ in 0..<29 {
            talk.context.now.uptime += 1_000
            talk.machine.outbound.send { _ in 1 }
            talk.machine.recordProgress(using: &talk.context)
            talk.machine.tick(using: &talk.context)
        }
        #expect(talk.machine.closing == .revoked && !talk.shouldClose)
        talk.context.now.uptime += 2_000
        talk.machine.recordProgress(using: &talk.context)
        talk.machine.tick(using: &talk.context)
        #expect(talk.machine.closing == .slowConsumer && talk.shouldClose)
    }

    @Test func `health needs no token on this machine`() throws {
        let talk = try Self.conversation(as: ClientOrigin(isLocal: true))
        let ping = #"{"op":"ping","id":3,"health":true}"# + "\n"
        #expect(talk.send(ping).first?.code == nil)
    }

    @Test func `a refusal is noted with op and verb, and without what was asked for`() throws {
        let talk = try Self.conversation(as: ClientOrigin(address: "10.0.0.7"))
        talk.send(Self.auth)
        #expect(talk.context.refusals.noted.isEmpty)
        talk.send(#"{"op":"send","id":2,"to":"counter/secret","event":"increment"}"# + "\n")
        let refused = talk.context.refusals.take()
        let expected = AccessRefusal(
            connection: talk.machine.id, principal: StoredPrincipal.firstNumber,
            address: "10.0.0.7", op: .send, reason: .noGrant(verb: "send"))
        #expect(refused.noted == [expected] && refused.leftOut == 0)
        // An item of a batch, and what only the engine refuses.
        talk.send(#"{"op":"batch","id":3,"items":[{"to":"counter/b","event":"x"}]}"# + "\n")
        talk.send(#"{"op":"list","id":4}"# + "\n")
        let list = try #require(talk.requests.last)
        talk.machine.deliver(
            .failure(.forbidden(verb: "read")), to: list.token, using: &talk.context)
        #expect(talk.context.refusals.take().noted.map(\.op) == [.send, .list])
        talk.machine.isReadOnly = true
        talk.send(#"{"op":"reload","id":5}"# + "\n")
        #expect(talk.context.refusals.take().noted.map(\.reason) == [.addressOnlyReads])
        #expect(talk.context.strangers.noted.isEmpty)
    }

    @Test func `a client that shows no token is noted once`() throws {
        let talk = try Self.conversation(as: ClientOrigin(address: "10.0.0.7"))
        let ask = #"{"op":"get","id":1,"to":"order/a"}"# + "\n"
        talk.send(ask + ask)
        let strangers = talk.context.strangers.take()
        let expected = Stranger(connection: talk.machine.id, address: "10.0.0.7")
        #expect(strangers.noted == [expected] && strangers.leftOut == 0)
        #expect(talk.context.refusals.noted.isEmpty)
        // Nor after a line that is no request, one that is too long, or too many that need nothing.
        let ping = #"{"op":"ping","id":1}"# + "\n"
        for text in [
            "{\n" + ask, String(repeating: "x", count: 600) + "\n",
            String(repeating: ping, count: ServerLimits.unknownLinesMax + 1),
        ] {
            let talk = try Self.conversation()
            talk.send(text)
            #expect(talk.context.strangers.noted.count == 1, "\(text.prefix(20))")
        }
        // One that says nothing until its time is over.
        let silent = try Self.conversation()
        silent.context.now.uptime += 60_000
        silent.machine.tick(using: &silent.context)
        #expect(silent.context.strangers.noted.count == 1)
    }

    @Test func `a client that shows a token isn't noted as one without`() throws {
        let ask = #"{"op":"get","id":1,"to":"order/a"}"# + "\n"
        // A wrong token has a line of its own, also if it is looked at later.
        let guess = try Self.conversation()
        guess.send(#"{"op":"auth","id":1,"token":"wrong"}"# + "\n")
        #expect(guess.machine.takeWrongTokens().count == 1)
        guess.send(ask)
        #expect(guess.context.strangers.noted.isEmpty)
        // A right one beside a version of the protocol that there isn't.
        let future = try Self.conversation()
        future.send(#"{"op":"hello","id":1,"proto":99,"token":"\#(Self.token)"}"# + "\n")
        #expect(future.machine.closing != nil && future.context.strangers.noted.isEmpty)
        // HTTP without a token.
        let browser = try Self.conversation()
        browser.machine.beginRequests(using: &browser.context)
        browser.context.now.uptime += 60_000
        browser.machine.tick(using: &browser.context)
        #expect(browser.machine.closing != nil && browser.context.strangers.noted.isEmpty)
    }

    @Test func `of many refusals some are noted and the others counted`() throws {
        let talk = try Self.conversation()
        talk.send(Self.auth)
        let line = #"{"op":"get","id":2,"to":"order/a"}"# + "\n"
        talk.send(String(repeating: line, count: 100))
        let refused: LogNotes<AccessRefusal> = talk.context.refusals.take()
        #expect(refused.noted.count == ServerLimits.logNotesMax)
        #expect(refused.noted.count + refused.leftOut == 100)
        // Of the items of a batch, one.
        let item = #"{"to":"order/a","event":"x"}"#
        let items = Array(repeating: item, count: 20).joined(separator: ",")
        talk.send(#"{"op":"batch","id":3,"items":[\#(items)]}"# + "\n")
        let batch = talk.context.refusals.take()
        #expect(batch.noted.map(\.op) == [.send] && batch.leftOut == 19)
        #expect(talk.context.refusals.noted.isEmpty)
    }
}
