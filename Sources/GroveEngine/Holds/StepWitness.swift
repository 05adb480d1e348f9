import Transducers

/// Records, where it outlives the process, the instance for which code of a machine runs. Swift
/// can't catch a trap: the next start reads the last record, and knows the instance of the step
/// (docs/decisions/0041-machines-that-trap.md). Confined to one queue.
public protocol StepWitness: AnyObject {
    /// Called before code of a machine runs for an instance. Must take nanoseconds and never wait.
    ///
    /// - Parameters:
    ///   - effectNumber: The effect that caused it; 0 for a client's request.
    ///   - event: The event as JSON, or its beginning; empty while it isn't known.
    func begin(_ name: InstanceName, effectNumber: Int64, event: UnsafeRawBufferPointer)

    /// Called after the code has run.
    func end()
}

extension Engine {
    /// The instance and the effect for which code of a machine runs.
    typealias Witnessed = (name: InstanceName, effectNumber: Int64)

    /// Records that code of a machine runs for an instance.
    ///
    /// - Returns: The record before, for ``unwitness(_:)``.
    mutating func witness(_ name: InstanceName, effectNumber: Int64? = nil, event: [UInt8] = [])
        -> Witnessed?
    {
        guard let witness = options.witness else { return nil }
        let outer = witnessed
        // A step that an effect's event causes belongs to the effect.
        let effectNumber =
            effectNumber ?? outer.flatMap { $0.name == name ? $0.effectNumber : nil } ?? 0
        witnessed = (name, effectNumber)
        event.withUnsafeBytes { witness.begin(name, effectNumber: effectNumber, event: $0) }
        return outer
    }

    /// Records that the code has run, and restores the record before.
    mutating func unwitness(_ outer: Witnessed?) {
        guard let witness = options.witness else { return }
        witnessed = outer
        if let outer {
            witness.begin(
                outer.name, effectNumber: outer.effectNumber,
                event: UnsafeRawBufferPointer(start: nil, count: 0))
        } else {
            witness.end()
        }
    }
}
