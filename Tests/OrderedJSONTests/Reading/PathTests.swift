import OrderedJSON
import Testing

/// Paths that tell people where a node stands.
@Suite struct PathTests {
    @Test func `a path names members and counts elements`() throws {
        let document = try parsed(
            #"{"event":{"type":"x","items":[{"sku":1},{"sku":[2,[3]],"n":null}]},"z":0}"#)
        var paths: [String] = []
        collect(document, document.root, &paths)
        #expect(
            paths == [
                "$", "$.event", "$.event.type", "$.event.items", "$.event.items[0]",
                "$.event.items[0].sku", "$.event.items[1]", "$.event.items[1].sku",
                "$.event.items[1].sku[0]", "$.event.items[1].sku[1]",
                "$.event.items[1].sku[1][0]", "$.event.items[1].n", "$.z",
            ])
    }

    @Test(arguments: [
        ("a", "$.a"), ("_x9", "$._x9"), ("A_b", "$.A_b"), ("9a", #"$["9a"]"#),
        ("", #"$[""]"#), ("a b", #"$["a b"]"#), ("a-b", #"$["a-b"]"#), ("é", #"$["é"]"#),
        ("a\\\"b", #"$["a\"b"]"#), ("a.b", #"$["a.b"]"#), ("\\n", #"$["\n"]"#),
    ])
    func `a name that is no identifier is in brackets and quotes`(
        name: String, path: String
    ) throws {
        let document = try parsed("{\"\(name)\":[]}")
        for (name, value) in document.members(of: document.root) {
            #expect(document.path(to: value) == path)
            #expect(document.path(to: name) == path)
        }
    }

    @Test func `the path of a late element is found among many`() throws {
        let document = try parsed(
            "[" + repeated("[1,2],", 5000) + "{\"a\":[" + repeated("0,", 300) + "9]}]")
        let last = try #require(
            document.elements(of: document.root).reversed().first)
        let array = try #require(document.member("a", of: last))
        let nine = try #require(document.elements(of: array).reversed().first)
        #expect(document.path(to: nine) == "$[5000].a[300]")
    }

    private func collect(
        _ document: JSONDocument, _ node: JSONDocument.Node, _ paths: inout [String]
    ) {
        paths.append(document.path(to: node))
        for member in document.members(of: node) { collect(document, member.value, &paths) }
        for element in document.elements(of: node) { collect(document, element, &paths) }
    }
}
