import GroveEngine

// Unchecked: used by one test on one thread.
/// Records the calls of the witness.
final class WitnessRecorder: StepWitness, @unchecked Sendable {
    private var notes: [String] = []

    func begin(_ name: InstanceName, effectNumber: Int64, event: UnsafeRawBufferPointer) {
        notes.append("\(name) \(effectNumber) \(String(decoding: event, as: UTF8.self))")
    }

    func end() { notes.append("end") }

    /// The calls since the last query.
    func take() -> [String] {
        defer { notes = [] }
        return notes
    }
}
