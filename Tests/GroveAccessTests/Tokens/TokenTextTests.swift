import GroveTestSupport
import GroveWire
import Testing

@testable import GroveAccess

@Suite("TokenText")
struct TokenTextTests {
    static func randomBytes(_ seed: UInt64, count: Int = BearerToken.randomBytesMin) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    static func text(_ seed: UInt64) throws -> String {
        try randomBytes(seed).withUnsafeBytes { random in
            guard let token = BearerToken(random: random) else { throw CancellationError() }
            return token.withBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func isWellFormed(_ text: String) -> Bool {
        withBytes(text) { TokenText.isWellFormed($0) }
    }

    @Test func `the checksum and the alphabet never change`() {
        let text = "grove_abcdefgh_" + String(repeating: "0", count: 43)
        let number = CRC32.of(Array(text.utf8))
        let checksum = withBytes(text) { TokenText.checksum(of: $0) }
        let value = checksum.reduce(0 as UInt64) { value, byte in
            value * 62 + UInt64(TokenText.characters.firstIndex(of: byte) ?? 99)
        }
        #expect(value == UInt64(number))
        let whole = text + String(decoding: checksum, as: UTF8.self)
        #expect(whole.utf8.count == TokenText.bytesCount)
        #expect(isWellFormed(whole))
        #expect(Set(TokenText.characters).count == 62)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `a new token has the form, and any changed byte loses it`(seed: UInt64) throws {
        let bytes = Array(try Self.text(seed).utf8)
        #expect(bytes.withUnsafeBytes { TokenText.isWellFormed($0) })
        var random = SeededRandom(seed: seed)
        for place in bytes.indices {
            var other = bytes
            repeat {
                other[place] = UInt8.random(in: 0...255, using: &random)
            } while other[place] == bytes[place]
            #expect(!other.withUnsafeBytes { TokenText.isWellFormed($0) })
        }
    }

    @Test(arguments: [
        ("grove_abcdefgh_", "0", true), ("grove_abcdefgh_", "-", false),
        ("grove_abcdefgh_", "é", false), ("grove_abcdefg1_", "0", false),
        ("grove_abcdefgh-", "0", false), ("Grove_abcdefgh_", "0", false),
    ])
    func `a right checksum doesn't make up for other bytes`(
        head: String, last: String, isToken: Bool
    ) {
        let secret = String(repeating: "0", count: 43 - last.utf8.count) + last
        let checksum = withBytes(head + secret) { TokenText.checksum(of: $0) }
        let text = head + secret + String(decoding: checksum, as: UTF8.self)
        #expect(text.utf8.count == TokenText.bytesCount)
        #expect(isWellFormed(text) == isToken)
    }

    @Test func `other texts have not`() throws {
        let token = try Self.text(1)
        for text in [
            "", "grove_", " " + token, token + " ", token + "\n", String(token.dropLast()),
            token.uppercased(), token.replacing("grove_", with: "Grove_"),
            token.replacing("_", with: "-"),
        ] {
            #expect(!isWellFormed(text))
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `random bytes are no token, whatever their number`(seed: UInt64) {
        print("seed \(seed): swift test --disable-xctest --filter 'whatever their number'")
        for count in 0...130 {
            var bytes = Self.randomBytes(seed &* 1_000 &+ UInt64(count), count: count)
            #expect(!bytes.withUnsafeBytes { TokenText.isWellFormed($0) })
            bytes.replaceSubrange(..<min(6, count), with: "grove_".utf8.prefix(count))
            #expect(!bytes.withUnsafeBytes { TokenText.isWellFormed($0) })
        }
    }
}
