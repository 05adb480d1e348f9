/// The shape of a line: this protocol's own, or that of JSON-RPC 2.0 (protocol.md, "JSON-RPC 2.0").
/// A reply has the shape of its request.
package enum LineShape: UInt8, Sendable {
    /// `{"op":…}` and `{"id":…,"ok":true,…}`.
    case plain = 0
    /// `{"jsonrpc":"2.0","method":…,"params":{…}}` and `{"id":…,"jsonrpc":"2.0","result":{…}}`.
    case jsonRPC = 1
}
