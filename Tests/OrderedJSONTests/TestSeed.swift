import Foundation

/// The seed of a test that uses random numbers: that of the environment variable GROVE_SEED, or a
/// new one. Prints the command that repeats the run.
func testSeed(_ suite: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["GROVE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: .min ... .max)
    print("GROVE_SEED=\(seed) swift test --disable-xctest --filter \(suite)")
    return seed
}
