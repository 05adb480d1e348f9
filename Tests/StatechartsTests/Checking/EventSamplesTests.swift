import OrderedJSON
import Testing

@testable import Statecharts

/// Examples of events, made from their declarations.
struct EventSamplesTests {
    private func samples(_ schema: String) throws -> [String] {
        let chart = try Chart(
            parsing: Array(
                #"{"initial":"a","events":{"E":\#(schema)},"states":{"a":{"on":{"E":"a"}}}}"#.utf8))
        for sample in chart.samples(ofEvent: "E") {
            #expect(chart.fault(of: try ChartEvent(ofClient: sample)) == nil, "\(sample)")
        }
        return chart.samples(ofEvent: "E").map { sample in
            var members = sample.object ?? JSONObject()
            members["type"] = nil
            return JSONValue.object(members).description
        }
    }

    @Test(arguments: [
        ("{}", ["{}"]),
        (
            #"{"properties":{"n":{"type":"integer","minimum":1,"maximum":9}},"required":["n"]}"#,
            [#"{"n":1}"#, #"{"n":2}"#, #"{"n":9}"#]
        ),
        (#"{"properties":{"n":{"type":"number"}}}"#, [#"{"n":0.0}"#, #"{"n":1.0}"#, "{}"]),
        (
            #"{"properties":{"b":{"type":"boolean"}},"required":["b"]}"#,
            [#"{"b":true}"#, #"{"b":false}"#]
        ),
        (
            #"{"properties":{"s":{"enum":["x","y"]},"t":{"const":1}},"required":["s","t"]}"#,
            [#"{"s":"x","t":1}"#, #"{"s":"y","t":1}"#]
        ),
        (
            #"{"properties":{"s":{"type":"string","minLength":3}},"required":["s"]}"#,
            [#"{"s":"aaa"}"#]
        ),
        (
            #"""
            {"properties":{"l":{"type":"array","minItems":2,"items":{"type":"string"}}},
             "required":["l"]}
            """#,
            [#"{"l":["a","a"]}"#]
        ),
        (
            #"{"properties":{"l":{"type":"array","items":{"enum":[]}}},"required":["l"]}"#,
            [#"{"l":[]}"#]
        ),
        (#"{"examples":[{"k":5},{"k":6}]}"#, [#"{"k":5}"#, #"{"k":6}"#]),
        (
            #"{"properties":{"k":{"type":"integer","exclusiveMaximum":-5}},"required":["k"]}"#,
            [#"{"k":-6}"#]
        ),
    ])
    func `they fit the schema, and have its bounds`(schema: String, expected: [String]) throws {
        #expect(try samples(schema) == expected)
    }

    @Test func `there are never more than the bound`() throws {
        let properties = (0..<40).map { #""p\#($0)":{"type":"boolean"}"# }.joined(separator: ",")
        #expect(try samples("{\"properties\":{\(properties)}}").count == ChartLimits.samplesMax)
    }

    @Test func `a small schema can't make a huge example, nor a large one many`() throws {
        var list = #"{"type":"integer"}"#
        for _ in 0..<8 { list = #"{"type":"array","minItems":64,"items":\#(list)}"# }
        #expect(try samples(#"{"properties":{"l":\#(list)}}"#) == ["{}"])
        let properties = (0..<20_000).map { #""p\#($0)":{"type":"integer"}"# }
        #expect(try samples("{\"properties\":{\(properties.joined(separator: ","))}}") == ["{}"])
        let long = String(repeating: "x", count: ChartLimits.sampleBytesMax)
        #expect(try samples(#"{"examples":[{"s":"\#(long)"},{"s":"y"}]}"#) == [#"{"s":"y"}"#])
    }

    @Test func `an event that isn't declared is its type`() throws {
        let chart = try Chart(
            parsing: Array(#"{"initial":"a","states":{"a":{"on":{"GO":"a","x.*":"a"}}}}"#.utf8))
        #expect(chart.eventSamples.map(\.description) == [#"{"type":"GO"}"#])
    }
}
