import COpenSSL

/// Counts what a peer asks of the library itself after the handshake: changes of keys in TLS 1.3
/// (RFC 8446, section 4.6.3), and in 1.2 new handshakes, each of which is refused by an alert. Each
/// takes as long as many short records.
final class KeyChanges {
    /// Their number since it was set to 0; those of the handshake itself count, too.
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
    guard let argument, type == (isSent == 0 ? SSL3_RT_HANDSHAKE : SSL3_RT_ALERT) else { return }
    Unmanaged<KeyChanges>.fromOpaque(argument).takeUnretainedValue().count += 1
}
