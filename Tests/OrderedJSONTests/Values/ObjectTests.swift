import GroveTestSupport
import OrderedJSON
import Testing

/// Objects: order, lookup and change.
@Suite struct ObjectTests {
    private func names(_ object: JSONObject) -> [String] { object.members.map(\.name) }

    @Test func `new members go to the end, known ones keep their place`() {
        var object: JSONObject = ["b": 1, "a": 2]
        object["c"] = 3
        object["b"] = 4
        #expect(names(object) == ["b", "a", "c"])
        #expect(object.members.map(\.value) == [4, 2, 3])
        #expect(object.count == 3)
    }

    @Test func `setting nil removes, setting null doesn't`() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = nil as JSONValue?
        object["c"] = .some(.null)
        object["x"] = nil as JSONValue?
        #expect(names(object) == ["a", "c"])
        #expect(object["c"] == .some(.null))
        #expect(object["b"] == nil)
        object["a"] = nil as JSONValue?
        object["c"] = nil as JSONValue?
        #expect(object.isEmpty && object == JSONObject())
    }

    @Test func `the last value of a repeated name in a literal counts`() {
        let object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(JSONValue.object(object).description == #"{"a":3,"b":2}"#)
    }

    @Test func `names are compared byte by byte in small and large objects`() {
        for extra in [0, 100] {
            var object = JSONObject()
            for number in 0..<extra { object["k\(number)"] = .integer(Int64(number)) }
            object["\u{E9}"] = 1
            object["e\u{301}"] = 2
            #expect(object.count == extra + 2)
            #expect(object["\u{E9}"] == 1 && object["e\u{301}"] == 2)
        }
    }

    @Test func `any sequence of changes agrees with a plain list`() {
        let seed = testSeed("ObjectTests")
        var random = SeededRandom(seed: seed)
        for bound in [4, 16, 17, 18, 60] {
            var object = JSONObject()
            var plain: [(name: String, value: JSONValue)] = []
            for step in 0..<600 {
                let name = "n\(Int.random(in: 0..<bound, using: &random))"
                let place = plain.firstIndex { $0.name == name }
                #expect(object[name] == place.map { plain[$0].value }, "seed \(seed)")
                if Int.random(in: 0..<3, using: &random) == 0 {
                    object[name] = nil as JSONValue?
                    if let place { plain.remove(at: place) }
                } else {
                    let value = JSONValue.integer(Int64(step))
                    object[name] = value
                    if let place { plain[place].value = value } else { plain.append((name, value)) }
                }
                #expect(names(object) == plain.map(\.name), "seed \(seed)")
            }
        }
    }

    @Test func `a large object is filled and searched quickly`() throws {
        var object = JSONObject()
        for number in 0..<50_000 { object["name \(number)"] = .integer(Int64(number)) }
        for number in stride(from: 0, to: 50_000, by: 7) {
            #expect(object["name \(number)"]?.integer == Int64(number))
        }
        let value = JSONValue.object(object)
        let read = try JSONValue(parsing: value.serialized())
        #expect(read == value)
        #expect(read["name 49999"] == 49_999)
    }

    @Test func `an object is walked through in its order`() {
        let object: JSONObject = ["z": 1, "y": 2]
        #expect(object.map { "\($0.name)\($0.value)" } == ["z1", "y2"])
    }
}
