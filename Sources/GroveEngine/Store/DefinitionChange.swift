/// A change of the stored definitions. A commit carries its changes out in order.
public enum DefinitionChange: Sendable, Equatable {
    /// Adds a version, after all others of its machine, which takes new instances then. One that is
    /// stored already stays as it is, but for that.
    case put(StoredDefinition)
    /// All versions of a machine take no new instances.
    case retire(String)
    /// Removes all versions of a machine.
    case remove(String)
    /// Removes versions of a machine.
    case prune(String, versions: Set<String>)
}
