import OrderedJSON
import Testing

/// Equal values make equal bytes, in every process.
@Suite struct EncodingOrderTests {
    @Test func `members of a dictionary are in the order of their names' bytes`() throws {
        let names = ["b", "a", "", "é", "z", "aa", "A", "a\u{0}", "\u{FFFF}", "😀", "\"", "a b"]
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.utf8.count) })
        let value = try JSONValue(parsing: Array(encoded(dictionary).utf8))
        let written = try #require(value.object?.members.map(\.name))
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(written.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
        for member in value.object?.members ?? [] {
            #expect(member.value == .integer(Int64(member.name.utf8.count)))
        }
    }

    @Test func `dictionaries in dictionaries are sorted too`() throws {
        let inner = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0)", [$0]) })
        let outer = Dictionary(uniqueKeysWithValues: (0..<20).map { ("o\($0)", inner) })
        let text = try encoded(outer)
        let names = (0..<20).map { "k\($0)" }.sorted()
        let part =
            "{" + names.map { "\"\($0)\":[\($0.dropFirst())]" }.joined(separator: ",") + "}"
        let outerNames = (0..<20).map { "o\($0)" }.sorted()
        #expect(
            text
                == "{" + outerNames.map { "\"\($0)\":\(part)" }.joined(separator: ",") + "}")
    }

    @Test func `a dictionary after other code is sorted`() throws {
        struct Wrapper: Encodable {
            let inner: [String: Int]
            func encode(to encoder: any Encoder) throws { try inner.encode(to: encoder) }
        }
        let inner = Dictionary(uniqueKeysWithValues: (0..<30).map { ("k\($0)", $0) })
        #expect(try encoded(Wrapper(inner: inner)) == encoded(inner))
    }

    @Test func `sets are sorted by what their elements are written as`() throws {
        #expect(try encoded(Set(["b", "a", "c"])) == #"["a","b","c"]"#)
        #expect(try encoded(Set([10, 9, -1])) == "[-1,10,9]")
        let sets = Set((0..<10).map { Set([$0, $0 + 100]) })
        let later = (2..<10).map { "[10\($0),\($0)]" }.joined(separator: ",")
        let expected = "[0,100],[1,101],\(later)"
        #expect(try encoded(sets) == "[\(expected)]")
        #expect(try encoded(Set<Int>()) == "[]")
        #expect(try decoded(Set<Int>.self, "[3,1,3]") == [1, 3])
    }

    @Test func `pairs of a dictionary with other keys stay together`() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<10).map { (Double($0), "v\($0)") })
        let expected = (0..<10).map { "\($0).0,\"v\($0)\"" }.joined(separator: ",")
        #expect(try encoded(dictionary) == "[\(expected)]")
        #expect(try encoded([Coin.penny: [1, 2], .dime: []]) == #"["dime",[],"penny",[1,2]]"#)
    }

    @Test func `arrays and structs keep their order`() throws {
        struct Unordered: Encodable {
            var z = 1
            var a = ["b", "a"]
        }
        #expect(try encoded(Unordered()) == #"{"z":1,"a":["b","a"]}"#)
    }

    @Test func `a set after an enum and a member is sorted`() throws {
        enum Event: Codable, Equatable { case tags(Set<String>) }
        try expectRoundTrip(
            ["e": Event.tags(["y", "x", "w"])], #"{"e":{"type":"tags","value":["w","x","y"]}}"#)
    }
}
