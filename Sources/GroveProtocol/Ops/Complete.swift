import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func complete() throws(WireError) -> Operation {
        .complete(try token(), try answer())
    }

    /// What was asked for by its token. A text that is no token stands for an effect that never
    /// was, so that it is refused like any other token that is no longer good.
    private func token() throws(WireError) -> EffectToken {
        guard let text = try text("token") else {
            throw .badRequest("$.token", "token is missing")
        }
        return EffectToken(text) ?? .ofNothing
    }

    /// The answer: exactly one member has it, and `null` is a result as well.
    private func answer() throws(WireError) -> Operation.EffectAnswer {
        let rule = "exactly one of result and error is the answer"
        switch (member("result"), member("error")) {
        case (let node?, nil): return .result(document.value(node))
        case (nil, let node?):
            guard let reason = document.string(node) else {
                throw .badRequest("$.error", "error is a string")
            }
            return .failure(reason)
        case (nil, nil): throw .badRequest("$.result", rule)
        case (.some, .some): throw .badRequest("$.error", rule)
        }
    }
}

extension EffectToken {
    /// The token of an effect that no instance ever has: the last number there is.
    fileprivate static let ofNothing: EffectToken = {
        let secret = String(repeating: "0", count: 32)
        guard let token = EffectToken("\(Int64.max)-\(Int64.max)-\(secret)") else {
            preconditionFailure("two numbers and 32 digits are a token")
        }
        return token
    }()
}
