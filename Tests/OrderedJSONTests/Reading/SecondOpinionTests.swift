import GroveTestSupport
import OrderedJSON
import Testing

/// The reader against a second one that is written as plainly as can be.
@Suite struct SecondOpinionTests {
    @Test func `both readers agree on texts that are nearly JSON`() throws {
        let seed = testSeed("SecondOpinionTests")
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<20_000 {
            var pieces = TextMaker.pieces(depth: 0, using: &random)
            if Bool.random(using: &random), !pieces.isEmpty {
                let place = Int.random(in: 0..<pieces.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: pieces.remove(at: place)
                case 1: pieces.insert(pieces[place], at: place)
                case 2: pieces[place] = TextMaker.oddity(using: &random)
                default: pieces.swapAt(place, Int.random(in: 0..<pieces.count, using: &random))
                }
            }
            let text = Array(pieces.joined().utf8)
            let expected = SlowParser.describe(text)
            let found = (try? JSONValue(parsing: text)).map(Self.describe)
            #expect(found == expected, "seed \(seed): \(shown(text))")
            if found != nil { accepted += 1 }
        }
        // Neither side of the question may be starved.
        #expect((4000...18_000).contains(accepted), "seed \(seed): \(accepted) accepted")
    }

    @Test func `both readers agree on every text of up to five of these bytes`() {
        let alphabet = Array("[]{},:\"1-.e0a \\".utf8)
        var disagreements: [String] = []
        var texts: [[UInt8]] = [[]]
        for _ in 0..<4 {
            texts = texts.flatMap { text in alphabet.map { text + [$0] } }
            for text in texts {
                let found = (try? JSONValue(parsing: text)).map(Self.describe)
                if found != SlowParser.describe(text) { disagreements.append(shown(text)) }
            }
        }
        #expect(disagreements == [])
    }

    static func describe(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "i\(value)"
        case .double(let value): "d\(value)"
        case .string(let value): "s\(Array(value.utf8))"
        case .array(let elements):
            "[" + elements.map(describe).joined(separator: ",") + "]"
        case .object(let object):
            "{"
                + object.map { "\(Array($0.name.utf8)):\(describe($0.value))" }
                .joined(separator: ",") + "}"
        }
    }
}

/// Makes JSON texts at random, in pieces that can be disturbed.
enum TextMaker {
    static func pieces(depth: Int, using random: inout SeededRandom) -> [String] {
        let kind = Int.random(in: 0..<(depth > 4 ? 4 : 7), using: &random)
        switch kind {
        case 0: return [["null", "true", "false"].randomElement(using: &random) ?? "null"]
        case 1, 2: return [number(using: &random)]
        case 3: return [string(using: &random)]
        case 4:
            var pieces = ["["]
            for index in 0..<Int.random(in: 0...4, using: &random) {
                if index > 0 { pieces.append(",") }
                pieces += Self.pieces(depth: depth + 1, using: &random)
            }
            return pieces + [space(using: &random), "]"]
        default:
            var pieces = ["{"]
            for index in 0..<Int.random(in: 0...5, using: &random) {
                if index > 0 { pieces.append(",") }
                pieces += [string(using: &random), space(using: &random), ":"]
                pieces += Self.pieces(depth: depth + 1, using: &random)
            }
            return pieces + ["}"]
        }
    }

    static func number(using random: inout SeededRandom) -> String {
        let choices = [
            "0", "-0", "1", "-12", "9007199254740991", "9007199254740992", "-9007199254740993",
            "0.5", "1e5", "2E-3", "1.25e+10", "1e308", "1e309", "-1e400", "1e-400", "123456789.125",
            "\(Double(bitPattern: random.next()))", "\(Int64(bitPattern: random.next()))",
        ]
        return choices.randomElement(using: &random) ?? "0"
    }

    static func string(using random: inout SeededRandom) -> String {
        let choices = [
            "a", "b", "", "\\u0061", "\\n", "\\\\", "\\\"", "é", "\\u00e9", "😀", "\\ud83d\\ude00",
            "longer than eight bytes", "/", "\\/", "\\u0000",
        ]
        let count = Int.random(in: 0...3, using: &random)
        let parts = (0..<count).map { _ in choices.randomElement(using: &random) ?? "" }
        return "\"" + parts.joined() + "\""
    }

    static func space(using random: inout SeededRandom) -> String {
        ["", "", " ", "\n", "\t\r "].randomElement(using: &random) ?? ""
    }

    /// Something that is seldom right where it stands.
    static func oddity(using random: inout SeededRandom) -> String {
        let choices = [
            ",", ":", "]", "}", "[", "{", "\"", "01", "1.", "-", "+1", ".5", "nul", "True", "\\",
            "\"\\ud800\"", "\"\\udc00\"", "\"\\x\"", "\u{FEFF}", "\u{0}", "\"\u{1}\"", "//", "'a'",
        ]
        return choices.randomElement(using: &random) ?? ","
    }
}
