import GroveTestSupport
import OrderedJSON
import Testing

/// The writer: which bytes it appends.
@Suite struct WriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `pieces are appended in order, without anything between them`() {
        let text = written { writer in
            writer.literal("{\"id\":")
            writer.integer(12)
            writer.literal(",\"ok\":")
            writer.bool(true)
            writer.literal(",\"x\":")
            writer.null()
            writer.raw([0x2C])
            writer.string("n")
            writer.literal(":")
            writer.double(0.5)
            writer.literal("}")
        }
        #expect(text == #"{"id":12,"ok":true,"x":null,"n":0.5}"#)
        #expect(written { $0.bool(false) } == "false")
    }

    @Test func `raw bytes may come from any collection`() {
        let bytes = Array("[1,2]".utf8)
        let text = written { writer in
            writer.raw(bytes)
            writer.raw(bytes[1..<2])
            writer.raw("é".utf8)
            writer.raw([0x61, 0x62].reversed())
            writer.raw(EmptyCollection())
        }
        #expect(text == "[1,2]1éba")
    }

    @Test func `earlier bytes stay`() {
        var writer = JSONWriter(capacity: 100)
        writer.bytes = Array("xy".utf8)
        writer.value(["a": [1, "b"]])
        #expect(writer.bytes == Array("xy{\"a\":[1,\"b\"]}".utf8))
    }

    @Test(arguments: [
        (0, "0"), (9, "9"), (10, "10"), (-1, "-1"), (-10, "-10"), (100, "100"), (12345, "12345"),
        (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
        (9_007_199_254_740_991, "9007199254740991"),
    ])
    func `integers are written plainly`(value: Int64, text: String) {
        #expect(written { $0.integer(value) } == text)
    }

    @Test(arguments: [
        (0.0, "0.0"), (-0.0, "-0.0"), (5.0, "5.0"), (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e16, "1e+16"), (1e15, "1000000000000000.0"), (1e-5, "1e-05"), (123.456, "123.456"),
        (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        (Double.leastNonzeroMagnitude, "5e-324"), (1.0 / 3, "0.3333333333333333"),
        (9_007_199_254_740_993.0, "9007199254740992.0"),
    ])
    func `doubles are written as short as they can be and stay doubles`(
        value: Double, text: String
    ) throws {
        #expect(written { $0.double(value) } == text)
        let document = try parsed(text)
        #expect(document.kind(document.root) == .double)
        #expect(document.double(document.root)?.bitPattern == value.bitPattern)
    }

    @Test func `a number that isn't finite becomes null`() {
        for value in [Double.infinity, -.infinity, .nan] {
            #expect(written { $0.double(value) } == "null")
        }
    }

    @Test(arguments: [
        ("", #""""#), ("a", #""a""#), ("\"\\/", #""\"\\/""#),
        ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#),
        ("\u{0}\u{1F}\u{B}", #""\u0000\u001f\u000b""#),
        ("\u{7F}é€😀\u{2028}", "\"\u{7F}é€😀\u{2028}\""), ("e\u{301}", "\"e\u{301}\""),
    ])
    func `only the necessary is escaped`(value: String, text: String) {
        #expect(written { $0.string(value) }.utf8.elementsEqual(text.utf8))
    }

    @Test func `every byte to be escaped is seen at every place`() throws {
        for length in 1...20 {
            for place in 0..<length {
                for byte in Array(UInt8(0)..<0x20) + [0x22, 0x5C] {
                    var bytes = [UInt8](repeating: 0x61, count: length)
                    bytes[place] = byte
                    var writer = JSONWriter()
                    bytes.withUnsafeBytes { writer.string(utf8: $0) }
                    let document = try JSONDocument(parsing: writer.bytes)
                    #expect(document.stringBytes(document.root) == bytes)
                }
            }
        }
    }

    @Test func `an empty buffer is an empty string`() {
        #expect(
            written { $0.string(utf8: UnsafeRawBufferPointer(start: nil, count: 0)) } == "\"\"")
    }

    @Test func `a string bridged in pieces is written whole`() {
        let rest = String(repeated("é\"", 1000).dropFirst())
        #expect(written { $0.string(rest) } == "\"\\\"" + repeated("é\\\"", 999) + "\"")
    }

    @Test func `deeply nested values are written as they were read`() throws {
        for (open, close) in [("[", "]"), ("[1,{\"a\":", "},2]")] {
            let text = repeated(open, 1000) + "null" + repeated(close, 1000)
            let value = try JSONValue(
                parsing: Array(text.utf8), limits: JSONLimits(depthMax: 2000))
            #expect(value.description == text)
        }
    }

    @Test func `the same value always makes the same bytes`() throws {
        let seed = testSeed("WriterTests")
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let value = ValueMaker.value(depth: 0, using: &random)
            let bytes = value.serialized()
            let again = try JSONValue(parsing: bytes)
            #expect(again == value, "seed \(seed): \(shown(bytes))")
            #expect(again.serialized() == bytes, "seed \(seed): \(shown(bytes))")
            #expect(again.hashValue == value.hashValue, "seed \(seed)")
        }
    }
}

/// Makes JSON values at random.
enum ValueMaker {
    static func value(depth: Int, using random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth > 5 ? 6 : 10), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2:
            let bits = Int64.random(in: 0...53, using: &random)
            let most = (Int64(1) << bits) - 1
            return .integer(Int64.random(in: -most...most, using: &random))
        case 3:
            let double = Double(bitPattern: random.next())
            return .double(double.isFinite ? double : 0.5)
        case 4, 5: return .string(string(using: &random))
        case 6, 7:
            let count = Int.random(in: 0...6, using: &random)
            return .array((0..<count).map { _ in value(depth: depth + 1, using: &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...(depth == 0 ? 40 : 5), using: &random) {
                object[string(using: &random)] = value(depth: depth + 1, using: &random)
            }
            return .object(object)
        }
    }

    static func string(using random: inout SeededRandom) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let bound: UInt32 = [0x20, 0x80, 0x800, 0x11_0000].randomElement(using: &random) ?? 1
            if let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &random)) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
