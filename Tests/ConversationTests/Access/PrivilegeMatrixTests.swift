import GroveEngine
import GroveTestSupport
import GroveWire
import OrderedJSON
import Testing

/// Every op, by every kind of caller, about every kind of name: whether it is refused, with which
/// verb, and whether the refusal shows what exists. The table of verbs is written down here once
/// more, so a change of the server's has to be made twice.
@Suite("privilege matrix", .timeLimit(.minutes(5)))
struct PrivilegeMatrixTests {
    /// What a caller needs.
    enum Need: Equatable {
        /// Everybody may, also without saying who they are.
        case nothing
        /// Who is known may, about its own connection.
        case known
        /// A verb for the instance or machine; with an event, for its type.
        case verbs([String])
        /// Each item needs `send`.
        case items
        /// Never refused: what can't be read isn't shown.
        case filtered
        /// A token of a question that isn't the caller's is answered as one that is none.
        case question
    }

    static func need(_ op: Op) -> Need {
        switch op {
        case .hello, .auth: .nothing
        case .ping, .unsubscribe, .credit: .known
        case .send, .create: .verbs(["send"])
        case .batch: .items
        case .complete: .question
        case .get, .history, .await: .verbs(["read"])
        case .can: .verbs(["read", "send"])
        case .list, .effects, .definitions, .describe: .filtered
        case .subscribe: .verbs(["subscribe"])
        case .stop, .delete, .cancel, .retry, .import, .suspend, .resume, .migrate:
            .verbs(["manage"])
        case .define, .prune, .undefine: .verbs(["define"])
        case .backup, .stats, .accounts, .token, .audit, .reload: .verbs(["admin"])
        }
    }

    static let verbs = ["send", "read", "subscribe", "manage", "define", "admin"]

    /// The callers by name, with their grants; `nil` for one that says nothing.
    static let callers: [(name: String?, verbs: [String])] =
        [(nil, []), ("nothing", [])] + verbs.map { ("only-\($0)", [$0]) } + [("all", verbs)]

    /// The names: the caller's own, one that is there and isn't the caller's, one that isn't there,
    /// one of no machine.
    enum Target: String, CaseIterable {
        case own = "counter/own-1"
        case foreign = "counter/other-1"
        case missing = "counter/missing-1"
        case noMachine = "nothing/missing-1"

        var machine: String { rawValue.hasPrefix("counter") ? "counter" : "nothing" }
    }

    static func grants(_ verbs: [String]) -> [String] {
        verbs.map { verb in
            switch verb {
            case "send": "send(increment) counter/own-*"
            case "define": "define counter/*"
            case "admin": "admin */*"
            default: "\(verb) counter/own-*"
            }
        }
    }

    static func line(_ op: Op, _ target: Target, event: String) -> String {
        let to = #""to":"\#(target.rawValue)""#
        let fields =
            switch op {
            case .hello, .ping, .stats, .accounts, .audit, .reload, .backup, .definitions: ""
            case .auth: #","token":"grove_""#
            case .unsubscribe: #","sub":"none""#
            case .credit: #","sub":"none","n":1"#
            case .send, .can: ",\(to),\"event\":\"\(event)\""
            case .batch: #","items":[{\#(to),"event":"\#(event)"}]"#
            case .create, .get, .history, .delete, .retry, .migrate, .suspend, .resume, .effects:
                op == .retry ? ",\(to),\"effect\":1" : ",\(to)"
            case .stop: ",\(to),\"reason\":\"r\""
            case .cancel: ",\(to),\"effect\":1"
            case .await: ",\(to),\"until\":\"done\",\"timeout_ms\":1000"
            case .import: ",\(to),\"machine_version\":\"1.0.0\",\"state\":{\"count\":1}"
            case .complete: #","token":"1-1-e220a8397b1dcdaf6e789e6aa1b965f4","result":1"#
            case .list:
                #","machine":"\#(target.machine)","instance":"#
                    + "\"\(target.rawValue.dropFirst(8))\""
            case .describe: #","name":"\#(target.rawValue)""#
            case .subscribe:
                #","sub":"s","select":{"machine":"\#(target.machine)","instance":"#
                    + "\"\(target.rawValue.dropFirst(target.machine.count + 1))\"}"
            case .define: #","definition":{"id":"\#(target.machine)"}"#
            case .prune, .undefine: #","name":"\#(target.machine)""#
            case .token: #","action":"revoke","token_id":"aaaaaaaa""#
            }
        return #"{"op":"\#(op.rawValue)","id":7\#(fields)}"#
    }

    /// What the answer must be.
    enum Expected: Equatable {
        case allowed, unauthenticated
        case forbidden(verb: String)
    }

    static func expected(
        _ op: Op, _ caller: (name: String?, verbs: [String]), _ target: Target, event: String
    ) -> Expected {
        let need = need(op)
        guard caller.name != nil else { return need == .nothing ? .allowed : .unauthenticated }
        func has(_ verb: String) -> Bool {
            guard caller.verbs.contains(verb) else { return false }
            switch verb {
            case "admin": return true
            case "define": return target.machine == "counter"
            case "send":
                // Creating takes a grant of all types.
                return target == .own && op != .create && event == "increment"
            default: return target == .own
            }
        }
        switch need {
        case .nothing, .known, .filtered, .question: return .allowed
        case .items: return has("send") ? .allowed : .forbidden(verb: "send")
        case .verbs(let verbs):
            return verbs.first { !has($0) }.map { .forbidden(verb: $0) } ?? .allowed
        }
    }

