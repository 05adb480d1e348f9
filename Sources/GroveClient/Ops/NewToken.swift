import GroveWire
import OrderedJSON

/// A token that was just made. The server shows it this once.
public struct NewToken: Sendable, CustomReflectable {
    /// The secret.
    public let token: ClientToken
    /// Its public part, for lists, rotation and revocation.
    public let id: String
    /// Whose it is.
    public let principal: String
    /// When it ends; `nil` for never.
    public let expires: String?
    /// Everything the server sent, the secret included.
    package let reply: Reply

    package init(_ reply: Reply) throws(ClientError) {
        token = ClientToken(try reply.fields.required("token", Fields.string))
        id = try reply.fields.required("token_id", Fields.string)
        principal = try reply.fields.required("principal", Fields.string)
        expires = reply.string("expires")
        self.reply = reply
    }

    /// Without the secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "token": token, "id": id, "principal": principal, "expires": expires as Any,
            ])
    }
}
