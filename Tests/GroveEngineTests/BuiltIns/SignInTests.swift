import GroveEngine
import OrderedJSON
import Testing

@Suite("Signing in on a host")
struct SignInTests {
    let bench: EffectBench
    let signIn = "sign-in/s"

    /// Ann requests to be signed in.
    init() throws {
        bench = try EffectBench.builtIn()
        try bench.send(["type": "request", "user": "ann"], to: signIn)
        #expect(bench.takeOutputs(of: signIn) == [#"{"type":"asked","user":"ann"}"#])
    }

    private func token() throws -> EffectToken {
        let name = try #require(InstanceName(signIn))
        let stored = try #require(try bench.store.instance(named: name))
        let rows = try bench.store.effects(of: stored.number)
        return try #require(EffectToken(rows.compactMap(\.body.token).last ?? ""))
    }

    private func isTaken(_ token: EffectToken, _ result: JSONValue) throws -> Bool {
        guard case .done = try bench.ask(.complete(token, .result(result))) else { return false }
        return true
    }

    @Test func `the holder of the token confirms once, also across a crash`() throws {
        let token = try token()
        try bench.restart()
        #expect(try isTaken(token, ["by": "mail"]))
        #expect(
            bench.takeOutputs(of: signIn) == [
                #"{"type":"signed_in","user":"ann","by":"mail"}"#
            ])
        #expect(try bench.text(of: signIn) == #"{"status":"signed_in","user":"ann"}"#)
        #expect(try !isTaken(token, ["by": "mail"]))
        try bench.send("sign_out", to: signIn)
        #expect(bench.takeOutputs(of: signIn) == [#""signed_out""#])
        #expect(try bench.text(of: signIn) == #"{"status":"signed_out"}"#)
    }

    @Test func `an answer that doesn't fit leaves the token valid`() throws {
        let token = try token()
        #expect(try !isTaken(token, ["with": "mail"]))
        #expect(try isTaken(token, ["by": "mail"]))
    }

    @Test func `a missing answer is reported after ten minutes, and then is too late`() throws {
        let token = try token()
        try bench.advance(by: 599_999)
        #expect(bench.takeOutputs(of: signIn) == [])
        try bench.restart()
        try bench.advance(by: 1)
        #expect(
            bench.takeOutputs(of: signIn) == [
                #"{"type":"failed","user":"ann","reason":"no answer came in time"}"#
            ])
        #expect(try !isTaken(token, ["by": "mail"]))
        #expect(try bench.text(of: signIn) == #"{"status":"signed_out"}"#)
    }

    @Test func `a refusal is reported`() throws {
        try bench.ask(.complete(token(), .failure("it wasn't me")))
        #expect(
            bench.takeOutputs(of: signIn) == [
                #"{"type":"failed","user":"ann","reason":"it wasn't me"}"#
            ])
    }

    @Test func `a new request makes the old token void`() throws {
        let old = try token()
        try bench.send(["type": "request", "user": "bob"], to: signIn)
        #expect(try bench.rows(of: signIn) == ["asking code"])
        #expect(try !isTaken(old, ["by": "mail"]))
        #expect(try isTaken(token(), ["by": "phone"]))
        #expect(
            bench.takeOutputs(of: signIn).last
                == #"{"type":"signed_in","user":"bob","by":"phone"}"#)
    }

    @Test func `leaving while waiting makes the token void`() throws {
        let token = try token()
        try bench.send("sign_out", to: signIn)
        #expect(try bench.rows(of: signIn) == [])
        #expect(try !isTaken(token, ["by": "mail"]))
    }

    @Test func `a signed-in user signs out first`() throws {
        #expect(try isTaken(token(), ["by": "mail"]))
        let refusal = try bench.refusal(of: ["type": "request", "user": "bob"], to: signIn)
        #expect(refusal == "a sign-in that is signed_in doesn't take request")
    }
}
