import Foundation

/// The seeds of simulations.
enum Seeds {
    /// The seeds from 1 on; `SEED=n` in the environment repeats one run, and `SEEDS=n` sets the
    /// number of runs.
    static func first(_ count: Int) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["SEEDS"].flatMap(UInt64.init) ?? UInt64(count)))
    }
}
