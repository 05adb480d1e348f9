import GroveWire
import OrderedJSON

extension RequestDecoder {
    func hello() throws(WireError) -> DecodedLine.Hello {
        var proto: Int64 = ProtocolVersion.current
        if let node = member("proto") {
            guard let number = document.integer(node) else {
                throw .badRequest("$.proto", "proto is one integer")
            }
            proto = number
        }
        _ = try text("client")
        _ = try text("token")
        let order = try word("order", ["any", "strict"])
        guard proto == ProtocolVersion.current else {
            throw WireError(.unsupportedProto, "this server speaks 1, not \(proto)") { data in
                data.literal(#""at":"$.proto","proto":[1]"#)
            }
        }
        return DecodedLine.Hello(proto: proto, isOrderStrict: order == "strict")
    }
}
