/// Closures that steps ask for, until a host has taken them. They aren't stored: a row names one by
/// its token, and a process that didn't make the token knows that the closure is gone.
public struct HostedClosures: Sendable {
    /// The closures of a step, by their tokens. As handlers: each gets `null`, emits its events as
    /// JSON, and gives `null`.
    public private(set) var bodies: [Int64: EffectHandler] = [:]
    private var last: Int64

    /// No closures.
    ///
    /// - Parameter first: A random number, so that tokens differ from those of other processes.
    public init(first: UInt64 = 0) {
        // JSON says integers of up to 53 bits exactly; there is room to count on.
        last = Int64(first >> 12)
    }

    /// Forgets the closures; their tokens are not used again.
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
