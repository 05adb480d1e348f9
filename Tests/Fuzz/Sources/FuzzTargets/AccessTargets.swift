import BuiltInMachines
import GroveEngine
import GroveTestSupport

extension FuzzTarget {
    /// Texts of grants.
    static let grant = FuzzTarget(
        "grant",
        words: [
            "send", "read", "subscribe", "manage", "define", "admin", "(place,pay)", "(*)", " ",
            "order/*", "*/*", "{principal}", "{", "}", "/", "*", "?", ",", "**", "\u{0}", "é",
        ],
        smokeInputs: 60_000
    ) { input in
        if let problem = AccessInputs.problem(ofGrant: input) { throw Finding(problem) }
    }

    /// Texts of tokens.
    static let token = FuzzTarget(
        "token",
        words: [
            "grove_", "k3v7qzt2", "_", "0000000000000000000000000000000000000000000",
            "grove_7gnu3cjq_PWdkry5CJQXelsz6DKRYfmt076DKRYfmt07ELSZgnu12daWCr",
        ],
        smokeInputs: 60_000
    ) { input in
        if let problem = AccessInputs.problem(ofToken: input) { throw Finding(problem) }
    }

    /// Documents of accounts.
    static let accounts = FuzzTarget(
        "accounts",
        words: [
            #"{"accounts":1,"principals":{"#, #""shop":{"#, #""grants":["read order/*"]"#,
            #""identities":["uid:1","cert:dns:a.b"]"#, #""quotas":{"connections":7}"#,
            #""tokens":[{"id":"abcdefg2","label":"x"}]"#, #""anonymous":{"#, "null", "-1",
            #""expires":"2027-02-19T00:00:00Z""#, "}", "]", ",",
        ],
        smokeInputs: 20_000
    ) { input in
        if let problem = AccessInputs.problem(ofDocument: input) { throw Finding(problem) }
    }

    /// A client of a server with accounts that doesn't say who it is.
    static let unknown = FuzzTarget(
        "unknown",
        words: request.words + [
            #"{"op":"auth","id":1,"token":"grove_"}"# + "\n", #"{"op":"hello","id":1,"token":""#,
            #"{"op":"reload","id":1}"# + "\n", #"{"op":"stats","id":1}"# + "\n",
            #"{"op":"token","id":1,"action":"create","principal":"a","grants":["admin */*"]}"#
                + "\n",
        ],
        smokeInputs: 2_000
    ) { input in
        let catalogue = try Catalogue(BuiltInMachines.definitions)
        if let problem = try AccessInputs.problem(ofUnknown: input, in: catalogue) {
            throw Finding(problem)
        }
    }
}
