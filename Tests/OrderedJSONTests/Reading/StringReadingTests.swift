import GroveTestSupport
import OrderedJSON
import Testing

/// Strings: UTF-8, escapes and surrogates.
@Suite struct StringReadingTests {
    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00x""#, "😀x"),
        (#""\u0000""#, "\u{0}"), (#""\uffff\ufffe""#, "\u{FFFF}\u{FFFE}"),
        (#""é€😀""#, "é€😀"), (#""a\u0062c""#, "abc"), (#""\\u0041""#, "\\u0041"),
        (#""\ue000\ud7ff""#, "\u{E000}\u{D7FF}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
        ("\"\u{7F}\u{80}\"", "\u{7F}\u{80}"),
    ])
    func `a string is what its escapes say`(text: String, value: String) throws {
        let document = try parsed(text)
        let string = try #require(document.string(document.root))
        #expect(string.utf8.elementsEqual(value.utf8))
        #expect(document.stringBytes(document.root) == Array(value.utf8))
        #expect(document.withStringBytes(document.root) { Array($0) } == Array(value.utf8))
        #expect(document.text(document.root) == Array(text.utf8))
    }

    @Test(arguments: [
        (#""\x""#, 2), (#""\u00g0""#, 5), (#""\u 123""#, 3), (#""\U0041""#, 2), (#""\'""#, 2),
        (#""\ud800\u00x""#, 11), (#""\u""#, 3), ("\"\\\u{0}\"", 2),
    ])
    func `the error of an unknown escape is at its wrong byte`(
        text: String, offset: Int
    ) {
        #expect(refusal(of: text) == JSONError(offset: offset, reason: .invalidEscape))
    }

    @Test(arguments: [
        (#""\ud800""#, 1), (#""\udc00""#, 1), (#""ab\ud800c""#, 3), (#""\ud800\n""#, 1),
        (#""\ud800\ud800""#, 1), (#""\udc00\ud800""#, 1), (#""\ud800\u0041""#, 1),
        (#"{"\ud800":1}"#, 2), (#""\ud83d\ude00\ude00""#, 13),
    ])
    func `the error of half a surrogate pair is at its backslash`(text: String, offset: Int) {
        #expect(refusal(of: text) == JSONError(offset: offset, reason: .loneSurrogate))
    }

    @Test func `every control character must be escaped, nothing else must be`() throws {
        for byte in UInt8(0)...0x7F where byte != 0x22 && byte != 0x5C {
            let text: [UInt8] = [0x22, 0x61, byte, 0x22]
            if byte < 0x20 {
                #expect(
                    refusal(of: text) == JSONError(offset: 2, reason: .controlCharacter))
            } else {
                let document = try JSONDocument(parsing: text)
                #expect(document.stringBytes(document.root) == [0x61, byte])
            }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x82, 0x20], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F],
            [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x28], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `the error of invalid UTF-8 is where its sequence begins`(sequence: [UInt8]) {
        for before in [0, 1, 7, 8, 9] {
            let text = [0x22] + [UInt8](repeating: 0x61, count: before) + sequence + [0x22]
            #expect(
                refusal(of: text) == JSONError(offset: before + 1, reason: .invalidUTF8))
            // The same without an end: there must be no look beyond it.
            #expect(refusal(of: Array(text.dropLast()))?.offset ?? 0 <= text.count - 1)
        }
    }

    @Test func `the standard library agrees on every sequence of two and three bytes`() {
        var disagreements = 0
        for first in UInt8(0x80)...0xFF {
            for second in UInt8(0)...0xFF where second != 0x22 && second != 0x5C {
                if second < 0x20 { continue }
                for third: UInt8 in [0x7F, 0x80, 0xBF, 0xC0] {
                    let content = [first, second, third]
                    let isUTF8 = String(validating: content, as: UTF8.self) != nil
                    let isAccepted = (try? JSONDocument(parsing: [0x22] + content + [0x22])) != nil
                    if isUTF8 != isAccepted { disagreements += 1 }
                }
            }
        }
        #expect(disagreements == 0)
    }

    @Test func `a special byte is seen at every place of the eight looked at together`() throws {
        for place in 0..<24 {
            let before = repeated("a", place)
            for after in [0, 1, 7, 8, 15] {
                let rest = repeated("b", after)
                for special in ["\\n", "é", "\\u00e9", "\\\"", "😀"] {
                    let document = try parsed("\"\(before)\(special)\(rest)\"")
                    let string = try #require(document.string(document.root))
                    #expect(string.utf8.count >= place + after + 1)
                    #expect(string.hasPrefix(before) && string.hasSuffix(rest))
                }
                #expect(
                    refusal(of: "\"\(before)\u{1F}\(rest)\"")
                        == JSONError(offset: place + 1, reason: .controlCharacter))
            }
        }
    }

    @Test func `every scalar is read, plain and escaped`() throws {
        let seed = testSeed("StringReadingTests")
        var random = SeededRandom(seed: seed)
        for _ in 0..<5000 {
            let number = UInt32.random(in: 0x80...0x10FFFF, using: &random)
            guard let scalar = Unicode.Scalar(number) else { continue }
            let plain = String(Character(scalar))
            let units = Array(plain.utf16).map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + repeated("0", 4 - digits.count) + digits
            }
            for text in ["\"\(plain)\"", "\"\(units.joined())\""] {
                let document = try parsed(text)
                #expect(document.stringBytes(document.root) == Array(plain.utf8), "seed \(seed)")
            }
        }
    }
}
