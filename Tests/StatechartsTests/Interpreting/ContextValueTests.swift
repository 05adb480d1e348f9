import CEL
import OrderedJSON
import Testing

@testable import Statecharts

struct ContextValueTests {
    @Test func `a value is measured as at least its bytes as JSON`() throws {
        let values: [JSONValue] = [
            nil, true, 123_456_789, -9_007_199_254_740_991, 1.5, -2.2250738585072014e-308, "a\"\n",
            [1, ["x", nil]], ["a": ["b": "\u{0}"], "c": []],
        ]
        for json in values {
            let (value, bytes) = try ContextValue.normalized(CELValue(json))
            var writer = JSONWriter()
            ContextValue.write(value, &writer)
            #expect(writer.bytes == json.serialized())
            #expect(bytes >= writer.bytes.count, "\(json)")
        }
    }

    @Test func `the bound of a context is at least its measure`() throws {
        let texts = ["", "a", String(repeating: "\"\\", count: 50), "é", "\u{1}\n"]
        for text in texts {
            var map = CELMap()
            map[CELKey(text)] = .list([.string(text), .null, .int(1), .double(0.1), .map(map)])
            map["again"] = .map(map)
            #expect(ContextValue.bound(map) >= ContextValue.measure(map), "\(text)")
        }
    }

    @Test func `a value that JSON can't say is a fault`() {
        let deep = (0..<60).reduce(CELValue.null) { value, _ in .list([value]) }
        for value in [CELValue.double(.nan), .int(1 << 60), .uint(1 << 60), deep] {
            #expect(throws: ContextValue.Fault.self) { try ContextValue.normalized(value) }
        }
    }

    @Test func `delays are milliseconds from 0 to 100 years`() {
        #expect(ContextValue.milliseconds(.double(1.5)) == 2)
        #expect(ContextValue.milliseconds(.uint(7)) == 7)
        #expect(ContextValue.milliseconds(.int(-1)) == nil)
        #expect(ContextValue.milliseconds(.int(ChartLimits.delayMillisecondsMax + 1)) == nil)
        #expect(ContextValue.milliseconds(.bool(true)) == nil)
    }
}
