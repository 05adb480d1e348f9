public import OrderedJSON
import Transducers

extension Operation {
    /// `complete`: the answer from outside to an effect that waits for one.
    public enum EffectAnswer: Sendable {
        /// The result.
        case result(JSONValue)
        /// A failure, with its reason.
        case failure(String)
    }
}

extension Engine {
    /// `complete`: answers an effect that waits for an answer from outside, once.
    mutating func complete(_ token: EffectToken, _ answer: Operation.EffectAnswer, in turn: Turn)
        -> Reply
    {
        do throws(Failure) {
            let unknown = Failure.noSuchEffect(
                "the token is none that waits: it was answered, has expired, or never was one")
            let pending = batch.writes.effect(token.ref)
            batch.rely(on: pending != nil)
            let stored =
                pending == nil
                ? try reading { () throws(StoreError) in try turn.store.effect(token.ref) }
                : pending?.row
            guard let owner = stored.flatMap({ InstanceName($0.body.owner) }) else {
                throw unknown
            }
            guard catalogue[owner.machine] != nil else { throw .noSuchMachine(owner.machine) }
            let outer = witness(owner, effectNumber: token.ref.number)
            defer { unwitness(outer) }
            let (place, effects) = try liveEffects(of: owner, in: turn)
            guard let row = effects[token.ref.number], row.ref == token.ref,
                row.body.phase == .asking, let handedOut = row.body.token,
                token.matches(handedOut)
            else { throw unknown }
            try requireFree(owner)
            switch answer {
            case .result(let value):
                // A result that doesn't fit is refused, and the effect keeps waiting.
                do throws(StepFailure) {
                    _ = try event(of: value, for: row, at: place)
                } catch {
                    throw .badRequest(path: "$.result", message: error.reason)
                }
                complete(row, effects, at: place, result: value, in: turn)
            case .failure(let reason):
                fail(row, effects, at: place, reason: reason, in: turn)
            }
            return .done
        } catch {
            return .failure(error)
        }
    }
}
