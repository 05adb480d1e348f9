import Testing

@testable import GroveAccess

@Suite("TokenDigest")
struct TokenDigestTests {
    /// The examples of FIPS 180-4 and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the hash is SHA-256`(text: String, hash: String) {
        let digest = withBytes(text) { SHA256.digest(of: $0) }
        let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == hash)
    }

    @Test func `two digests match if all bytes are the same`() throws {
        let bytes = [UInt8](repeating: 5, count: SHA256.bytesCount)
        let digest = try #require(TokenDigest(bytes: bytes))
        #expect(digest.matches(digest))
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(try !digest.matches(#require(TokenDigest(bytes: other))))
        }
    }

    @Test(arguments: [0, 31, 33])
    func `another length is no digest`(count: Int) {
        #expect(TokenDigest(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }
}

@Suite("StoredToken")
struct StoredTokenTests {
    private func token(expires: Int64?) throws -> StoredToken {
        let digest = try #require(TokenDigest(bytes: [UInt8](repeating: 1, count: 32)))
        let id = try #require(TokenID("abcdefg2"))
        return StoredToken(id, digest, of: 2, label: "web", made: 1_000, expires: expires)
    }

    @Test func `it ends at its time`() throws {
        let token = try token(expires: 2_000)
        #expect(!token.isExpired(at: 1_999) && token.isExpired(at: 2_000))
        #expect(try !self.token(expires: nil).isExpired(at: .max))
    }

    @Test func `its note has what documents say`() throws {
        let note = try token(expires: 2_000).note
        #expect(note.id.text == "abcdefg2" && note.label == "web")
        #expect(note.made?.milliseconds == 1_000 && note.expires?.milliseconds == 2_000)
        #expect(note.lastUsed == nil)
    }
}
