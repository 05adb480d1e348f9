import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

@Suite("SignIn")
struct BuiltInSignInTests {
    static let events: [SignIn.Event] = [
        .request(user: "ann"), .signOut, .confirmed(by: "mail"), .failed(reason: "no"),
    ]

    /// The result of one pair of status and event, with its output; every other pair is refused.
    static let table: [(SignIn.Status, SignIn.Event, SignIn.Status, SignIn.Output)] = [
        (.signedOut, .request(user: "ann"), .waiting, .asked(user: "ann")),
        (.waiting, .request(user: "ann"), .waiting, .asked(user: "ann")),
        (.waiting, .signOut, .signedOut, .signedOut),
        (.waiting, .confirmed(by: "mail"), .signedIn, .signedIn(user: "bob", by: "mail")),
        (.waiting, .failed(reason: "no"), .signedOut, .failed(user: "bob", reason: "no")),
        (.signedIn, .signOut, .signedOut, .signedOut),
    ]

    static let accepts: [SignIn.Status: [String]] = [
        .signedOut: ["request"], .waiting: ["request", "sign_out"], .signedIn: ["sign_out"],
    ]

    /// Bob, as far as he got.
    static func signIn(_ status: SignIn.Status) throws -> SignIn.State {
        let events: [SignIn.Event] = [.request(user: "bob"), .confirmed(by: "mail")]
        var state = SignIn.initialState
        for event in events.prefix(status == .signedOut ? 0 : status == .waiting ? 1 : 2) {
            _ = try SignIn.update(&state, event: event)
        }
        #expect(state.status == status)
        return state
    }

    @Test(arguments: SignIn.Status.allCases)
    func `does what the table says, and refuses everything else`(status: SignIn.Status) throws {
        for event in Self.events {
            let before = try Self.signIn(status)
            var state = before
            guard let row = Self.table.first(where: { $0.0 == status && $0.1 == event }) else {
                let refusal = #expect(throws: Rejection.self) {
                    try SignIn.update(&state, event: event)
                }
                #expect(refusal?.accepts == Self.accepts[status])
                #expect(state == before)
                continue
            }
            #expect(try SignIn.update(&state, event: event).1 == row.3)
            #expect(state.status == row.2)
            #expect((state.user == nil) == (row.2 == .signedOut))
        }
    }

    @Test func `a user has a name`() throws {
        var state = SignIn.initialState
        let refusal = #expect(throws: Rejection.self) {
            try SignIn.update(&state, event: .request(user: ""))
        }
        #expect(refusal?.accepts == ["request"])
        #expect(state == SignIn.initialState)
    }

    @Test func `asks for ten minutes, and stops asking`() throws {
        let asked = try BuiltInEffects.of(
            SignIn.Event.request(user: "ann"), at: SignIn.initialState, in: "sign-in")
        guard case .start(let run)? = asked.first else { throw Rejection("nothing is asked") }
        #expect(run.work == .ask(milliseconds: 600_000))
        #expect(run.key.text == "code")
        #expect(run.policy == .replace)
        let left = try BuiltInEffects.of(
            SignIn.Event.signOut, at: Self.signIn(.waiting), in: "sign-in")
        #expect(BuiltInEffects.summary(left) == #"cancel id("code")"#)
    }

    @Test(arguments: [
        #"{"type":"confirmed","by":"me"}"#, #"{"type":"failed","reason":"no"}"#,
    ])
    func `clients can't send the effect's events`(event: String) throws {
        let definition = try BuiltInDefinitionsTests.definition("sign-in")
        let document = try JSONDocument(parsing: Array(event.utf8))
        let name = document.member("type", of: document.root).flatMap { document.string($0) }
        let decoded = try definition.machine.decodeEvent(document, at: document.root)
        #expect(definition.internalName(of: decoded) == name)
        #expect(definition.internalEvents == ["confirmed", "failed"])
    }

    @Test func `every client may request and leave`() throws {
        let definition = try BuiltInDefinitionsTests.definition("sign-in")
        for event in [#"{"type":"request","user":"ann"}"#, #""sign_out""#] {
            let document = try JSONDocument(parsing: Array(event.utf8))
            let decoded = try definition.machine.decodeEvent(document, at: document.root)
            #expect(definition.internalName(of: decoded) == nil)
        }
    }

    @Test func `an answer has the means of its confirmation`() throws {
        let answer = EffectResult(
            id: EffectKey("code"), then: "confirmed", value: ["by": "mail", "at": "home"])
        #expect(try SignIn.effectResult(answer) == .confirmed(by: "mail"))
        for value: JSONValue in [.null, "mail", [:], ["by": 1]] {
            #expect(throws: (any Error).self) {
                try SignIn.effectResult(
                    EffectResult(id: EffectKey("code"), then: "confirmed", value: value))
            }
        }
    }
}
