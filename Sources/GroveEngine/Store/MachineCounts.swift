/// The counts of one machine in a store, exact after each commit.
public struct MachineCounts: Sendable, Equatable {
    /// The instances that exist, done ones included.
    public var instances: Int64 = 0
    /// The instances that are done.
    public var done: Int64 = 0
    /// The effects of its instances that have failed and are kept.
    public var failed: Int64 = 0
    /// The effects of its instances that wait for an answer from outside.
    public var asking: Int64 = 0

    public init() {}

    /// The count of the effects with one kind of attention.
    public subscript(attention: EffectAttention) -> Int64 {
        get {
            switch attention {
            case .failed: failed
            case .asking: asking
            }
        }
        set {
            switch attention {
            case .failed: failed = newValue
            case .asking: asking = newValue
            }
        }
    }
}
