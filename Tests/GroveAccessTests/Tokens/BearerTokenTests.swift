import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("BearerToken")
struct BearerTokenTests {
    private func isMade(of random: [UInt8]) -> Bool {
        random.withUnsafeBytes { random in
            guard let token = BearerToken(random: random) else { return false }
            return token.withBytes { TokenText.isWellFormed($0) }
        }
    }

    private func isRead(_ text: String) -> Bool {
        withBytes(text) { bytes in
            guard let token = BearerToken(bytes) else { return false }
            return token.withBytes { $0.elementsEqual(bytes) }
        }
    }

    @Test func `a token is read as it was written`() throws {
        let text = try TokenTextTests.text(7)
        #expect(isRead(text))
        #expect(!isRead(text + "x"))
        let id = withBytes(text) { bytes -> TokenID? in
            guard let token = BearerToken(bytes) else { return nil }
            return token.id
        }
        #expect(id?.text.utf8.elementsEqual(text.utf8.dropFirst(6).prefix(8)) == true)
    }

    @Test func `the same random bytes make the same token, and others another`() throws {
        let texts = try (1...100 as ClosedRange<UInt64>).map { try TokenTextTests.text($0) }
        #expect(Set(texts).count == 100)
        #expect(Set(texts.map { $0.dropFirst(6).prefix(8) }).count == 100)
        #expect(try TokenTextTests.text(1) == texts[0])
    }

    @Test func `too few random bytes make none`() {
        let few = [UInt8](repeating: 1, count: BearerToken.randomBytesMin - 1)
        #expect(!isMade(of: few))
        #expect(isMade(of: few + [1]))
        // Bytes from 248 on would make some characters likelier than others.
        #expect(!isMade(of: [UInt8](repeating: 248, count: 500)))
        #expect(isMade(of: [UInt8](repeating: 247, count: BearerToken.randomBytesMin)))
    }

    @Test func `exactly 43 bytes for the secret are enough`() {
        let head = [UInt8](repeating: 0, count: 8)
        let waste = [UInt8](repeating: 255, count: 45)
        let secret = (0..<43).map { UInt8($0) }
        (head + waste + secret).withUnsafeBytes { random in
            guard let token = BearerToken(random: random) else {
                Issue.record("43 bytes weren't enough")
                return
            }
            let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
            #expect(text.hasPrefix("grove_aaaaaaaa_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"))
        }
        #expect(!isMade(of: head + waste + secret.dropLast() + [255]))
    }

    @Test func `each character stands at each place equally often`() throws {
        // All 256 values of each byte, in steps: four of each character, and none of the rest.
        var counts: [UInt8: Int] = [:]
        for value in 0...255 as ClosedRange<UInt8> {
            let bytes = [UInt8](repeating: value, count: 200)
            bytes.withUnsafeBytes { random in
                guard let token = BearerToken(random: random) else { return }
                token.withBytes { counts[$0[TokenText.secretRange.lowerBound], default: 0] += 1 }
            }
        }
        #expect(counts.count == 62)
        #expect(counts.values.allSatisfy { $0 == 4 })
    }

    @Test func `dropping zeroes the memory`() {
        var bytes: [UInt8] = Array("secret".utf8)
        bytes.withUnsafeMutableBytes { BearerToken.zero($0) }
        #expect(bytes == [0, 0, 0, 0, 0, 0])
    }
}

@Suite("TokenID")
struct TokenIDTests {
    @Test func `an id has 8 letters of 32`() {
        #expect(TokenID("k3v7qzt2")?.description == "k3v7qzt2")
        for text in ["", "k3v7qzt", "k3v7qzt2a", "k3v7qzt1", "k3v7qzt8", "K3v7qzt2", "k3v7qzé"] {
            #expect(TokenID(text) == nil)
        }
        #expect(Set(TokenID.letters).count == 32)
        #expect(TokenID.letters.allSatisfy(TokenID.isLetter))
    }
}
