/// Whether an event may create its instance.
public enum CreationMode: String, Hashable, Sendable, CaseIterable {
    /// An absent instance is created: the server's default.
    case ifAbsent = "if_absent"
    /// An absent instance is `NO_SUCH_INSTANCE`.
    case never
    /// A present instance is `ALREADY_EXISTS`.
    case must
}
