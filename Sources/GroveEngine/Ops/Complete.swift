import GroveAccess
public import OrderedJSON
import Transducers

extension Operation {
    /// `complete`: the answer from outside to an effect that waits for one.
    public enum EffectAnswer: Sendable {
        case result(JSONValue)
        /// A failure, with its reason.
        case failure(String)
    }
}

extension Engine {
    /// `complete`: answers an effect that waits for an answer from outside, once.
    ///
    /// - Parameter caller: Who answers. Without `send` on the instance that asks, the token is as
    ///   good as none.
    mutating func complete(
        _ token: EffectToken, _ answer: Operation.EffectAnswer, by caller: Caller, in turn: Turn
    ) -> Reply {
        do throws(Failure) {
            let unknown = Failure.noSuchEffect(
                "no effect waits for this token: it was answered, has expired, or never existed")
            batch.rely(on: batch.writes.effect(token.ref) != nil)
            guard
                let owner = try currentRow(of: token.ref, in: turn).flatMap({
                    InstanceName($0.body.owner)
                })
            else {
                throw unknown
            }
            guard access.subject(of: caller.principal).allows(.send, owner) else { throw unknown }
            guard catalogue[owner.machine] != nil else { throw .noSuchMachine(owner.machine) }
            let outer = witness(owner, effectNumber: token.ref.number)
            defer { unwitness(outer) }
            guard let live = try liveEffects(of: owner, in: turn),
                let row = live[token.ref.number], row.ref == token.ref,
                row.body.phase == .asking, let stored = row.body.token, token.matches(stored)
            else { throw unknown }
            try requireFree(owner)
            switch answer {
            case .result(let value):
                // A result that doesn't fit is refused, and the effect keeps waiting.
                do throws(StepFailure) {
                    _ = try event(of: value, for: row, in: live)
                } catch {
                    throw .badRequest(path: "$.result", message: error.reason)
                }
                complete(row, in: live, result: value)
            case .failure(let reason):
                fail(row, in: live, reason: reason)
            }
            return .done
        } catch {
            return .failure(error)
        }
    }
}
