import OrderedJSON
import Testing

@testable import Statecharts

/// Which timers and invocations of a former version go on as which.
@Suite struct MigratedWorkTests {
    /// The work of a state `a` that stays, or is renamed: `former>own` for each timer and each
    /// invocation, `-` for one that ends.
    private func work(
        _ old: String, _ new: String, as name: String = "a"
    ) throws -> (timers: [String], plans: [String], isNew: [Bool]) {
        func chart(_ name: String, _ state: String) throws -> Chart {
            let text =
                #"{"initial":"\#(name)","context":{"x":"","y":""},"#
                + #""states":{"\#(name)":\#(state),"z":{}}}"#
            return try Chart(JSONValue(parsing: Array(text.utf8)))
        }
        let (former, own) = (try chart("a", old), try chart(name, new))
        let text = #"{"value":"a","context":{}}"#
        let state = try former.restore(JSONValue(parsing: Array(text.utf8)))
        let work = MigratedWork(
            state, of: former, to: own, [0, 1],
            by: ChartMigration(states: ["a": name], context: []))
        let plans = former.states[1].invocations.map { plan in
            let match = work.plans[plan].map { String(own.invocations[Int($0)].position) }
            return "\(former.invocations[Int(plan)].position)>\(match ?? "-")"
        }
        let timers = work.timers.map {
            "\($0.former.position)>\($0.own.map { String($0.position) } ?? "-")"
        }
        return (timers, plans, own.states[1].invocations.map { !work.hasPlan($0) })
    }

    @Test(arguments: [
        (#"{"1s":"z"}"#, #"{"1s":"z"}"#, ["0>0"]), (#"{"1s":"z"}"#, #"{"9s":"z"}"#, ["0>0"]),
        (#"{"1s":"z"}"#, "{}", ["0>-"]),
        // The same delay first, wherever it stands and however it is written.
        (#"{"1s":"z","1h":"z"}"#, #"{"5s":"z","60m":"z","1000ms":"z"}"#, ["0>2", "1>1"]),
        (#"{"1s":"z","1h":"z"}"#, #"{"1h":"z"}"#, ["0>-", "1>0"]),
        (#"{"1s":"z","2s":"z","3s":"z"}"#, #"{"2s":"z","4s":"z"}"#, ["0>1", "1>0", "2>-"]),
        (
            #"{"size(context.x)":"z","1s":"z"}"#, #"{"1s":"z","size(context.x)":"z"}"#,
            ["0>1", "1>0"]
        ),
    ])
    func `timers`(old: String, new: String, expected: [String]) throws {
        #expect(try work(#"{"after":\#(old)}"#, #"{"after":\#(new)}"#).timers == expected)
        #expect(
            try work(#"{"after":\#(old)}"#, #"{"after":\#(new)}"#, as: "b").timers == expected)
    }

    @Test(arguments: [
        // By id, wherever it stands and whatever it does now.
        (
            #"{"id":"i","src":"machine:k"}"#,
            #"{"id":"j","src":"machine:k"},{"id":"i","src":"h"}"#, "1"
        ),
        (#"{"id":"i","src":"machine:k"}"#, #"{"id":"j","src":"machine:k"}"#, "-"),
        // Made ids by their place, with the same source.
        (#"{"src":"machine:k"}"#, #"{"src":"machine:k"}"#, "0"),
        (#"{"src":"machine:k"}"#, #"{"src":"machine:l"}"#, "-"),
        (#"{"src":"machine:k"}"#, #"{"src":"machine:l"},{"src":"machine:k"}"#, "-"),
        (#"{"src":"machine:k"}"#, #"{"src":"h"}"#, "-"), (#"{"src":"h"}"#, #"{"src":"h"}"#, "0"),
        (#"{"id":{"assign":"x"},"src":"h"}"#, #"{"src":"h"}"#, "0"),
        (#"{"src":{"expr":"context.x"}}"#, #"{"src":{"expr":"context.y"}}"#, "0"),
        // A made id that is written down, and the other way.
        (#"{"src":"h"}"#, #"{"id":"q","src":"h"},{"id":"a.0","src":"h"}"#, "1"),
        (#"{"id":"a.0","src":"h"}"#, #"{"src":"h"}"#, "0"),
        (#"{"id":"i","src":"h"}"#, #"{"src":"h"}"#, "-"),
        // Computed ids have only their place.
        (
            #"{"id":{"expr":"context.x"},"src":"h"}"#, #"{"id":{"expr":"context.y"},"src":"h"}"#,
            "0"
        ),
        (#"{"id":{"expr":"context.x"},"src":"h"}"#, #"{"id":"x","src":"h"}"#, "-"),
    ])
    func `invocations`(old: String, new: String, match: String) throws {
        let work = try work(#"{"invoke":[\#(old)]}"#, #"{"invoke":[\#(new)]}"#)
        #expect(work.plans == ["0>\(match)"])
        for (index, isNew) in work.isNew.enumerated() {
            #expect(isNew == (String(index) != match))
        }
    }

    @Test func `made ids follow a renamed state`() throws {
        #expect(
            try work(#"{"invoke":{"src":"h"}}"#, #"{"invoke":{"src":"h"}}"#, as: "b").plans
                == ["0>0"])
    }
}
