import FuzzTargets

/// Creates a target's inputs from its corpus, its words and random choices. The same seed gives the
/// same inputs.
struct Mutator {
    private let corpus: [[UInt8]]
    private let words: [[UInt8]]
    private var state: UInt64

    init(_ target: FuzzTarget, corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus.isEmpty ? [[]] : corpus
        words = target.words.map { Array($0.utf8) }
        state = seed
    }

    /// Returns the next input.
    mutating func next() -> [UInt8] {
        if below(20) == 0 { return (0..<below(200)).map { _ in UInt8(below(256)) } }
        var bytes = corpus[below(corpus.count)]
        for _ in 0...below(8) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        switch below(9) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(below(256))
        case 2 where place < bytes.count:
            bytes[place] = [0, 1, 127, 128, 255, 10, 13, 34, 92][below(9)]
        case 3 where place < bytes.count:
            bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
        case 4 where place < bytes.count:
            let end = min(bytes.count, place + 1 + below(30))
            bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count + 1))
        case 5:
            let other = corpus[below(corpus.count)]
            bytes = Array(bytes[..<place]) + other.dropFirst(below(other.count + 1))
        case 6,
            7 where !words.isEmpty:
            guard !words.isEmpty else { return }
            bytes.insert(contentsOf: words[below(words.count)], at: place)
        default: bytes.insert(UInt8(below(256)), at: place)
        }
        if bytes.count > 4_096 { bytes.removeLast(bytes.count - 4_096) }
    }

    private mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: (mixed ^ (mixed >> 31)) % UInt64(max(1, bound)))
    }
}
