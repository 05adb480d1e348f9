import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

@testable import Statecharts

/// `Config/machine.schema.json` says what the reader does.
struct SchemaTests {
    private static func schema() throws -> SchemaValidator {
        SchemaValidator(try json())
    }

    private static func json() throws -> JSONValue {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appendingPathComponent("Config/machine.schema.json"))
        return try JSONValue(parsing: Array(data))
    }

    @Test func `the schema uses only words that its validator knows`() throws {
        #expect(SchemaValidator.words(of: try Self.json()).subtracting(SchemaValidator.words) == [])
    }

    @Test func `every object has the words of the reader`() throws {
        let schema = try Self.schema()
        let actions = ChartReader.actionWords
        let transition = ChartReader.transitionWords.union(actions)
        let rows: [(String, Set<String>)] = [
            // The reader knows it to say why it has no meaning there.
            ("machine", ChartReader.machineWords.subtracting(["onDone"])),
            ("state", ChartReader.stateWords), ("action", actions), ("transition", transition),
            ("eventTransition", transition.union(["event"])),
            ("delayTransition", transition.union(["delay"])), ("send", ChartReader.sendWords),
            ("foreach", ChartReader.loopWords), ("invocation", ChartReader.invokeWords),
        ]
        for (name, words) in rows {
            let properties = schema.definition(name)?["properties"]?.object
            #expect(Set((properties ?? JSONObject()).map(\.name)) == words, "\(name)")
        }
        let retry = schema.definition("invocation")?["properties"]?["retry"]?["properties"]?.object
        #expect(Set((retry ?? JSONObject()).map(\.name)) == ChartReader.retryWords)
        let branch = schema.definition("choose")?["items"]?["properties"]?.object
        #expect(Set((branch ?? JSONObject()).map(\.name)) == ChartReader.branchWords)
        let initial = schema.definition("initial")?["anyOf"]?[1]?["properties"]?.object
        #expect(Set((initial ?? JSONObject()).map(\.name)) == ChartReader.initialWords)
    }

    @Test func `the schema accepts the charts that the reader accepts`() throws {
        let schema = try Self.schema()
        var texts = SelfRunningTests.cases.map { row in
            #"{"errors":"scxml",\#(row.members),"states":{\#(row.states),"pass":{},"fail":{}}}"#
        }
        texts += [
            ChartStateTests.everything, TransitionTests.logging, HistoryTests.chart("deep"),
            #"""
            {"$schema":"x","id":"order","version":"2.1.0","description":"d","strict":true,
             "initial":{"target":"cart","actions":{"log":"1"}},"context":{"total":0,"id":null},
             "events":{"PAY":{}},"guards":{"g":"context.total > 0"},"output":{"n":"1"},
             "defer":"x","tags":["t"],"states":{
              "cart":{"tags":["t"],"on":[{"event":["PAY","x"],"guard":"g","target":"pay"}],
                "after":[{"delay":{"expr":"context.total"},"actions":[]},{"delay":5}],
                "entry":[[{"log":{"label":"a","value":1}}],[{"emit":{"type":"x","n":"1"}}]],
                "exit":{"cancel":{"expr":"'a'"}}},
              "pay":{"invoke":[{"id":{"assign":"id"},"src":"http","method":"GET","url":{
              "expr":"'u'"},
                 "headers":{"a":"b","c":{"secret":"s","prefix":"p"}},"body":{"n":"1"},
                 "timeout":"1s","retry":{"max":8,
                 "interval":"1s","backoff":2,"cap":"5m","jitter":true},"onDone":"cart",
                 "onError":[{"target":"cart"}],"description":"d"},
                {"src":{"expr":"'machine:x'"},"input":{"a":"1"},"autoforward":true,
                 "finalize":[{"choose":[{"guard":true,"actions":[]}]}]}]}}}
            """#,
        ]
        for text in texts {
            let json = try JSONValue(parsing: Array(text.utf8))
            _ = try Chart(json)
            #expect(schema.accepts(json), "\(text)")
        }
    }

    @Test(.enabled(if: ConformanceData.isExpected("statecharts")))
    func `the schema accepts the charts of the behaviour tests`() throws {
        let schema = try Self.schema()
        let folder = try ConformanceData.folder("statecharts")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".json") {
            let data = try Data(contentsOf: folder.appendingPathComponent(file))
            let json = try JSONValue(parsing: Array(data))
            #expect(schema.accepts(json["machine"] ?? nil), "\(file)")
        }
    }

    @Test(arguments: [
        #"[]"#, #"{"initial":"a"}"#, #"{"initial":"a","states":{"a":{}},"x":1}"#,
        #"{"id":"1","initial":"a","states":{"a":{}}}"#, #"{"initial":5,"states":{"a":{}}}"#,
        #"{"errors":"x","initial":"a","states":{"a":{}}}"#, #"{"initial":"a","states":{"a":5}}"#,
        #"{"initial":"a","states":{"a":{"type":"x"}}}"#, #"{"initial":"a","states":{"a":{"x":1}}}"#,
        #"{"initial":"a","states":{"a":{"on":5}}}"#,
        #"{"initial":"a","states":{"a":{"on":{"E":5}}}}"#,
        #"{"initial":"a","states":{"a":{"on":[{"target":"a"}]}}}"#,
        #"{"initial":"a","states":{"a":{"on":{"E":{"x":1}}}}}"#,
        #"{"initial":"a","states":{"a":{"on":{"E":{"guard":1}}}}}"#,
        #"{"initial":"a","states":{"a":{"after":[{}]}}}"#,
        #"{"initial":"a","states":{"a":{"entry":"log"}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"log":"1","raise":"x"}}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"raise":{}}}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"send":{"to":"self"}}}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"send":{"event":"e","x":1}}}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"cancel":5}}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"foreach":{"in":"[]"}}}}}"#,
        #"{"initial":"a","states":{"a":{"entry":{"choose":[{"x":1}]}}}}"#,
        #"{"initial":"a","states":{"a":{"invoke":{}}}}"#,
        #"{"initial":"a","states":{"a":{"invoke":{"src":{"x":1}}}}}"#,
        #"{"initial":"a","states":{"a":{"invoke":{"src":"h","retry":{"max":0}}}}}"#,
        #"{"initial":"a","states":{"a":{"tags":"x"}}}"#,
        #"{"initial":"a","states":{"a":{"defer":5}}}"#,
    ])
    func `what the schema refuses, the reader refuses`(text: String) throws {
        let json = try JSONValue(parsing: Array(text.utf8))
        #expect(try !Self.schema().accepts(json))
        #expect(throws: ChartProblems.self) { try Chart(json) }
    }
}
