import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    func token() throws(WireError) -> AccountsRequest {
        let action = try required(
            try word("action", ["create", "rotate", "revoke"]), "action")
        var request: AccountsRequest
        switch action {
        case "revoke":
            let command: AccountsCommand =
                try revokesAll() ? .revokeAllTokens : .revokeToken(try tokenID())
            request = AccountsRequest(.change(command, tokenText: nil), op: .token)
        case "rotate":
            let overlap = try count("overlap_ms") ?? TokenEnd.standardOverlap
            let (id, end) = (try tokenID(), try tokenEnd())
            request = try made { .rotateToken(id, overlap: overlap, end, $0) }
        default:
            var wish = TokenWish(try principal("principal"))
            wish.label = try text("label", bytesMax: TokenNote.labelBytesMax) ?? ""
            wish.end = try tokenEnd()
            wish.grants = try grants()
            request = try made { .createToken(wish, $0) }
        }
        request.force = try flag("force") ?? false
        return request
    }

    /// A request with a token that is made now. Its text is in the request until the reply.
    private func made(
        _ command: (DigestedToken) -> AccountsCommand
    ) throws(WireError) -> AccountsRequest {
        guard let makeToken else {
            throw .badRequest("$.action", "this server makes no tokens")
        }
        let token = makeToken()
        let text = token.withBytes { Array($0) }
        return AccountsRequest(
            .change(command(DigestedToken(token)), tokenText: text), op: .token)
    }

    private func revokesAll() throws(WireError) -> Bool {
        guard try flag("all") == true else { return false }
        guard member("token_id") == nil else {
            throw .badRequest("$.all", "all stands for every token: leave out token_id")
        }
        return true
    }

    private func tokenID() throws(WireError) -> TokenID {
        try value(required(member("token_id"), "token_id"), "token_id", "has 8 letters") {
            document.string($0).flatMap(TokenID.init)
        }
    }

    private func tokenEnd() throws(WireError) -> TokenEnd {
        guard let node = member("expires") else { return .standard }
        if document.kind(node) == .null { return .never }
        guard let instant = document.string(node).flatMap(InstantText.init) else {
            throw .badRequest(
                "$.expires", "expires is a time such as \"2027-02-19T00:00:00Z\", or null for never"
            )
        }
        return .at(instant.milliseconds)
    }
}
