import GroveAccess

extension BearerToken {
    /// Makes a token from the system's generator.
    package static func generate() -> BearerToken {
        var generator = SystemRandomNumberGenerator()
        while true {
            let token = withUnsafeTemporaryAllocation(byteCount: randomBytesMin, alignment: 8) {
                bytes -> BearerToken? in
                for place in bytes.indices { bytes[place] = generator.next() }
                defer { zero(bytes) }
                return BearerToken(random: UnsafeRawBufferPointer(bytes))
            }
            if let token { return token }
        }
    }
}
