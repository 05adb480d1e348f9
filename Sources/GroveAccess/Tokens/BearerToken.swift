/// A whole token: who has it is its principal.
///
/// It has no copies, so nothing can print, compare, store or encode it by accident; only
/// ``withBytes(_:)`` shows it, for its hash and once to its owner. Its memory is its own and zeroed
/// when it is dropped. The text that it was read from isn't: that is the reader's.
package struct BearerToken: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer

    /// Reads a token; `nil` for bytes without the form of one. There is one answer for every fault.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard TokenText.isWellFormed(bytes) else { return nil }
        memory = Self.allocate()
        memory.copyMemory(from: bytes)
    }

    /// Makes a token.
    ///
    /// - Parameter random: At least ``randomBytesMin`` bytes of the system's generator, used for
    ///   nothing else. A byte for the secret counts only below 248, four times 62: so each
    ///   character is as likely as any other.
    /// - Returns: `nil` if too few bytes count, which a sound generator doesn't do.
    package init?(random: UnsafeRawBufferPointer) {
        guard random.count >= Self.randomBytesMin else { return nil }
        let memory = Self.allocate()
        guard Self.fill(memory, from: random) else {
            Self.free(memory)
            return nil
        }
        self.memory = memory
    }

    deinit { Self.free(memory) }

    /// Its public part.
    package var id: TokenID {
        let text = String(decoding: memory[TokenText.idRange], as: UTF8.self)
        guard let id = TokenID(text) else { preconditionFailure("a token begins with its id") }
        return id
    }

    /// Calls `body` with the 64 bytes of the text, which are valid during the call only.
    package func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(memory))
    }

    // MARK: memory

    private static func fill(
        _ memory: UnsafeMutableRawBufferPointer, from random: UnsafeRawBufferPointer
    ) -> Bool {
        memory.copyBytes(from: TokenText.prefix)
        for (place, byte) in zip(TokenText.idRange, random) {
            memory[place] = TokenID.letters[Int(byte & 31)]
        }
        memory[TokenText.idRange.upperBound] = UInt8(ascii: "_")
        var place = TokenText.secretRange.lowerBound
        let characters = TokenText.characters
        for byte in random.dropFirst(TokenID.bytesCount) where byte < 248 {
            guard place < TokenText.secretRange.upperBound else { break }
            memory[place] = characters[Int(byte) % 62]
            place += 1
        }
        guard place == TokenText.secretRange.upperBound else { return false }
        let checksum = TokenText.checksum(of: UnsafeRawBufferPointer(memory))
        for (place, byte) in zip(TokenText.checksumRange, checksum) { memory[place] = byte }
        return true
    }

    private static func allocate() -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TokenText.bytesCount, alignment: 1)
        zero(memory)
        return memory
    }

    private static func free(_ memory: UnsafeMutableRawBufferPointer) {
        zero(memory)
        memory.deallocate()
    }

    /// Writes zeros. It isn't inlined, so that no compiler sees that nobody reads them.
    @inline(never)
    package static func zero(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }
}
