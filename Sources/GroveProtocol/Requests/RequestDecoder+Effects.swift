import GroveEngine
import GroveWire
import OrderedJSON
import Transducers

/// The ops about effects (protocol.md, "effects" and what follows it).
extension RequestDecoder {
    /// Reads a request with one of these ops: `effects`, `cancel`, `retry`, `complete`, `await`.
    func aboutEffects(_ op: Op, _ fields: Fields) throws(WireError) -> Operation {
        switch op {
        case .effects: return .effects(try effects(fields))
        case .cancel: return .cancel(try to(fields), try cancelChoice())
        case .retry:
            let to = try to(fields)
            // Without one, an instance that is set aside is meant.
            guard let node = member("effect") else { return .retry(to, run: nil) }
            guard let run = run(node) else {
                throw .badRequest("$.effect", "effect is an integer from 1")
            }
            return .retry(to, run: run, event: fields.event.map { document.value($0) })
        case .complete:
            let token = try token()
            return .complete(token, try answer())
        case .await: return .await(try awaited(fields))
        default: preconditionFailure("\(op.rawValue) is not about effects")
        }
    }

    private func effects(_ fields: Fields) throws(WireError) -> EffectsQuery {
        var query = EffectsQuery()
        query.to = try fields.to.map { node throws(WireError) in try instanceName(node) }
        query.phase = try word("phase", StoredEffect.Phase.names)
            .flatMap(StoredEffect.Phase.init(rawValue:))
        if let node = member("after") {
            guard let place = document.string(node).flatMap(EffectRef.init(text:)) else {
                throw .badRequest("$.after", "after is the next of the page before, a string")
            }
            query.after = place
        }
        query.limit = try limit()
        return query
    }

    /// What is cancelled: exactly one member says so.
    private func cancelChoice() throws(WireError) -> Operation.CancelChoice {
        let effect = member("effect")
        let timer = member("timer")
        let request = member("request")
        let rule = "exactly one of effect, timer and request says what is cancelled"
        switch (effect, timer, request) {
        case (let node?, nil, nil):
            if let run = run(node) { return .run(run) }
            guard let id = document.string(node), !id.isEmpty else {
                throw .badRequest(
                    "$.effect", "effect is an integer from 1, or an id as a string")
            }
            return .id(id)
        case (nil, let node?, nil):
            guard let id = document.string(node), !id.isEmpty else {
                throw .badRequest("$.timer", "timer is an id as a string")
            }
            return .timer(id)
        case (nil, nil, let node?): return .request(try key(node, "request"))
        case (nil, nil, nil): throw .badRequest("$.effect", rule)
        case (_, _, nil): throw .badRequest("$.timer", rule)
        case (_, _, .some): throw .badRequest("$.request", rule)
        }
    }

    private func run(_ node: JSONDocument.Node) -> Int64? {
        document.integer(node).flatMap { $0 >= 1 ? $0 : nil }
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

    private func awaited(_ fields: Fields) throws(WireError) -> Await {
        let to = try to(fields)
        guard let until = try text("until", bytesMax: Limits.stateNameBytesMax) else {
            throw .badRequest("$.until", "until is missing")
        }
        guard !until.isEmpty else {
            throw .badRequest("$.until", "until is \"done\" or the name of a state")
        }
        guard let timeout = fields.timeout else {
            throw .badRequest("$.timeout_ms", "timeout_ms is missing")
        }
        return Await(
            to: to, until: until == "done" ? .done : .state(until),
            timeout: try waitingTime(timeout))
    }
}

extension StoredEffect.Phase {
    /// The phases that clients see; sequences and children that are being stopped are the
    /// engine's own.
    fileprivate static let names = [
        StoredEffect.Phase.waiting, .sleeping, .active, .asking, .child, .delivering, .failed,
        .completed,
    ].map(\.rawValue)
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
