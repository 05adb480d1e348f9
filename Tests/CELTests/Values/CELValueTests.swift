import OrderedJSON
import Testing

@testable import CEL

struct CELValueTests {
    @Test func `JSON becomes values and values JSON`() throws {
        let text = #"{"b":[1,-2.5,"x",null,true],"a":{"c":9007199254740991}}"#
        let json = try JSONValue(parsing: Array(text.utf8))
        let value = CELValue(json)
        #expect(value == ["b": [1, -2.5, "x", .null, true], "a": ["c": 9_007_199_254_740_991]])
        #expect(value.json == json)
        #expect(value.json?.description == text)
    }

    @Test func `values that JSON doesn't have are text, or nothing`() throws {
        let map = try value("{1: b'a', true: timestamp(0), 'd': duration('1s')}")
        #expect(
            map.json?.description == #"{"1":"YQ==","true":"1970-01-01T00:00:00Z","d":"1s"}"#)
        #expect(
            CELValue.double(.nan).json == nil && CELValue.list([.double(.infinity)]).json == nil)
        #expect(CELValue.map(["x": .double(.nan)].celMap).json == nil)
        #expect(CELValue.optional(nil).json == .null && CELValue.optional(5).json == 5)
        #expect(CELValue.type(.int).json == "int" && CELValue.uint(.max).json?.double == 0x1p64)
    }

    @Test func `numbers are equal by their value, in all types`() {
        #expect(
            CELValue.int(1) == .uint(1) && CELValue.int(1) == .double(1)
                && CELValue.uint(1) == .double(1))
        #expect(CELValue.int(-1) != .uint(.max) && CELValue.double(.nan) != .double(.nan))
        #expect(CELValue.list([1, .uint(2)]) == .list([.double(1), 2]))
        #expect(
            CELValue.optional(1) == .optional(.uint(1))
                && CELValue.optional(nil) != .optional(.null))
        #expect(CELValue.type(.list(.int)) == .type(.list(.dyn)) && CELValue.null != false)
        #expect(CELValue.bytes([1]) != .bytes([2]) && CELValue.string("1") != 1)
    }

    @Test func `values have an order where their types have one`() {
        #expect(CELValue.int(.max).order(to: .uint(.max)) == .less)
        #expect(CELValue.uint(0).order(to: .int(-1)) == .greater)
        #expect(CELValue.double(.nan).order(to: .int(1)) == .unordered)
        #expect(CELValue.bytes([1, 2]).order(to: .bytes([1])) == .greater)
        #expect(CELValue.bool(false).order(to: .bool(true)) == .less)
        #expect(
            CELValue.list([]).order(to: .list([])) == nil && CELValue.null.order(to: .null) == nil)
        #expect(CELOrder(doubles: 1, .nan) == .unordered && CELOrder(1, 2) == .less)
    }

    @Test func `zeros of all types are known`() {
        let zeros: [CELValue] = [
            .null, false, 0, .uint(0), 0.0, "", .bytes([]), [], .map(CELMap()), .optional(nil),
            .timestamp(.epoch),
            .duration(CELDuration(nanoseconds: 0)),
        ]
        #expect(zeros.allSatisfy { $0.isZero })
        let others: [CELValue] = [
            true, 1, "a", [0], .optional(.null), .type(.int), ["a": 0],
        ]
        #expect(!others.contains { $0.isZero })
    }

    @Test func `a map keeps its order, and finds its keys with and without an index`() {
        for count in [
            3, CELLimits.entriesWithoutIndexMax, CELLimits.entriesWithoutIndexMax + 1, 500,
        ] {
            var map = CELMap()
            for index in 0..<count { map["k\(index)"] = .int(Int64(index)) }
            #expect(
                map.count == count && map["k\(count - 1)"] == .int(Int64(count - 1))
                    && map["x"] == nil)
            map["k1"] = "new"
            #expect(map.entries[1].value == "new" && map.count == count)
            map["k0"] = nil
            #expect(map.entries[0].key == CELKey("k1") && map["k0"] == nil && map["k2"] == 2)
            var other = CELMap()
            for entry in map.entries.reversed() { other[entry.key] = entry.value }
            #expect(map == other && CELValue.map(map) == .map(other))
            other["k1"] = 0
            #expect(map != other)
        }
    }

    @Test func `keys are equal by their value`() throws {
        let one = try #require(CELKey(.int(1)))
        #expect(one == CELKey(.uint(1)) && one == CELKey(.double(1)) && one != CELKey(.bool(true)))
        #expect(one.hashValue == CELKey(.uint(1))?.hashValue)
        #expect(
            CELKey(.double(1.5)) == nil && CELKey(.null) == nil
                && CELKey(.double(0x1p63)) == CELKey(.uint(1 << 63)))
        #expect(
            CELKey("\u{E9}") != CELKey("e\u{301}") && CELKey("a").text == "a" && one.text == "1")
        #expect(CELKey(.int(-1)) != CELKey(.uint(.max)))
        // Short texts are their own hashes; longer ones are compared.
        let texts = ["", "\0", "\0\0", "a", "aa", "1234567", "7654321", "12345678", "123456789"]
        for one in texts {
            for other in texts {
                let left = CELKey(one)
                let right = CELKey(other + "")
                #expect((left == right) == (one == other))
            }
        }
    }

    @Test func `a value written as an expression gives the same value`() throws {
        for text in [
            "null", "true", "-5", "-9223372036854775808", "5u", "1.5", "1e100", "-0.0", "5e-324",
            "1.0 / 0.0", "'a\\n\\\"\\\\\u{1F600}'", "b'a\\x00\\xff\"\\\\'", "[1, 'a', []]",
            "{1: {'a': 2u}, true: null}", "timestamp(1234567890)", "duration('-1.5s')", "int",
            "google.protobuf.Duration", "optional_type", "optional.none()", "optional.of([1])",
        ] {
            let first = try value(text)
            let second = try value(first.description)
            #expect(second.isIdentical(to: first), "\(text): \(first)")
        }
        #expect(CELValue.uint(5).description == "5u" && CELValue.double(1).description == "1.0")
        #expect(try value("double('NaN')").description == "double(\"NaN\")")
    }

    @Test func `types have names`() {
        #expect(CELType.map(.string, .list(.int)).description == "map(string, list(int))")
        #expect(CELType.object([:]).name == "map" && CELType.optional(.dyn).name == "optional_type")
        #expect(Set(CELType.named.map(\.name)).count == CELType.named.count)
        let values: [CELValue] = [
            .null, true, 1, .uint(1), 1.5, "", .bytes([]), [], .map(CELMap()), .type(.int),
            .optional(nil),
        ]
        #expect(Set(values.map(\.type.name)).count == values.count)
    }
}

extension [String: CELValue] {
    fileprivate var celMap: CELMap {
        var map = CELMap()
        for (name, value) in self { map[name] = value }
        return map
    }
}
