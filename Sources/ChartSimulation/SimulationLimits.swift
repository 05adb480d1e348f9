/// The bounds of simulations and explorations.
public enum SimulationLimits {
    /// Commands that can be undone; each keeps what a run holds.
    public static let undoMax = 100
    /// Findings of an exploration; further ones are left out.
    public static let findingsMax = 50
    /// Bytes of the states that an exploration compares. More end it.
    public static let exploredBytesMax = 512 << 20
}
