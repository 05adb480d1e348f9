/// The unsent records of all connections, in bytes, and their bound.
///
/// Above the bound, only connections without unsent records get new ones, so that connections that
/// don't read can't stop the others. Above one and a half times the bound, no connection does. The
/// records are read from the journal later. Each stage ends well below its beginning, so that not
/// every report wakes all subscriptions.
struct SharedWindow: Sendable {
    private(set) var bytes = 0
    private var bytesMax = Int.max / 4
    private var isShort = false
    private var isSpent = false

    mutating func change(bytesMax: Int) {
        self.bytesMax = min(max(1, bytesMax), Int.max / 4)
        isShort = false
        isSpent = false
        look()
    }

    mutating func add(_ count: Int) {
        bytes += count
        look()
    }

    /// - Returns: Whether connections may now get records that couldn't before.
    mutating func remove(_ count: Int) -> Bool {
        let before = (isShort, isSpent)
        bytes -= count
        look()
        return before != (isShort, isSpent)
    }

    /// Whether a connection with `outstanding` unsent bytes may get more.
    func isOpen(outstanding: Int) -> Bool { !isSpent && (!isShort || outstanding == 0) }

    private mutating func look() {
        isShort = bytes >= (isShort ? bytesMax / 2 : bytesMax)
        isSpent = bytes >= bytesMax + (isSpent ? bytesMax / 4 : bytesMax / 2)
    }
}
