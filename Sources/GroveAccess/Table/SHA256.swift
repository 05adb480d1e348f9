import COpenSSL

/// The hash of FIPS 180-4, by the system's OpenSSL.
enum SHA256 {
    /// Bytes of a hash.
    static let bytesCount = 32

    static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: bytesCount)
        guard EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil) == 1
        else {
            preconditionFailure("the system's library has no SHA-256")
        }
        return digest
    }
}
