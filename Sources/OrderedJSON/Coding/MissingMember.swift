/// A member that an object lacks.
public struct MissingMember: Sendable, Hashable {
    /// The names from the document's root to the object, then the member's name.
    public let path: [String]
    /// The names of members that the object has and nothing reads, such as the missing one's
    /// former name; the first eight of them.
    public let unknown: [String]
}
