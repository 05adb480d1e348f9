import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Variables of expressions and platform events (SCXML 5.8 to 5.10).
struct EventTests {
    @Test func `event and meta are null until the first event`() throws {
        let trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"entry":[{"log":"event == null"},{"log":"meta == null"},
              {"raise":"E"}],"on":{"E":{"target":"b","log":"event.type"}}},
              "b":{"entry":{"log":"meta.kind"},"always":{"target":"c","log":"event.type"}},"c":{}}}
            """#)
        #expect(trial.log == ["true", "true", #""E""#, #""internal""#, #""E""#])
    }

    @Test func `meta has always all members`() throws {
        var trial = try Trial(
            #"{"initial":"a","on":{"*":{"log":"meta"}},"states":{"a":{"entry":{"raise":"x"}}}}"#)
        try trial.send("E")
        #expect(
            trial.log == [
                #"{"kind":"internal","origin":null,"via":null,"send":null,"invoke":null}"#,
                #"{"kind":"external","origin":null,"via":"client","send":null,"invoke":null}"#,
            ])
    }

    @Test func `a machine's own send has its address, its way and its id`() throws {
        let trial = try Trial(
            #"""
            {"id":"m","initial":"a","on":{"E":{"log":"meta"}},
             "states":{"a":{"entry":{"send":{"event":"E","id":"p1"}}}}}
            """#)
        #expect(
            trial.log == [
                #"{"kind":"external","origin":"m/main","via":"machine","send":"p1","invoke":null}"#
            ])
    }

    @Test func `self, now, rand and in are known`() throws {
        let trial = try Trial(
            #"""
            {"id":"m","initial":"a","states":{"a":{"initial":"b","entry":[
              {"log":"[self.id, self.machine, self.address]"},{"log":"self.v"},
              {"log":"now == timestamp('2023-11-14T22:13:20Z')"},{
              "log":"rand >= 0.0 && rand < 1.0"},
              {"log":"[in('a'), in('b'), in('a.b'), in('nothing')]"}],"states":{"b":{
              "entry":{"log":"in('b') && in('a.b')"}}}}}}
            """#)
        #expect(
            trial.log == [
                #"["main","m","m/main"]"#, "0", "true", "true", "[true,false,false,false]", "true",
            ])
    }

    @Test func `an error event has a code and a message, and the id of the send that caused it`()
        throws
    {
        let trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"id":""},"on":{"error.*":{"log":
              "[event.type, event.error.code, meta.kind, meta.send == context.id, context.id != '']"
              }},
             "states":{"a":{"entry":{"send":{"event":"E","to":{"expr":"'!'"},
               "id":{"assign":"id"}}}}}}
            """#)
        #expect(trial.log == [#"["error.execution","EVAL_ERROR","platform",true,true]"#])
    }

    @Test func `a member named type can't hide the type`() {
        var payload = CELMap()
        payload["type"] = .string("other")
        payload["n"] = .int(1)
        let event = ChartEvent("E", payload)
        #expect(CELValue.map(event.members).json == ["type": "E", "n": 1])
    }

    @Test func `an event of too long a type is refused`() throws {
        var trial = try Trial(#"{"initial":"a","on":{"*":{}},"states":{"a":{}}}"#)
        try trial.send(String(repeating: "a.", count: 200))
        #expect(trial.failures.first?.code == .eventRejected)
    }
}
