/// The recipient of a send.
enum Recipient: Equatable {
    /// The machine's own inbox.
    case own
    /// The queue of internal events (SCXML 6.2.4, `#_internal`).
    case `internal`
    /// The machine that invoked this one.
    case parent
    /// The machine that an invocation has started, by the invocation's id.
    case child(String)
    /// An instance by its address.
    case address(String)

    /// Reads `self`, `internal`, `parent`, `child:ID` or `machine/instance`.
    ///
    /// - Returns: Nil for another text.
    init?(_ text: String) {
        switch text {
        case "self": self = .own
        case "internal": self = .internal
        case "parent": self = .parent
        case _ where text.hasPrefix("child:") && text.utf8.count > 6:
            self = .child(String(text.dropFirst(6)))
        case _ where ChartAddress.isValid(text): self = .address(text)
        default: return nil
        }
    }
}
