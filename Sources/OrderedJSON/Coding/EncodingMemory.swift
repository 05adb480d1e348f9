/// Memory that one encoding leaves for the next, so that small values cost no allocation. Only one
/// encoding uses it at a time, and a copy shares it only until one of both is used.
public struct EncodingMemory: @unchecked Sendable {
    // As with a collection, the object is used only while nobody else has it: by the one thread
    // that may change this value.
    private(set) var state: EncodingState?

    /// No memory yet.
    public init() {}

    /// The state for an encoding: as new.
    mutating func take() -> EncodingState {
        guard isKnownUniquelyReferenced(&state), let kept = state else {
            return EncodingState(above: [])
        }
        state = nil
        return kept
    }

    /// Keeps the state of an encoding that succeeded; not if a coder of it, or of a container
    /// within it, may still be in use, which would write into the next one.
    mutating func keep(_ used: inout EncodingState) {
        guard isKnownUniquelyReferenced(&used), !used.hasMadeChild else { return }
        used.reset()
        state = used
    }
}
