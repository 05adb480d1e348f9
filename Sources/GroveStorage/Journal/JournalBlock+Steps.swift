import GroveEngine

extension JournalBlock {
    /// One step that was not erased, as far as it must be known to decide whether it goes.
    struct Step {
        /// Its place in the journal.
        let sequence: JournalPosition
        /// The machine of its instance.
        let machine: String
        /// When it was taken.
        let at: Timestamp
        /// How many bytes it has, before it is compressed.
        let bytes: Int
    }

    /// The steps that were not erased, in order.
    ///
    /// - Throws: `.corrupt` when one is no step.
    func heldSteps() throws(StoreError) -> [Step] {
        let found = bytes.withUnsafeBytes { bytes -> Result<[Step], StoreError> in
            do throws(StoreError) { return .success(try heldSteps(in: bytes)) } catch {
                return .failure(error)
            }
        }
        return try found.get()
    }

    private func heldSteps(in bytes: UnsafeRawBufferPointer) throws(StoreError) -> [Step] {
        var held: [Step] = []
        for (place, range) in steps.enumerated() {
            let heading = try JournalHeading(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[range]))
            guard heading.kind != .erased else { continue }
            held.append(
                Step(
                    sequence: first + Int64(place), machine: heading.machine, at: heading.at,
                    bytes: range.count))
        }
        return held
    }
}
