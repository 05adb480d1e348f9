import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func complete() throws(WireError) -> Operation {
        .complete(try token(), try answer())
    }

    /// The effect's token. A text that is no token becomes the token of no effect, so that it is
    /// refused like a token that is no longer valid.
    private func token() throws(WireError) -> EffectToken {
        EffectToken(try required(text("token"), "token")) ?? .ofNothing
    }

    /// The answer; exactly one member has it, and `null` is a result as well.
    private func answer() throws(WireError) -> Operation.EffectAnswer {
        let rule = "exactly one of result and error is the answer"
        switch (member("result"), member("error")) {
        case (let node?, nil): return .result(document.value(node))
        case (nil, let node?):
            return .failure(try value(node, "error", "is a string") { document.string($0) })
        case (nil, nil): throw .badRequest("$.result", rule)
        case (.some, .some): throw .badRequest("$.error", rule)
        }
    }
}

extension EffectToken {
    /// The token of an effect that no instance ever has: the largest numbers.
    fileprivate static let ofNothing: EffectToken = {
        let secret = String(repeating: "0", count: 32)
        guard let token = EffectToken("\(Int64.max)-\(Int64.max)-\(secret)") else {
            preconditionFailure("two numbers and 32 digits are a token")
        }
        return token
    }()
}
