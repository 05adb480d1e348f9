import GroveWire
import OrderedJSON

extension RequestDecoder {
    /// Checks the client's side of the greeting.
    ///
    /// - Returns: Whether replies have to keep the order of their requests.
    func hello() throws(WireError) -> Bool {
        let proto = try value("proto", "is one integer") { document.integer($0) }
        _ = try text("client")
        _ = try text("token")
        let order = try word("order", ["any", "strict"])
        if let proto, proto != ProtocolVersion.current {
            throw WireError(.unsupportedProto, "this server speaks 1, not \(proto)") { data in
                data.literal(#""at":"$.proto","proto":[1]"#)
            }
        }
        return order == "strict"
    }
}