    private func actual(_ answers: [String]) -> Expected {
        let text = answers.joined()
        if text.contains(#""code":"UNAUTHENTICATED""#) { return .unauthenticated }
        guard text.contains(#""code":"FORBIDDEN""#) else { return .allowed }
        let verb = Self.verbs.first { text.contains(#""data":{"verb":"\#($0)"}"#) }
        return .forbidden(verb: verb ?? "?")
    }

    @Test(arguments: Op.allCases)
    func `each caller may do what was granted, and no more`(op: Op) throws {
        for caller in Self.callers {
            for event in ["increment", "reset"] {
                let talk = try AccessTalk()
                for name in [Target.own, .foreign] {
                    try talk.asOwner(#"{"op":"create","id":0,"to":"\#(name.rawValue)"}"#)
                }
                if let name = caller.name {
                    try talk.addPrincipal(name, Self.grants(caller.verbs))
                }
                var answers: [Target: [String]] = [:]
                // The caller's own comes last, since some ops change it.
                for target in Target.allCases.reversed() {
                    let id = try talk.connect(as: caller.name)
                    let line = Self.line(op, target, event: event)
                    let got = try talk.ask(line, from: id)
                    answers[target] = got
                    let wanted = Self.expected(op, caller, target, event: event)
                    // A wrong token is no question of grants.
                    let isRight = actual(got) == wanted || op == .auth
                    #expect(isRight, "\(caller.name ?? "nobody"): \(line)\n\(got)")
                }
                try check(answers, of: op, caller.verbs)
            }
        }
    }

    /// Whether answers about a foreign instance and a missing one tell them apart. Only an op that
    /// is about a whole machine, or about all, may name what it is about.
    private func check(
        _ answers: [Target: [String]], of op: Op, _ verbs: [String]
    ) throws {
        func blank(_ target: Target) -> [String] {
            (answers[target] ?? []).map {
                $0.replacing(target.rawValue, with: "…")
                    .replacing(/"(time|taken|t)":"?[^",}]*"?/) { "\($0.1)" }
            }
        }
        switch op {
        case .stats, .accounts, .token, .audit, .backup, .reload, .hello: return
        default: #expect(blank(.foreign) == blank(.missing), "\(op) of \(verbs)")
        }
    }

    @Test func `who may read sees their own, and nothing else`() throws {
        let talk = try AccessTalk()
        try talk.addPrincipal("shop", ["read,send,subscribe counter/{principal}-*"])
        for name in ["shop-1", "shop-2", "other-1"] {
            try talk.asOwner(#"{"op":"send","id":0,"to":"counter/\#(name)","event":"increment"}"#)
        }
        try talk.asOwner(
            #"{"op":"send","id":0,"to":"errands/a","#
                + #""event":{"type":"ask","id":"q","milliseconds":9}}"#)
        let id = try talk.connect(as: "shop")
        for line in [
            #"{"op":"list","id":1}"#, #"{"op":"effects","id":1}"#, #"{"op":"definitions","id":1}"#,
            #"{"op":"list","id":1,"limit":1}"#, #"{"op":"describe","id":1,"name":"counter"}"#,
            #"{"op":"subscribe","id":1,"sub":"a","from":"first"}"#,
            #"{"op":"subscribe","id":1,"sub":"b","snapshot":true}"#,
            #"{"op":"subscribe","id":1,"sub":"c","select":{"kind":["effect","lifecycle"]}}"#,
            #"{"op":"subscribe","id":1,"sub":"d","snapshot":true,"select":{"machine":"*"}}"#,
        ] {
            let text = try talk.ask(line, from: id).joined()
            #expect(text.contains(#""ok":true"#), "\(text)")
            #expect(!text.contains("other") && !text.contains("errands"), "\(line)\n\(text)")
            if line.contains("snapshot") || line.contains("first") {
                #expect(text.contains("counter/shop-2"), "\(line)\n\(text)")
            }
        }
    }

    @Test func `a page without items doesn't say where others end`() throws {
        let talk = try AccessTalk()
        try talk.addPrincipal("shop", ["read counter/zz*"])
        let event = #"{"type":"remind","milliseconds":3600000}"#
        for begin in stride(from: 0, to: Limits.listRowsScannedMax + 100, by: 50) {
            let items = (begin..<begin + 50).map { #"{"to":"errands/\#($0)","event":\#(event)}"# }
            try talk.asOwner(#"{"op":"batch","id":0,"items":[\#(items.joined(separator: ","))]}"#)
        }
        let id = try talk.connect(as: "shop")
        for op in ["effects", "list"] {
            let text = try talk.ask(#"{"op":"\#(op)","id":1}"#, from: id).joined()
            #expect(text == #"{"id":1,"ok":true,"items":[]}"#)
        }
        // A reader of all is told, so that a long search can continue.
        try talk.addPrincipal("all", ["read */*"])
        let reader = try talk.connect(as: "all")
        let filtered = try talk.ask(
            #"{"op":"effects","id":1,"phase":"failed"}"#, from: reader
        ).joined()
        #expect(filtered.contains(#""next":"#), "\(filtered)")
    }
}
