import COpenSSL
import GroveWire

/// The answer to the key of a client's handshake (RFC 6455, section 4.2.2).
public enum WebSocketHandshake {
    /// The text that every server adds to a key, so that no other protocol answers by accident.
    private static let suffix = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)

    /// Returns the value of `Sec-WebSocket-Accept`: the SHA-1 of the key's text with a constant,
    /// in base64. Nothing depends on that hash being strong.
    ///
    /// - Parameter key: The value of `Sec-WebSocket-Key`.
    /// - Returns: 28 bytes; `nil` for a key that isn't the base64 of 16 bytes,
    ///   which is 24 characters.
    public static func accept(key: [UInt8]) -> [UInt8]? {
        guard Base64.decode(String(decoding: key, as: UTF8.self))?.count == 16 else { return nil }
        let text = key + suffix
        var digest = [UInt8](repeating: 0, count: 20)
        // A library without SHA-1 must not end the server: then there are no handshakes.
        guard EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil) == 1 else { return nil }
        var answer: [UInt8] = []
        Base64.append(digest, to: &answer)
        return answer
    }
}
