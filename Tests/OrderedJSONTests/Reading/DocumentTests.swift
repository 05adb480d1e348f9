import OrderedJSON
import Testing

/// Asking a document for what it holds.
@Suite struct DocumentTests {
    private static let text = #"""
        {"n":null,"t":true,"f":false,"i":-7,"d":2.50,"s":"a\n","a":[1,[2,3],{}],"o":{"x":1}}
        """#

    @Test func `each accessor answers for its own kind only`() throws {
        let document = try parsed(Self.text)
        let kinds: [String: JSONDocument.Kind] = [
            "n": .null, "t": .bool, "f": .bool, "i": .integer, "d": .double, "s": .string,
            "a": .array, "o": .object,
        ]
        for (name, kind) in kinds {
            let node = try #require(document.member(named: name, of: document.root))
            #expect(document.kind(node) == kind)
            #expect((document.bool(node) != nil) == (kind == .bool))
            #expect((document.integer(node) != nil) == (kind == .integer))
            #expect((document.double(node) != nil) == (kind == .integer || kind == .double))
            #expect((document.string(node) != nil) == (kind == .string))
            #expect((document.stringBytes(node) != nil) == (kind == .string))
            #expect(Array(document.elements(of: node)).isEmpty == (kind != .array))
            #expect(document.members(of: node).map(\.value).isEmpty == (kind != .object))
            #expect((document.member("x", of: node) != nil) == (kind == .object))
            #expect(document.stringEquals(node, "a\n") == (kind == .string))
        }
    }

    @Test func `values come out as they are`() throws {
        let document = try parsed(Self.text)
        let root = document.root
        #expect(document.member("t", of: root).flatMap { document.bool($0) } == true)
        #expect(document.member("f", of: root).flatMap { document.bool($0) } == false)
        #expect(document.member("i", of: root).flatMap { document.integer($0) } == -7)
        #expect(document.member("d", of: root).flatMap { document.double($0) } == 2.5)
        #expect(document.member("s", of: root).flatMap { document.string($0) } == "a\n")
        #expect(document.count(root) == 8)
    }

    @Test func `a value's text and range are those of the source`() throws {
        let source = " { \"a\" : [ 1.50 , \"x\\u0041\" ] } "
        let document = try parsed(source)
        let bytes = Array(source.utf8)
        let array = try #require(document.member("a", of: document.root))
        let elements = Array(document.elements(of: array))
        #expect(document.text(elements[0]) == Array("1.50".utf8))
        #expect(document.text(elements[1]) == Array(#""x\u0041""#.utf8))
        #expect(document.text(array) == Array(#"[ 1.50 , "x\u0041" ]"#.utf8))
        #expect(document.range(document.root) == 1..<bytes.count - 1)
        for node in [document.root, array] + elements {
            #expect(document.text(node) == Array(bytes[document.range(node)]))
        }
    }

    @Test func `members and elements come in the order of the text`() throws {
        let document = try parsed(#"{"z":1,"a":{"q":[1,2]},"":[],"m":"x"}"#)
        let names = document.members(of: document.root).map { document.string($0.name) }
        #expect(names == ["z", "a", "", "m"])
        let kinds = document.members(of: document.root).map { document.kind($0.value) }
        #expect(kinds == [.integer, .object, .array, .string])
        let nested = try parsed("[[1,2],3,[[]],{\"a\":[4]},5]")
        #expect(
            nested.elements(of: nested.root).map { nested.kind($0) }
                == [.array, .integer, .array, .object, .integer])
        #expect(nested.elements(of: nested.root).map { nested.count($0) } == [2, 0, 1, 1, 0])
    }

    @Test func `names are found byte by byte, escaped or not`() throws {
        let document = try parsed(#"{"ab":1,"\u0061":2,"abc":3,"é":4,"long name of its own":5}"#)
        func find(_ name: StaticString) -> Int64? {
            document.member(name, of: document.root).flatMap { document.integer($0) }
        }
        #expect(find("ab") == 1)
        #expect(find("a") == 2)
        #expect(find("abc") == 3)
        #expect(find("é") == 4)
        #expect(find("long name of its own") == 5)
        #expect(find("long name of its owN") == nil)
        #expect(find("") == nil)
        #expect(find("\\u0061") == nil)
        #expect(document.member(named: "e\u{301}", of: document.root) == nil)
    }

    @Test func `a string is compared with a constant, escapes undone`() throws {
        let document = try parsed(#"["send","s\u0065nd","sen","sends",5]"#)
        let equal = document.elements(of: document.root).map { document.stringEquals($0, "send") }
        #expect(equal == [true, true, false, false, false])
    }

    @Test(arguments: [
        ("5", "5"), (" null ", "null"), ("[ ]", "[]"), ("{ }", "{}"),
        ("[1, [2, {\"a\": 3}], 4]", "[1,[2,{\"a\":3}],4]"),
        (#"{"b":{"y":1,"x":[true]},"a":"\u0041"}"#, #"{"b":{"y":1,"x":[true]},"a":"A"}"#),
        ("[[],{},[[]],{\"a\":{}}]", "[[],{},[[]],{\"a\":{}}]"), ("1.0", "1.0"),
    ])
    func `a node becomes a value with all it holds`(text: String, written: String) throws {
        let document = try parsed(text)
        #expect(document.value(document.root).description == written)
    }

    @Test func `a value can be made of any node`() throws {
        let document = try parsed(#"{"a":[1,{"b":[2,3]}],"c":4}"#)
        let array = try #require(document.member("a", of: document.root))
        #expect(document.value(array) == [1, ["b": [2, 3]]])
        let object = try #require(document.elements(of: array).dropFirst().first { _ in true })
        #expect(document.value(object) == ["b": [2, 3]])
    }

    @Test func `a copy keeps its text when the original reads another`() throws {
        var document = try parsed("[1]")
        let copy = document
        try Array("\"x\"".utf8).withUnsafeBytes { try document.parse($0) }
        #expect(copy.value(copy.root) == [1])
        #expect(document.value(document.root) == "x")
    }
}
