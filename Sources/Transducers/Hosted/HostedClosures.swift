/// The closures of a step. They aren't stored: a row has the token of one, and a token that the
/// process didn't make means that the closure is lost.
public struct HostedClosures: Sendable {
    /// The closures by token. They are handlers: each gets `null`, emits its events as JSON, and
    /// returns `null`.
    public private(set) var bodies: [Int64: EffectHandler] = [:]
    private var last: Int64

    /// No closures.
    ///
    /// - Parameter first: A random number, so that tokens differ from those of other processes.
    public init(first: UInt64 = 0) {
        // Integers of up to 53 bits are exact in JSON; there is room to count up.
        last = Int64(first >> 12)
    }

    /// Removes the closures. Their tokens aren't used again.
    public mutating func removeAll() {
        if !bodies.isEmpty { bodies.removeAll() }
    }

    @usableFromInline
    mutating func add(_ body: EffectHandler) -> Int64 {
        last += 1
        bodies[last] = body
        return last
    }
}
