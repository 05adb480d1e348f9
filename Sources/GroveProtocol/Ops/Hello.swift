import GroveWire
import OrderedJSON

extension RequestDecoder {
    /// Checks the client's side of the greeting.
    ///
    func hello() throws(WireError) -> DecodedLine.Body {
        let proto = try value("proto", "is one integer") { document.integer($0) }
        _ = try text("client")
        let token: DecodedLine.TokenMember =
            member("token") == nil ? .missing : .shown(try tokenMember(required: false))
        let order = try word("order", ["any", "strict"])
        if let proto, proto != ProtocolVersion.current {
            throw WireError(.unsupportedProto, "this server speaks 1, not \(proto)") { data in
                data.literal(#""at":"$.proto","proto":[1]"#)
            }
        }
        return .hello(isOrderStrict: order == "strict", token)
    }
}
