import OrderedJSON
import Testing

/// The grammar of RFC 8259, and where a text that doesn't follow it is faulted.
@Suite struct GrammarTests {
    @Test(arguments: [
        ("null", JSONDocument.Kind.null), ("true", .bool), ("false", .bool), ("0", .integer),
        ("-0", .integer), ("12", .integer), ("1.5", .double), ("1e2", .double), ("\"\"", .string),
        ("[]", .array), ("{}", .object), (" \t\r\n{ } \n", .object), ("[ 1 , 2 ]", .array),
        ("{ \"a\" : 1 , \"b\" : [ ] }", .object),
    ])
    func `any value may stand at the top, with white space around every token`(
        text: String, kind: JSONDocument.Kind
    ) throws {
        let document = try parsed(text)
        #expect(document.kind(document.root) == kind)
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("{", 1), ("{\"a\"", 4),
        ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7), ("\"", 1), ("\"ab", 3), ("\"a\\", 3),
        ("\"\\u", 3), ("\"\\u00", 5), ("\"\\ud800", 7), ("-", 1), ("1.", 2), ("1e", 2),
        ("1e+", 3), ("t", 1), ("tru", 3), ("nul", 3), ("fals", 4), ("[[]", 3),
    ])
    func `the error of a text that ends too early is at its end`(text: String, offset: Int) {
        #expect(refusal(of: text) == JSONError(offset: offset, reason: .endOfText))
    }

    @Test(arguments: [
        ("[,1]", 1, JSONError.Reason.valueExpected), ("[1,]", 3, .valueExpected),
        ("]", 0, .valueExpected), ("[1,,2]", 3, .valueExpected), ("nulL", 3, .valueExpected),
        ("True", 0, .valueExpected), ("NaN", 0, .valueExpected), ("'a'", 0, .valueExpected),
        ("+1", 0, .valueExpected), (".5", 0, .valueExpected), ("/**/1", 0, .valueExpected),
        ("[}", 1, .valueExpected), ("{\"a\":}", 5, .valueExpected), ("\u{0B}1", 0, .valueExpected),
        ("{1:2}", 1, .nameExpected), ("{,}", 1, .nameExpected), ("{a:1}", 1, .nameExpected),
        ("{\"a\":1,}", 7, .nameExpected), ("{]", 1, .nameExpected),
        ("{\"a\"}", 4, .colonExpected), ("{\"a\",1}", 4, .colonExpected),
        ("{\"a\" 1}", 5, .colonExpected), ("{\"a\"::1}", 5, .valueExpected),
        ("[1 2]", 3, .commaOrEndExpected), ("[1}", 2, .commaOrEndExpected),
        ("{\"a\":1]", 6, .commaOrEndExpected), ("[1:2]", 2, .commaOrEndExpected),
        ("{\"a\":1 \"b\":2}", 7, .commaOrEndExpected), ("[truefalse]", 5, .commaOrEndExpected),
        ("1 2", 2, .textAfterValue), ("{}}", 2, .textAfterValue), ("[],", 2, .textAfterValue),
        ("nullx", 4, .textAfterValue), ("1\u{0}", 1, .textAfterValue),
        ("01", 1, .invalidNumber), ("-01", 2, .invalidNumber), ("1.e1", 2, .invalidNumber),
        ("-x", 1, .invalidNumber), ("1.5.5", 3, .textAfterValue), ("1ex", 2, .invalidNumber),
        ("1e+-1", 3, .invalidNumber), ("--1", 1, .invalidNumber), ("0x1", 1, .textAfterValue),
        ("-Infinity", 1, .invalidNumber), ("[1.,2]", 3, .invalidNumber),
    ])
    func `the error of a wrong byte is at the byte`(
        text: String, offset: Int, reason: JSONError.Reason
    ) {
        #expect(refusal(of: text) == JSONError(offset: offset, reason: reason))
    }

    @Test func `a byte order mark is refused as one`() {
        #expect(
            refusal(of: [0xEF, 0xBB, 0xBF, 0x31])
                == JSONError(offset: 0, reason: .byteOrderMark))
        // One that isn't at the beginning is just no value, and inside a string a character.
        #expect(
            refusal(of: [0x20, 0xEF, 0xBB, 0xBF])
                == JSONError(offset: 1, reason: .valueExpected))
        #expect(throws: Never.self) { try parsed("\"\u{FEFF}\"") }
    }

    @Test func `a zero byte ends no text`() {
        #expect(refusal(of: [0]) == JSONError(offset: 0, reason: .valueExpected))
        #expect(
            refusal(of: [0x5B, 0x31, 0x00, 0x5D])
                == JSONError(offset: 2, reason: .commaOrEndExpected))
        #expect(
            refusal(of: [0x22, 0x00, 0x22]) == JSONError(offset: 1, reason: .controlCharacter))
    }

    @Test func `every byte that can't begin a value is refused`() {
        let beginnings = Set("\"{[-0123456789tfn \t\r\n".utf8)
        for byte in UInt8.min...UInt8.max where !beginnings.contains(byte) {
            #expect(refusal(of: [byte])?.offset == 0)
            #expect(refusal(of: [0x5B, 0x31, 0x2C, byte, 0x5D])?.offset == 3)
        }
    }

    @Test func `the error of every prefix of a valid text is at its end`() throws {
        let text = Array(
            #"{"op":"send","id":-12.5e+3,"x":[true,false,null,"\u00e9\ud83d\ude00\n é"],"y":{}}"#
                .utf8)
        #expect(throws: Never.self) { try JSONDocument(parsing: text) }
        for length in 0..<text.count {
            let error = refusal(of: Array(text[..<length]))
            // Half a character is no UTF-8; any other cut is an early end.
            if error?.reason != .invalidUTF8 {
                #expect(error == JSONError(offset: length, reason: .endOfText))
            }
        }
    }

    @Test func `messages are distinct and hold no text of the client's`() {
        let messages = JSONError.Reason.allCases.map { JSONError(offset: 0, reason: $0).message }
        #expect(Set(messages).count == messages.count)
        #expect(JSONError(offset: 7, reason: .colonExpected).description.hasSuffix("(byte 7)"))
    }
}
