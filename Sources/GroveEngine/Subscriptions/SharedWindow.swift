/// What is on its way to all connections that have subscriptions, against what may be.
///
/// At the bound only connections get records to which nothing is on its way, so that those that
/// don't read keep nobody from going on; at half as much again, nobody does. Whoever gets none
/// reads them from the journal later. Each stage ends well below the place where it began, so that
/// not every report of bytes that left wakes everybody.
struct SharedWindow: Sendable {
    /// Bytes on their way.
    private(set) var bytes = 0
    private var bytesMax = Int.max / 4
    private var isShort = false
    private var isSpent = false

    /// Takes another bound.
    mutating func change(bytesMax: Int) {
        self.bytesMax = min(max(1, bytesMax), Int.max / 4)
        isShort = false
        isSpent = false
        look()
    }

    /// So many bytes were handed out.
    mutating func add(_ count: Int) {
        bytes += count
        look()
    }

    /// So many have left.
    ///
    /// - Returns: Whether connections may be open now that were not.
    mutating func remove(_ count: Int) -> Bool {
        let before = (isShort, isSpent)
        bytes -= count
        look()
        return before != (isShort, isSpent)
    }

    /// Whether a connection may be given more to which so many bytes are on their way.
    func isOpen(outstanding: Int) -> Bool { !isSpent && (!isShort || outstanding == 0) }

    private mutating func look() {
        isShort = bytes >= (isShort ? bytesMax / 2 : bytesMax)
        isSpent = bytes >= bytesMax + (isSpent ? bytesMax / 4 : bytesMax / 2)
    }
}
