/// The result of a search for effects: those that aren't damaged.
public struct SoundEffects: Sendable, Equatable {
    public var refs: [EffectRef] = []
    /// The time when the first of them is due, if the search was by due time.
    public var due: Timestamp?
    /// The damaged effects: their rows or their index entries don't match what was written.
    public var damaged: [EffectRef] = []

    public init() {}
}
