/// The instances that a host knows.
public protocol ChartDirectory: Sendable {
    /// Whether an event can be sent to an address, `machine/instance`.
    func isKnown(_ address: String) -> Bool
}
