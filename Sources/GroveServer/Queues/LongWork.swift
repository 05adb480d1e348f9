/// Work that takes longer than a turn of the engine's queue and needs nothing of the engine: other
/// threads do it, in its order, and a few pieces at once.
struct LongWork<Piece> {
    private let atOnce: Int
    private var waiting: [Piece] = []
    private var underWay: [Int: Piece] = [:]
    private var last = 0

    /// - Parameter atOnce: The pieces that may be under way.
    init(atOnce: Int) { self.atOnce = atOnce }

    var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    mutating func add(_ piece: Piece) { waiting.append(piece) }

    /// The next piece to begin, with its number; `nil` while enough are under way.
    mutating func next() -> (number: Int, piece: Piece)? {
        guard underWay.count < atOnce, !waiting.isEmpty else { return nil }
        last += 1
        let piece = waiting.removeFirst()
        underWay[last] = piece
        return (last, piece)
    }

    /// Ends a piece; `nil` if it was taken back.
    mutating func end(_ number: Int) -> Piece? { underWay.removeValue(forKey: number) }

    /// Takes back pieces that haven't begun.
    mutating func takeWaiting(where isTaken: (Piece) -> Bool) -> [Piece] {
        let taken = waiting.filter(isTaken)
        waiting.removeAll(where: isTaken)
        return taken
    }

    /// Takes back all pieces, also those under way, in their order.
    mutating func takeAll() -> [Piece] {
        defer {
            underWay = [:]
            waiting = []
        }
        return underWay.sorted { $0.key < $1.key }.map(\.value) + waiting
    }
}
