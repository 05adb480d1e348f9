import GroveEngine

/// The machines that trap, for the io queue.
struct Containment: Sendable {
    /// The slot that names the instance whose event is decoded; `nil` without a crash file.
    var witness: CrashSlot?
    /// The subjects whose events it must not decode.
    var trapped: [HoldSubject] = []
    /// The number of them that are set aside now.
    var setAside = 0
}
