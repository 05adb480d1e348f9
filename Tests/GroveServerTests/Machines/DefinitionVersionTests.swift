import Foundation
import GroveTestSupport
import Testing

@testable import GroveServer

/// Which version of a machine as data counts: for instances that run, and for new ones.
@Suite("Versions of definitions")
struct DefinitionVersionTests {
    /// A machine whose instances start one that is written within it; the present names of those
    /// are the same in each version. In state `a` a version may start another one.
    private func pay(_ version: String, inFirst first: String = "") -> String {
        let inner = { (output: String) in
            #"{"src":{"machine":{"initial":"w","states":{"w":{"type":"final","#
                + #""output":{"is":"'\#(output)'"}}}}}"#
        }
        let extra = first.isEmpty ? "" : #","invoke":\#(inner(first))}"#
        return #"{"id":"pay","version":"\#(version)","initial":"a","context":{"got":""},"#
            + #""states":{"a":{"on":{"GO":"b"}\#(extra)},"b":{"invoke":\#(inner("charged")),"#
            + #""onDone":{"target":"c","assign":{"got":"event.output.is"}},"#
            + #""onError":{"target":"c","assign":{"got":"'failed'"}}}},"c":{}}}"#
    }

    @Test(arguments: ["looked", ""])
    func `an instance starts what is written within its own version`(first: String) async throws {
        try await RunningServer.with { running in
            let client = try running.connect()
            #expect(
                try client.ask(#"{"op":"define","id":1,"definition":\#(pay("1"))}"#)
                    .contains(#""changed":true"#))
            _ = try client.ask(#"{"op":"create","id":2,"to":"pay/p"}"#)
            let second = pay("2", inFirst: first)
            #expect(
                try client.ask(#"{"op":"define","id":3,"definition":\#(second)}"#)
                    .contains(#""changed":true"#))
            _ = try client.ask(#"{"op":"send","id":4,"to":"pay/p","event":"GO"}"#)
            try await client.poll(#"{"op":"get","id":5,"to":"pay/p"}"#) {
                $0.contains(#""value":"c""#)
            }
            let end = try client.ask(#"{"op":"get","id":6,"to":"pay/p"}"#)
            #expect(end.contains(#""got":"charged""#) && end.contains(#""version":"1""#), "\(end)")
        }
    }

    @Test func `instances of a machine that was undefined still start what is within it`()
        async throws
    {
        try await RunningServer.with { running in
            let client = try running.connect()
            _ = try client.ask(#"{"op":"define","id":1,"definition":\#(pay("1"))}"#)
            _ = try client.ask(#"{"op":"create","id":2,"to":"pay/p"}"#)
            #expect(
                try client.ask(#"{"op":"undefine","id":3,"name":"pay"}"#)
                    .contains(#""instances":1"#))
            _ = try client.ask(#"{"op":"send","id":4,"to":"pay/p","event":"GO"}"#)
            try await client.poll(#"{"op":"get","id":5,"to":"pay/p"}"#) {
                $0.contains(#""got":"charged""#)
            }
            #expect(
                try client.ask(#"{"op":"create","id":6,"to":"pay/q"}"#).contains("was undefined"))
        }
    }

    private func gate(_ target: String, version: String? = nil) -> String {
        let version = version.map { #""version":"\#($0)","# } ?? ""
        return #"{"id":"gate",\#(version)"initial":"a","#
            + #""states":{"a":{"on":{"X":"\#(target)"}},"b":{},"c":{}}}"#
    }

    @Test func `versions that were pruned are gone after a restart, and those in use work`()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = folder.path("data.db")
        try await RunningServer.with({ $0.store = .file(file) }) { running in
            let client = try running.connect()
            for version in ["1", "2", "3"] {
                let defined = try client.ask(
                    #"{"op":"define","id":1,"definition":\#(pay(version, inFirst: version))}"#)
                #expect(defined.contains(#""changed":true"#), "\(defined)")
                if version == "1" {
                    _ = try client.ask(#"{"op":"create","id":2,"to":"pay/p"}"#)
                    // Its first child is an instance of the version, too.
                    try await client.poll(#"{"op":"list","id":3}"#) { $0.contains("inline") }
                }
            }
            let pruned = try client.ask(#"{"op":"prune","id":4,"name":"pay"}"#)
            #expect(
                pruned.contains(
                    #""removed":["2"],"kept":[{"version":"1","instances":2}]"#), "\(pruned)")
        }
        try await RunningServer.with({ $0.store = .file(file) }) { running in
            let client = try running.connect()
            let again = try client.ask(#"{"op":"prune","id":1,"name":"pay"}"#)
            #expect(again.contains(#""removed":[],"kept":[{"version":"1""#), "\(again)")
            _ = try client.ask(#"{"op":"send","id":2,"to":"pay/p","event":"GO"}"#)
            try await client.poll(#"{"op":"get","id":3,"to":"pay/p"}"#) {
                $0.contains(#""got":"charged""#)
            }
            let gone = try client.ask(
                #"{"op":"migrate","id":4,"to":"pay/p","version":"2"}"#)
            #expect(gone.contains("no version 2"), "\(gone)")
        }
    }

    @Test func `former contents without a version become the present ones again`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("data.db")
        try await RunningServer.with({ $0.store = .file(file) }) { running in
            let client = try running.connect()
            for target in ["b", "c", "b"] {
                let answer = try client.ask(
                    #"{"op":"define","id":1,"definition":\#(gate(target))}"#)
                #expect(answer.contains(#""changed":true"#), "\(answer)")
            }
            let again = try client.ask(#"{"op":"define","id":1,"definition":\#(gate("b"))}"#)
            #expect(again.contains(#""changed":false"#) && !again.contains("present"), "\(again)")
        }
        try await RunningServer.with({ $0.store = .file(file) }) { running in
            let send = #"{"op":"send","id":1,"to":"gate/g","event":"X","reply":"state"}"#
            let client = try running.connect()
            #expect(try client.ask(send).contains(#""value":"b""#))
        }
    }

    @Test func `an earlier version changes nothing, and the reply says which one is present`()
        async throws
    {
        try await RunningServer.with { running in
            let client = try running.connect()
            for (version, answer) in [
                ("1", #""changed":true"#), ("2", #""changed":true"#),
                ("1", #""changed":false,"present":"2""#), ("2", #""changed":false"#),
            ] {
                let definition = gate(version == "1" ? "b" : "c", version: version)
                let found = try client.ask(
                    #"{"op":"define","id":1,"definition":\#(definition)}"#)
                #expect(found.contains(answer), "\(found)")
            }
        }
    }

    @Test func `a machine doesn't take over the instances of another one`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("data.db")
        let chart = gate("b").replacing("\"gate\"", with: "\"counter\"")
        try chart.write(toFile: folder.path("counter.json"), atomically: true, encoding: .utf8)
        try await RunningServer.with({ $0.store = .file(file) }) { running in
            _ = try running.connect().ask(
                #"{"op":"send","id":1,"to":"counter/a","event":"increment"}"#)
        }
        let log = KeptLog()
        try await RunningServer.with(
            {
                $0.store = .file(file)
                $0.machinesFolder = folder.url.path
            }, machines: [], log: log.logger()
        ) { running in
            let refusals = log.lines(with: "isn't used")
            #expect(refusals.contains { $0.contains("an instance of another machine counter") })
            let trial = #"{"op":"define","id":1,"trial":true,"definition":\#(chart)}"#
            let client = try running.connect()
            #expect(try client.ask(trial).contains("BAD_DEFINITION"))
        }
    }

    @Test func `a trial finds names that machines within would have`() async throws {
        try await RunningServer.with { running in
            let client = try running.connect()
            let inner = gate("b").replacing("\"gate\"", with: "\"pay.inline-1\"")
            _ = try client.ask(#"{"op":"define","id":1,"definition":\#(inner)}"#)
            let trial = #"{"op":"define","id":2,"trial":true,"definition":\#(pay("1"))}"#
            #expect(try client.ask(trial).contains("there is a machine pay.inline-1"))
        }
    }
}
