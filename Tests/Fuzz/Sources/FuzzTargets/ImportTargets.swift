import ChartImport
import OrderedJSON
import Statecharts

extension FuzzTarget {
    /// Documents of SCXML, which are imported or refused with errors.
    static let scxml = FuzzTarget(
        "scxml",
        words: [
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" initial=\"a\">",
            "</scxml>", "<state id=\"a\">", "</state>", "<state/>", "<parallel id=\"p\">",
            "</parallel>", "<final id=\"f\"/>", "<history id=\"h\" type=\"deep\">", "</history>",
            "<initial>", "</initial>",
            "<transition event=\"e f.* *\" cond=\"x &lt; 1\" target=\"a\"/>",
            "<transition type=\"internal\" target=\"a b\"/>", "<onentry>", "</onentry>", "<onexit>",
            "<datamodel><data id=\"x\" expr=\"[1, {a: 2}]\"/></datamodel>",
            "<assign location=\"x\" ",
            "expr=\"x + 1\"/>", "<send event=\"e\" delay=\"1s\" idlocation=\"x\" namelist=\"x\">",
            "<param name=\"p\" expr=\"x\"/>", "<content>", "</content>", "<cancel sendid=\"s\"/>",
            "<raise event=\"e\"/>", "<log label=\"l\" expr=\"_event.data\"/>",
            "<if cond=\"In('a')\">",
            "<elseif cond=\"true\"/>", "<else/>", "</if>",
            "<foreach array=\"x\" item=\"i\" index=\"j\">", "</foreach>", "<script>var y = 1;",
            "</script>", "<invoke id=\"k\" type=\"scxml\" autoforward=\"true\">", "</invoke>",
            "<finalize/>", "<donedata>", "</donedata>", "<![CDATA[", "]]>", "<!--", "-->", "&#65;",
            "&amp;", "<?xml version=\"1.0\"?>", "binding=\"late\"", "datamodel=\"ecmascript\"",
            "typeof x", "Math.pow(x, 2)", "x ? 1 : 2", " || ", "x.length", "===", "x++",
            "_sessionid",
            "_event.origin", "targetexpr=\"'#_internal'\"", "srcexpr=\"x\"", "\u{FEFF}",
        ],
        smokeInputs: 3_000
    ) { input in
        try check(
            SCXMLImporter.definition(input, name: "m") { source in
                source == "script.js" ? Array("x = 1; x += 2".utf8) : nil
            })
    }

    /// Machines of XState, which are imported or refused with errors.
    static let xstate = FuzzTarget(
        "xstate",
        words: [
            "{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{}}}",
            "\"states\":{\"b\":{},\"c.d\":{}}",
            "\"type\":\"parallel\"", "\"type\":\"final\"",
            "\"type\":\"history\",\"history\":\"deep\"",
            "\"initial\":{\"target\":[\"#m.a.b\"],\"actions\":[]}", "\"target\":\"a.b\"",
            "\"target\":[\"#m.a\",\".b\"]", "\"on\":{\"E\":\"b\",\"f.*\":[{\"guard\":\"g\"}]}",
            "\"on\":{\"*\":{\"actions\":[\"x\"],\"reenter\":true}}",
            "\"always\":{\"target\":\"b\"}",
            "\"after\":{\"1000\":\"b\",\"delay\":{\"target\":\"a\"}}",
            "\"context\":{\"n\":{\"expr\":\"1\"}}",
            "\"entry\":[{\"type\":\"log\",\"params\":{\"a\":1}}]", "\"exit\":\"x\"",
            "\"guard\":{\"type\":\"g\",\"params\":{}}", "\"guard\":{\"type\":\"xstate.and\"}",
            "\"invoke\":{\"id\":\"k\",\"src\":\"load\",\"input\":{\"a\":[1]},\"onDone\":\"b\"}",
            "\"onError\":{\"target\":\"a\"}", "\"onDone\":\"c\"", "\"output\":{\"v\":\"text\"}",
            "\"tags\":[\"t\"]", "\"meta\":{}", "\"description\":\"d\"", "\"id\":\"x\"", "#", ".",
            "null",
        ],
        smokeInputs: 3_000
    ) { input in
        try check(XStateImporter.definition(input, name: "m"))
    }

    /// Errors that a document itself has, which the command reports, too.
    private static let ownErrors = [
        "'initial' is missing", "can't be active together", "can't be final",
        "can't be another one of the same state",
        "lies within", "history states only", "may have", "may be nested", "has the same name",
    ]

    private static func check(_ result: ImportResult) throws {
        let hasErrors = result.problems.contains { $0.severity == .error }
        guard let definition = result.definition else {
            guard hasErrors else { throw Finding("nothing is imported, without an error") }
            return
        }
        guard !hasErrors else { throw Finding("it is imported with errors: \(result.problems)") }
        let text = ReadableJSON.text(definition)
        do {
            guard try Chart.json(parsing: Array(text.utf8)) == definition else {
                throw Finding("it reads as something else once written: \(text)")
            }
            _ = try Chart(definition)
        } catch let error as ChartProblems {
            for problem in error.errors
            where !ownErrors.contains(where: { problem.message.contains($0) }) {
                throw Finding("the definition is refused: \(problem): \(text)")
            }
        }
    }
}
