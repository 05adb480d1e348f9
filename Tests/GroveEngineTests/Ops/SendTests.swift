import GroveEngine
import Testing
import Transducers

@Suite("send")
struct SendTests {
    @Test func `applies events in order and counts versions from 1`() throws {
        let harness = try EngineHarness()
        #expect(try harness.send("counter/a", #""increment""#) == "v1 changed")
        #expect(try harness.send("counter/a", #"{"type":"add","amount":5}"#) == "v2 changed")
        #expect(try harness.get("counter/a") == #"v2 {"count":6}"#)
    }

    @Test func `answers state and outputs when asked`() throws {
        let harness = try EngineHarness()
        let state = try harness.send("counter/a", #""increment""#, reply: .state)
        #expect(state == #"v1 changed state={"count":1}"#)
        let full = try harness.send("counter/a", #""increment""#, reply: .full)
        #expect(full == #"v2 changed state={"count":2} outputs=[2]"#)
    }

    @Test func `an accepted event without a change uses a version`() throws {
        let harness = try EngineHarness()
        #expect(try harness.send("counter/a", #""reset""#) == "v1")
        #expect(try harness.get("counter/a") == #"v1 {"count":0}"#)
    }

    @Test func `a refused event creates nothing, uses nothing and records nothing`() throws {
        let harness = try EngineHarness()
        let refused = try harness.send("turnstile/gate", #""PUSH""#, dedup: "k")
        #expect(refused.hasPrefix("eventRejected"))
        #expect(harness.store.head == 0)
        #expect(try harness.get("turnstile/gate").hasPrefix("noSuchInstance"))
        #expect(try harness.send("turnstile/gate", #""COIN""#, dedup: "k") == "v1 changed")
    }

    @Test func `the error for an invalid event has the path of the mistake`() throws {
        let harness = try EngineHarness()
        let refused = try harness.send("counter/a", #"{"type":"add","amount":"x"}"#)
        #expect(refused.contains("badEvent(path: \"$.amount\""))
        #expect(try harness.send("nothing/a", #""x""#) == "noSuchMachine(\"nothing\")")
    }

    @Test func `versions are answered within a batch before it is committed`() throws {
        let harness = try EngineHarness()
        for _ in 1...3 { try harness.receive(harness.makeSend("counter/a", #""increment""#)) }
        try harness.receive(.get(Get(to: harness.instance("counter/a"), at: nil)))
        #expect(harness.store.head == 0, "nothing is written before the flush")
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies == ["v1 changed", "v2 changed", "v3 changed", #"v3 {"count":3}"#])
        #expect(harness.store.head == 4)
    }

    // MARK: Dedup

    @Test func `a repeated key gets the first reply, whatever reply it asks for`() throws {
        let harness = try EngineHarness()
        #expect(try harness.send("counter/a", #""increment""#, dedup: "k") == "v1 changed")
        #expect(try harness.send("counter/a", #""increment""#) == "v2 changed")
        let repeated = try harness.send("counter/a", #""increment""#, dedup: "k", reply: .full)
        #expect(repeated == "v1 changed dup")
        #expect(try harness.get("counter/a") == #"v2 {"count":2}"#)
    }

    @Test func `a repeat within one batch is one event`() throws {
        let harness = try EngineHarness()
        for _ in 1...2 {
            try harness.receive(harness.makeSend("counter/a", #""increment""#, dedup: "k"))
        }
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies == ["v1 changed", "v1 changed dup"])
    }

    @Test func `two ways to write one event are the same event`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#, dedup: "k")
        let repeated = try harness.send("counter/a", #"{"type":"increment"}"#, dedup: "k")
        #expect(repeated == "v1 changed dup")
    }

    @Test(arguments: [#""decrement""#, #""nonsense""#])
    func `the same key with another event is a mismatch`(event: String) throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#, dedup: "k")
        #expect(try harness.send("counter/a", event, dedup: "k") == "dedupMismatch(version: 1)")
    }

    @Test func `keys belong to their instance`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#, dedup: "k")
        #expect(try harness.send("counter/b", #""increment""#, dedup: "k") == "v1 changed")
    }

    @Test func `dedup is checked before expect, so a conditional send can be repeated`() throws {
        let harness = try EngineHarness()
        let first = try harness.send(
            "counter/a", #""increment""#, dedup: "k", expect: .absent, create: .must)
        #expect(first == "v1 changed")
        let again = try harness.send(
            "counter/a", #""increment""#, dedup: "k", expect: .absent, create: .must)
        #expect(again == "v1 changed dup")
    }

    @Test func `a repeat is answered after the instance is done`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("countdown/a", #""tick""#)
        #expect(try harness.send("countdown/a", #""tick""#, dedup: "k") == "v2 changed done")
        let again = try harness.send("countdown/a", #""tick""#, dedup: "k")
        #expect(again == "v2 changed done dup")
    }

    // MARK: Conditions

    @Test(arguments: [
        (Send.Expectation.version(2), "versionConflict(expected: \"2\", actual: Optional(1))"),
        (.version(0), "versionConflict(expected: \"0\", actual: Optional(1))"),
        (.absent, "versionConflict(expected: \"absent\", actual: Optional(1))"),
        (.exists, "v2 changed"), (.version(1), "v2 changed"),
    ])
    func `expect of an instance at version 1`(
        expect: Send.Expectation, answer: String
    ) throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        #expect(try harness.send("counter/a", #""increment""#, expect: expect) == answer)
    }

    @Test(arguments: [
        (Send.Expectation.version(0), "versionConflict(expected: \"0\", actual: nil)"),
        (.exists, "versionConflict(expected: \"exists\", actual: nil)"),
        (.absent, "v1 changed"),
    ])
    func `expect of an absent instance`(expect: Send.Expectation, answer: String) throws {
        let harness = try EngineHarness()
        #expect(try harness.send("counter/a", #""increment""#, expect: expect) == answer)
    }

    @Test func `create modes`() throws {
        let harness = try EngineHarness()
        let never = try harness.send("counter/a", #""increment""#, create: .never)
        #expect(never == "noSuchInstance(counter/a)")
        #expect(try harness.send("counter/a", #""increment""#, create: .must) == "v1 changed")
        let must = try harness.send("counter/a", #""increment""#, create: .must)
        #expect(must == "alreadyExists(counter/a, version: 1)")
        #expect(try harness.send("counter/a", #""increment""#, create: .never) == "v2 changed")
    }

    @Test func `the order of checks is expect, existence, done, event`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("countdown/a", #""tick""#)
        _ = try harness.send("countdown/a", #""tick""#)
        let bad = #""nonsense""#
        let conflict = try harness.send("countdown/a", bad, expect: .version(9), create: .must)
        #expect(conflict.hasPrefix("versionConflict"))
        #expect(try harness.send("countdown/a", bad, create: .must).hasPrefix("alreadyExists"))
        #expect(try harness.send("countdown/a", bad).hasPrefix("instanceDone"))
        #expect(try harness.send("countdown/b", bad).hasPrefix("badEvent"))
    }

    // MARK: Steps

    @Test func `immediate events run depth-first and in order`() throws {
        let harness = try EngineHarness(testDefinitions)
        let reply = try harness.send("chain/a", #""tree""#, reply: .full)
        #expect(reply.hasSuffix(#"outputs=["tree","a","aa","b","c"]"#))
    }

    @Test func `a double loop runs in row order`() throws {
        let harness = try EngineHarness(testDefinitions)
        let event = #"{"type":"double","rows":2,"columns":3}"#
        let reply = try harness.send("chain/a", event, reply: .full)
        #expect(reply.hasSuffix(#"outputs=["double","00","01","02","10","11","12"]"#))
        let none = #"{"type":"double","rows":0,"columns":3}"#
        #expect(try harness.send("chain/b", none, reply: .full).hasSuffix(#"["double"]"#))
    }

    @Test func `an event may cause as many immediate events as a step allows`() throws {
        var options = EngineOptions()
        options.step.outputs = 2_000
        let harness = try EngineHarness(testDefinitions, options: options)
        let longest = #"{"type":"chain","value":1001}"#
        #expect(try harness.send("chain/a", longest) == "v1 changed")
        let before = try harness.get("chain/a")
        let tooLong = #"{"type":"chain","value":1002}"#
        #expect(
            try harness.send("chain/a", tooLong)
                == #"stepLimit("an event may cause 1000 events", max: Optional(1000))"#)
        #expect(
            try harness.send("chain/a", #""endless""#)
                == #"stepLimit("an event may cause 1000 events", max: Optional(1000))"#)
        #expect(try harness.get("chain/a") == before, "the state is as before")
    }

    @Test func `more outputs than a step may have are refused`() throws {
        let harness = try EngineHarness(testDefinitions)
        let event = #"{"type":"chain","value":65}"#
        #expect(try harness.send("chain/a", event).hasPrefix("evaluationLimit"))
        #expect(try harness.send("chain/a", #"{"type":"chain","value":64}"#) == "v1 changed")
    }

    @Test func `a refusal in the middle of a step undoes all of it`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("chain/a", #""b""#)
        let refused = try harness.send("chain/a", #""failLate""#)
        #expect(refused.contains(#"reason: "not now""#))
        #expect(try harness.get("chain/a") == #"v1 {"seen":["b"]}"#)
    }

    @Test func `another error fails the step and leaves the state`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("quiet/a", #"{"type":"set","value":"x"}"#)
        #expect(try harness.send("quiet/a", #""crash""#).hasPrefix("evaluation("))
        #expect(try harness.get("quiet/a") == #"v1 {"text":"x"}"#)
    }

    @Test func `a state that is too large is refused`() throws {
        let harness = try EngineHarness(testDefinitions)
        let fits = Limits.stateBytesMax - #"{"text":""}"#.utf8.count
        let reply = try harness.send("quiet/a", #"{"type":"grow","value":\#(fits)}"#)
        #expect(reply == "v1 changed")
        let refused = try harness.send("quiet/a", #"{"type":"grow","value":\#(fits + 1)}"#)
        #expect(refused.hasPrefix("stateTooLarge(bytes: \(Limits.stateBytesMax + 1)"))
    }

    // MARK: The end

    @Test func `a terminal state ends the instance and its last output is the result`() throws {
        let harness = try EngineHarness(testDefinitions)
        #expect(try harness.send("countdown/a", #""tick""#) == "v1 changed")
        #expect(try harness.send("countdown/a", #""tick""#) == "v2 changed done")
        #expect(try harness.get("countdown/a") == #"v2 {"left":0} done result="liftoff""#)
        let late = try harness.send("countdown/a", #""tick""#)
        #expect(late == "instanceDone(countdown/a, version: 2)")
    }

    @Test func `events queued behind a terminal one are answered in the same batch`() throws {
        let harness = try EngineHarness(testDefinitions)
        for _ in 1...4 { try harness.receive(harness.makeSend("countdown/a", #""tick""#)) }
        let replies = try harness.flush().replies.map(\.reply.summary)
        let done = "instanceDone(countdown/a, version: 2)"
        #expect(replies == ["v1 changed", "v2 changed done", done, done])
    }

    @Test func `an instance with a terminal initial state is done at its creation`() throws {
        let harness = try EngineHarness(testDefinitions)
        #expect(try harness.send("finished/a", #""any""#).hasPrefix("instanceDone"))
        let name = try harness.instance("finished/a")
        let created = try harness.ask(.create(Create(to: name, input: nil, dedup: nil)))
        #expect(created.summary == "created {} [7]")
        #expect(try harness.get("finished/a") == "v0 {} done result=7")
    }
}
