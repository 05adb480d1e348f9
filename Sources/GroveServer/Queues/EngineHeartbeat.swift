import GroveEngine

/// The proof that the engine's queue still runs, with its condition.
struct EngineHeartbeat: Sendable {
    /// Whether the last commit failed for lack of room, and there is none yet.
    let isDiskFull: Bool
    /// The subjects whose machine code must not run.
    let trapped: [HoldSubject]
    /// The number of them that are set aside now.
    let setAside: Int
    /// Counters and gauges of engine and store.
    let numbers: [(name: String, value: Int64)]
}
