import GroveTestSupport
import OrderedJSON
import Testing

/// Texts made to hurt: they must be read or refused in time proportional to their length, or
/// nearly so, and without using up the stack.
@Suite struct HostileTextTests {
    private let everything = JSONLimits(depthMax: .max, bytesMax: .max, valuesMax: .max)

    @Test func `a million open brackets are refused at the sixty-fifth`() {
        #expect(
            refusal(of: repeated("[", 1_000_000)) == JSONError(offset: 64, reason: .tooDeep))
        #expect(
            refusal(of: repeated("{\"a\":", 1_000_000))
                == JSONError(offset: 320, reason: .tooDeep))
    }

    @Test func `a million nested arrays are read where the limit allows it`() throws {
        let text = repeated("[", 1_000_000) + repeated("]", 1_000_000)
        let document = try parsed(text, limits: everything)
        #expect(document.count(document.root) == 1)
        #expect(
            refusal(of: repeated("[", 1_000_000), limits: everything)
                == JSONError(offset: 1_000_000, reason: .endOfText))
    }

    @Test func `a million names are compared in less than square time`() throws {
        let names = (0..<1_000_000).map { "\"\($0)\":0" }
        let text = "{" + names.joined(separator: ",")
        let document = try parsed(text + "}", limits: everything)
        #expect(document.count(document.root) == 1_000_000)
        let error = refusal(of: text + ",\"500000\":0}", limits: everything)
        #expect(error == JSONError(offset: text.utf8.count + 1, reason: .duplicateName))
    }

    @Test func `names that differ at their ends cost no square time either`() throws {
        let prefix = repeated("x", 200)
        let names = (0..<20_000).map { "\"\(prefix)\($0)\":0" }
        let text = "{" + names.joined(separator: ",")
        #expect(throws: Never.self) { try parsed(text + "}", limits: everything) }
        #expect(
            refusal(of: text + ",\"\(prefix)77\":0}", limits: everything)?.reason
                == .duplicateName)
    }

    @Test func `many escaped names cost no square time either`() throws {
        let names = (0..<100_000).map { "\"\\u0061\($0)\":0" }
        let text = "{" + names.joined(separator: ",")
        #expect(throws: Never.self) { try parsed(text + "}", limits: everything) }
        #expect(
            refusal(of: text + ",\"a99999\":0}", limits: everything)
                == JSONError(offset: text.utf8.count + 1, reason: .duplicateName))
    }

    @Test func `the standard limits bound the values of one text`() {
        let text = "[" + repeated("0,", 200_000) + "0]"
        #expect(
            refusal(of: text) == JSONError(offset: 1 + 2 * 99_999, reason: .tooManyValues))
    }

    @Test func `a megabyte of string, plain, escaped or foreign, is read`() throws {
        for piece in ["a", "\\n", "\\ud83d\\ude00", "é", "😀"] {
            let document = try parsed("\"" + repeated(piece, 200_000) + "\"")
            #expect(document.string(document.root)?.unicodeScalars.count == 200_000)
        }
    }

    @Test func `bytes changed at random are read or refused, and nothing else`() throws {
        let seed = testSeed("HostileTextTests")
        var random = SeededRandom(seed: seed)
        let valid = Array(
            #"{"op":"send","id":12,"x":[1.5e3,true,null,{"é":"\u00e9\ud83d\ude00"}],"y":-0}"#.utf8)
        var document = JSONDocument()
        for _ in 0..<50_000 {
            var text = valid
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: text.remove(at: place)
                default:
                    text.insert(text[Int.random(in: 0..<text.count, using: &random)], at: place)
                }
            }
            do {
                try text.withUnsafeBytes { try document.parse($0) }
                let written = document.value(document.root).serialized()
                #expect(throws: Never.self, "seed \(seed)") { try JSONValue(parsing: written) }
            } catch let error as JSONError {
                #expect((0...text.count).contains(error.offset), "seed \(seed)")
            }
        }
    }
}
