import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Declared events: their schemas, the types of their members, and events that don't fit.
struct EventSchemaTests {
    static let pay = #"""
        {"id":"m","initial":"a","events":{"PAY":{"type":"object","required":["amount"],
         "properties":{"amount":{"type":"integer","minimum":1},
          "note":{"type":"string","maxLength":3},
          "kind":{"enum":["cash","card"]},"tags":{"type":"array","items":{"type":"string"},
          "maxItems":2},"rate":{"type":"number","exclusiveMaximum":1},
          "to":{"type":"object","properties":{"city":{"type":["string","null"]}},
                "additionalProperties":false}}}},
         "context":{"paid":0},"states":{"a":{"on":{"PAY":{GUARD"assign":{
          "paid":"context.paid + event.amount"}}}}}}
        """#

    private static func chart(_ condition: String = "") -> String {
        pay.replacing("GUARD", with: condition.isEmpty ? "" : #""guard":"\#(condition)","#)
    }

    @Test(arguments: [
        ("event.amount == 'x'", "int"), ("event.amount == 'x' || event.amont > 1", "int"),
        ("event.to.town == 'x'", "there is no member 'town'"), ("event.note > 1", "string"),
    ])
    func `the expressions of a transition know its event's members`(
        condition: String, message: String
    ) {
        let found = problems(Self.chart(condition))
        #expect(Set(found.map(\.path)) == ["$.states.a.on.PAY.guard"])
        #expect(found.first?.severity == .error)
        #expect(found.contains { $0.message.contains(message) }, "\(found)")
    }

    @Test func `a member that isn't declared is a warning, unless no others are allowed`() {
        let found = problems(Self.chart("event.amont > 1 || event.to == null"))
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.message == "the event doesn't declare the member 'amont'")
        let closed = Self.chart("event.amont > 1").replacing(
            #""PAY":{"type":"object","#, with: #""PAY":{"additionalProperties":false,"#)
        #expect(problems(closed).map(\.severity) == [.error])
    }

    @Test(arguments: [
        "event.amount > 1", "event.type == 'PAY'", "event.rate < 0.5 || event.rate < 1",
        "has(event.note)", "event.tags.all(t, t != '')", "event.kind == 'cash'",
        "event.to.city == null",
    ])
    func `an expression that fits has no problem`(condition: String) {
        #expect(problems(Self.chart(condition)).map(\.description) == [])
    }

    @Test(arguments: [
        (#"{}"#, "$.amount"), (#"{"amount":0}"#, "$.amount"), (#"{"amount":1.5}"#, "$.amount"),
        (#"{"amount":1,"note":"abcd"}"#, "$.note"), (#"{"amount":1,"kind":"gold"}"#, "$.kind"),
        (#"{"amount":1,"tags":["a",1]}"#, "$.tags[1]"),
        (#"{"amount":1,"tags":["a","b","c"]}"#, "$.tags"), (#"{"amount":1,"rate":1}"#, "$.rate"),
        (#"{"amount":1,"to":{"town":"x"}}"#, "$.to.town"),
        (#"{"amount":1,"to":{"city":5}}"#, "$.to.city"),
    ])
    func `an event that doesn't fit is refused with the path`(members: String, path: String) throws
    {
        var trial = try Trial(Self.chart())
        try trial.send("PAY", members)
        #expect(trial.failures.map(\.code) == [.eventRejected])
        #expect(trial.failures.first?.message.hasPrefix(path + ":") == true)
        #expect(trial.context == #"{"paid":0}"#)
    }

    @Test func `an event that fits, and one that isn't declared, is taken`() throws {
        var trial = try Trial(Self.chart())
        try trial.send("PAY", #"{"amount":3,"note":"abc","more":1,"to":{"city":null}}"#)
        try trial.send("OTHER", #"{"amount":"x"}"#)
        #expect(trial.failures.isEmpty)
        #expect(trial.context == #"{"paid":3}"#)
    }

    @Test(arguments: [
        (#"{"typ":"object"}"#, "$.events.E.typ", "did you mean 'type'?"),
        (#"{"type":"objekt"}"#, "$.events.E.type", "is one of"),
        (#"{"properties":[]}"#, "$.events.E.properties", "by name"),
        (#"{"properties":{"a":5}}"#, "$.events.E.properties.a", "is an object"),
        (#"{"required":"a"}"#, "$.events.E.required", "a list of names"),
        (#"{"enum":1}"#, "$.events.E.enum", "a list of values"),
        (#"{"items":{"minimum":"1"}}"#, "$.events.E.items.minimum", "a number"),
        (#"{"maxLength":-1}"#, "$.events.E.maxLength", "a count"),
    ])
    func `a schema's fault has its path`(schema: String, path: String, message: String) {
        let found = problems(
            #"{"initial":"a","events":{"E":\#(schema)},"states":{"a":{"on":{"E":{}}}}}"#)
        #expect(found.map(\.path) == [path])
        #expect(found.first?.message.contains(message) == true, "\(found)")
    }

    @Test func `a schema's type is as exact as the values can be`() throws {
        let schema = EventSchema(try #require((["type": "object"] as JSONValue).object))
        #expect(schema.type == .map(.string, .dyn))
        #expect(schema.eventType() == .dyn)
        #expect(schema.undeclared(in: "event.a + event.type + other.b") == ["a"])
    }
}
