import OrderedJSON
import Transducers

// The bounds of what a step may ask for. They are checked before any of the step is kept.

extension Engine {
    /// Refuses the step in `scratch` if it is larger than a stored step may be, or if it asks for
    /// effects that this server can't have.
    ///
    /// - Parameters:
    ///   - text: The event as it was sent.
    ///   - live: The number of effects that the instance has already.
    ///   - effectBytes: About how many bytes these have.
    func checkStep(
        _ text: [UInt8], beside live: Int64, bytes effectBytes: Int = 0
    ) throws(Failure) {
        let outputs = scratch.outputs.reduce(0) { $0 + $1.data.count }
        let bytes = text.count + outputs + scratch.state.bytes.count
        guard bytes <= Limits.stepBytesMax else {
            throw .evaluationLimit(
                "an event with its outputs and its state may have \(Limits.stepBytesMax) bytes, "
                    + "not \(bytes)")
        }
        try checkEffects(beside: live, bytes: effectBytes)
    }

    /// The same for the effects of the step in `scratch` alone.
    func checkEffects(beside live: Int64, bytes: Int = 0) throws(Failure) {
        let effects = scratch.effects
        guard !effects.isEmpty else { return }
        guard scratch.effectBytes <= options.step.outputBytes else {
            throw .evaluationLimit("a step's effects may carry \(options.step.outputBytes) bytes")
        }
        var asked: (count: Int, rows: Int64) = (0, 0)
        try check(effects, &asked)
        guard closures.count + scratch.closures.bodies.count <= options.closuresMax else {
            throw .evaluationLimit(
                "a server may have \(options.closuresMax) closures under way or waiting")
        }
        guard asked.count <= Limits.effectsPerStepMax else {
            throw .evaluationLimit("a step may ask for \(Limits.effectsPerStepMax) effects")
        }
        guard asked.rows == 0 || asked.rows + live <= Limits.effectsPerInstanceMax else {
            throw .evaluationLimit(
                "an instance may have \(Limits.effectsPerInstanceMax) effects, and \(live) live")
        }
        guard
            asked.rows == 0 || bytes == 0
                || bytes + effects.weight <= Limits.effectBytesPerInstanceMax
        else { throw Self.tooManyEffectBytes }
    }

    /// The refusal of effects that would take more than ``Limits/effectBytesPerInstanceMax``.
    static var tooManyEffectBytes: Failure {
        .evaluationLimit(
            "an instance may have \(Limits.effectBytesPerInstanceMax) bytes of effects")
    }

    /// Counts effects, parts of sequences and cancellations, and the rows that they make. A
    /// cancellation makes none, so an instance with all effects that it may have can cancel some.
    private func check(
        _ effects: [HostedEffect], _ asked: inout (count: Int, rows: Int64)
    ) throws(Failure) {
        for effect in effects {
            switch effect {
            case .start(let run):
                asked.count += 1
                asked.rows += 1
                if case .perform(let handler, _) = run.work { try checkHandler(handler) }
                if let undo = run.undo { try checkHandler(undo.handler) }
            case .sequence(let parts):
                if !parts.isEmpty { asked.rows += 1 }
                try check(parts, &asked)
            case .all(let parts): try check(parts, &asked)
            case .event:
                asked.count += 1
                asked.rows += 1
            case .rename(let renames): asked.count += renames.count
            case .cancel, .updateQueue, .log: asked.count += 1
            }
        }
    }

    private func checkHandler(_ name: String) throws(Failure) {
        guard schedule.handlerQueues.isKnown(name), name != Self.closureQueue else {
            throw .evaluation(
                "the machine asks for the handler \"\(name)\", which this server doesn't have")
        }
    }
}
