import GroveEngine

extension JournalBlock {
    /// The facts about a held step that decide whether retention removes it.
    struct Step {
        let sequence: JournalPosition
        let machine: String
        let at: Timestamp
        /// Its bytes before compression.
        let bytes: Int
    }

    /// Returns the steps that aren't erased, in order.
    ///
    /// - Throws: `.corrupt` when one can't be decoded.
    func heldSteps() throws(StoreError) -> [Step] {
        var held: [Step] = []
        for (index, range) in steps.enumerated() {
            let heading = try bytes.read(range) { bytes throws(StoreError) in
                try JournalHeading(decoding: bytes)
            }
            guard heading.kind != .erased else { continue }
            held.append(
                Step(
                    sequence: first + Int64(index), machine: heading.machine, at: heading.at,
                    bytes: range.count))
        }
        return held
    }
}
