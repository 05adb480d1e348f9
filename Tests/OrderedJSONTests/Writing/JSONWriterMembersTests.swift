import OrderedJSON
import Testing

@Suite("JSONWriter, members")
struct JSONWriterMembersTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `members have commas between them, and none before the first`() {
        let text = text { writer in
            writer.object { writer in
                writer.member("text", "a\"b")
                writer.member("number", -7)
                writer.member("flag", false)
                writer.member("json", json: Array("[1]".utf8))
            }
        }
        #expect(text == #"{"text":"a\"b","number":-7,"flag":false,"json":[1]}"#)
    }

    @Test func `members without a value are left out, also the first`() {
        let text = text { writer in
            writer.object { writer in
                writer.member("a", nil as String?)
                writer.member("b", nil as Int64?)
                writer.member("c", json: nil)
                writer.flag("d", false)
                writer.flag("e", true)
                writer.member("f", "g" as String?)
            }
        }
        #expect(text == #"{"e":true,"f":"g"}"#)
    }

    @Test func `objects and arrays nest, empty ones too`() {
        let text = text { writer in
            writer.object { writer in
                writer.object("a") { _ in }
                writer.array("b", [Int64]()) { $0.integer($1) }
                writer.array("c", [1, 2]) { writer, number in
                    writer.object { $0.member("n", number) }
                }
                writer.array("d", ["x", "[{"])
                writer.object("e") { $0.member("f", "{") }
                writer.member("g", true)
            }
        }
        #expect(
            text == #"{"a":{},"b":[],"c":[{"n":1},{"n":2}],"d":["x","[{"],"e":{"f":"{"},"g":true}"#)
    }

    @Test func `a member after other text has a comma`() {
        let text = text { writer in
            writer.member("a", 1)
            writer.literal(#","b":null"#)
            writer.member("c", 2)
        }
        #expect(text == #","a":1,"b":null,"c":2"#)
    }
}
