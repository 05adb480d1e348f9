import Foundation
import OrderedJSON
import Testing

@testable import CEL

/// Random expressions: whatever the text, there is a value or an error with its place.
struct FuzzTests {
    private static let words = [
        "1", "0", "-1", "9223372036854775807", "1u", "1.5", "1e308", "'a'", "\"\"", "b'\\xff'",
        "r'\\d'",
        "true", "false", "null", "x", "y", "x.a", "[", "]", "{", "}", "(", ")", ",", ":", "?", ".",
        ".?", "[?",
        "+", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "&&", "||", "!", "has(x.a)",
        ".map(e, e)", ".filter(e, e > 0)", ".all(e, e)", ".exists(i, e, i == e)", ".size()",
        ".transformMap(k, v, v)", "size(", "string(", "int(", "timestamp(", "duration('1s')",
        ".matches(",
        ".format([1, 'a'])", "math.greatest(", "optional.of(", ".orValue(", "'%s %d'", ".split(",
        ".getHours('Europe/Berlin')", "timestamp(0)", "type(", "`a-b`", " ", "\n", "//",
        "\u{1F600}", "\\",
    ]

    @Test func `random expressions never trap, and say where they are wrong`() {
        let seed =
            ProcessInfo.processInfo.environment["GROVE_SEED"].flatMap { UInt64($0) } ?? 1
        var random = SeededNumbers(state: seed)
        let environment = CELEnvironment(
            variables: [.init("x", .dyn), .init("y", .list(.int))], allowsMixedArithmetic: true)
        let values: [CELValue] = [["a": [1, 2.5, "b"], "b": ["c": true]], [3, 4]]
        var evaluated = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...14, using: &random)
            let text = (0..<count).map { _ in
                Self.words.randomElement(using: &random) ?? ""
            }.joined()
            for checksTypes in [true, false] {
                do throws(CELErrors) {
                    let program = try environment.compile(text, checksTypes: checksTypes)
                    do throws(CELError) {
                        let result = try program.evaluate(values)
                        evaluated += 1
                        _ = result.json
                        // The types that were found hold.
                        if checksTypes { #expect(Self.fits(result, program.type), "\(text)") }
                    } catch {
                        #expect(error.offset <= text.utf8.count, "\(text)")
                        #expect(error.kind == .evaluation || error.kind == .limit, "\(text)")
                    }
                } catch {
                    #expect(error.all.allSatisfy { $0.offset <= text.utf8.count }, "\(text)")
                    #expect(error.description.utf8.count < 20_000)
                }
            }
        }
        #expect(evaluated > 200, "seed \(seed): \(evaluated) values")
    }

    /// Whether a value has a type that the checker found.
    private static func fits(_ value: CELValue, _ type: CELType) -> Bool {
        switch (type, value) {
        case (.dyn, _), (.variable, _): true
        case (.list(let element), .list(let elements)):
            elements.allSatisfy { fits($0, element) }
        case (.map(let key, let element), .map(let map)):
            map.entries.allSatisfy { fits($0.key.value, key) && fits($0.value, element) }
        case (.optional(let wrapped), .optional(let value)): value.map { fits($0, wrapped) } ?? true
        default: type.name == value.type.name
        }
    }
}

/// SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
