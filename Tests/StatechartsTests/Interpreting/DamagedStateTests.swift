import CEL
import GroveTestSupport
import OrderedJSON
import Testing

@testable import Statecharts

/// Stored states in which parts were replaced by others: each is refused, or is a state from which
/// the machine continues.
struct DamagedStateTests {
    /// States that the chart itself has written, from which parts are taken.
    private static let written: [String] = [
        #"{"value":{"p":{"q":"q1","s":"s1"}},"context":{"n":0,"x":null,"l":[]}}"#,
        #"""
        {"value":"out","context":{"n":2,"x":"send.1","l":[0,"a",1.5]},
         "history":{"h":["r2","s2"],"g":["r1"]},"deferred":[{"type":"e5","n":1},
         {"type":"e5","$meta":{"kind":"external","origin":"m/1","via":"machine","serial":1}}],
         "serial":3}
        """#,
        #"""
        {"value":{"p":{"q":{"q2":"r2"},"s":"s2"}},"context":{"n":0,"x":null,"l":[]},
         "invoked":[{"id":"i","state":"q2","position":0,"serial":2}],"serial":2}
        """#,
        #"{"value":"end","context":{"n":0,"x":null,"l":[]},"finished":true}"#,
        #"["q","q1","q2","r1","r2","s","s1","s2","h","g","p","out","end",-1,9007199254740991,{}]"#,
    ]

    @Test(arguments: UInt64(0)..<100)
    func `a damaged state is refused, or continues and is written again`(seed: UInt64) throws {
        let chart = try Chart(parsing: Array(ChartStateTests.everything.utf8))
        let texts = try Self.written.map { try JSONValue(parsing: Array($0.utf8)) }
        var parts: [JSONValue] = []
        for text in texts { Self.collect(text, into: &parts) }
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            var json = texts[Int.random(in: 0..<4, using: &random)]
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                json = Self.damaged(json, parts, &random)
            }
            guard let state = try? chart.restore(json) else { continue }
            try check(chart, state, "seed \(seed): \(json)", &random)
        }
    }

    private func check(
        _ chart: Chart, _ state: ChartState, _ comment: String, _ random: inout SeededRandom
    ) throws {
        let start = try #require(CELTimestamp(seconds: 0))
        let environment = ChartEnvironment(now: start, id: "i", machine: "m")
        var state = state
        for _ in 0..<12 {
            let text = chart.json(of: state)
            let restored = try chart.restore(JSONValue(parsing: text, limits: .stored))
            #expect(chart.json(of: restored) == text, "\(comment)")
            #expect(!chart.activeStates(of: state).isEmpty, "\(comment)")
            let event = ChartEvent("e\(Int.random(in: 0..<7, using: &random))")
            // A context may lack what an expression needs.
            if let step = try? chart.step(state, event, environment) { state = step.state }
        }
    }

    private static func collect(_ json: JSONValue, into parts: inout [JSONValue]) {
        parts.append(json)
        for element in json.array ?? [] { collect(element, into: &parts) }
        for member in json.object ?? JSONObject() { collect(member.value, into: &parts) }
    }

    /// A value in which one part was replaced, removed or repeated.
    private static func damaged(
        _ json: JSONValue, _ parts: [JSONValue], _ random: inout SeededRandom
    ) -> JSONValue {
        switch json {
        case .array(var elements) where !elements.isEmpty:
            let index = Int.random(in: 0..<elements.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.append(parts.randomElement(using: &random) ?? .null)
            default: elements[index] = damaged(elements[index], parts, &random)
            }
            return .array(elements)
        case .object(var object) where !object.isEmpty:
            let member = object.members[Int.random(in: 0..<object.count, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: object[member.name] = nil
            case 1:
                object[member.name] = nil
                let name = parts.randomElement(using: &random)?.string ?? "history"
                object[name] = member.value
            default: object[member.name] = damaged(member.value, parts, &random)
            }
            return .object(object)
        default: return parts.randomElement(using: &random) ?? .null
        }
    }
}
