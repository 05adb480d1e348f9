import COpenSSL

/// Counts the changes of keys that a peer makes (RFC 8446, section 4.6.3). The library carries them
/// out by itself, and each takes as long as many short records.
final class KeyChanges {
    /// The changes since it was set to 0.
    var count = 0

    /// Counts those of a connection, which it must outlive.
    func attach(to connection: OpaquePointer) {
        grove_tls_set_message_callback(
            connection, countKeyChange, Unmanaged.passUnretained(self).toOpaque())
    }
}

private func countKeyChange(
    _ isSent: Int32, _ version: Int32, _ type: Int32, _ bytes: UnsafeRawPointer?, _ count: Int,
    _ connection: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) {
    guard isSent == 0, type == SSL3_RT_HANDSHAKE, count > 0, let bytes, let argument,
        bytes.load(as: UInt8.self) == UInt8(SSL3_MT_KEY_UPDATE)
    else { return }
    Unmanaged<KeyChanges>.fromOpaque(argument).takeUnretainedValue().count += 1
}
