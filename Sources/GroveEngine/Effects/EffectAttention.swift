/// Why somebody should look at an effect. A store finds these effects without reading the others.
public enum EffectAttention: Int64, Sendable, CaseIterable {
    /// It has failed, and its machine has no event for that.
    case failed = 1
    /// It waits for an answer from outside.
    case asking = 2

    /// The attention that an effect in a phase needs; `nil` for none.
    public init?(_ phase: StoredEffect.Phase) {
        switch phase {
        case .failed: self = .failed
        case .asking: self = .asking
        case .waiting, .sleeping, .active, .child, .sequence, .delivering, .stopping, .completed:
            return nil
        }
    }
}

extension StoredEffect {
    /// The attention that the effect needs; `nil` for none.
    public var attention: EffectAttention? { EffectAttention(body.phase) }

    /// The name of its instance's machine.
    public var machine: String {
        String(body.owner.utf8.prefix { $0 != UInt8(ascii: "/") }) ?? ""
    }
}
