/// What a document says of a token: nothing that could be used as one, not even its hash.
package struct TokenNote: Hashable, Sendable {
    /// Its public part.
    package let id: TokenID
    /// What it is for, in words; may be empty.
    package var label: String
    /// When it was made; only the server knows it.
    package var made: InstantText?
    /// When it ends; `nil` for never.
    package var expires: InstantText?
    /// The last day on which it was used; only the server knows it.
    package var lastUsed: DayText?

    /// A note about a token.
    package init(
        _ id: TokenID, label: String = "", made: InstantText? = nil, expires: InstantText? = nil,
        lastUsed: DayText? = nil
    ) {
        self.id = id
        self.label = label
        self.made = made
        self.expires = expires
        self.lastUsed = lastUsed
    }

    /// Whether a text can be a label: at most ``labelBytesMax`` bytes, and nothing that moves the
    /// cursor of a terminal.
    package static func isLabel(_ text: String) -> Bool {
        text.utf8.count <= labelBytesMax
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
    }

    /// Whether it says the same of what a document can change.
    func agrees(with other: TokenNote) -> Bool {
        label.utf8.elementsEqual(other.label.utf8) && expires == other.expires
    }
}
