/// How a line is written: as lines of this protocol are, or as those of JSON-RPC 2.0 (protocol.md,
/// "JSON-RPC 2.0"). Each request says which one it is, and is answered alike.
public enum LineShape: UInt8, Sendable {
    /// `{"op":…}` and `{"id":…,"ok":true,…}`.
    case plain = 0
    /// `{"jsonrpc":"2.0","method":…,"params":{…}}` and `{"id":…,"jsonrpc":"2.0","result":{…}}`.
    case jsonRPC = 1
}
