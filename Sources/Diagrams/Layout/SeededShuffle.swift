/// A generator of the same numbers in every process (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", 2014), for shuffled starts.
struct SeededShuffle: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Shuffles by Fisher and Yates; the standard library doesn't promise its way.
    mutating func shuffle(_ items: inout [Int]) {
        guard items.count > 1 else { return }
        for last in stride(from: items.count - 1, to: 0, by: -1) {
            items.swapAt(last, Int(next() % UInt64(last + 1)))
        }
    }
}
