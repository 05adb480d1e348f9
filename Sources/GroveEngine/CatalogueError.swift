/// The reason why definitions don't form a catalogue.
public enum CatalogueError: Error, Sendable, Equatable {
    /// The name isn't `[A-Za-z][A-Za-z0-9_.-]{0,63}`.
    case invalidName(String)
    case duplicateName(String)
    /// The machine of this name can't be hosted (``Definition/faults``).
    case unusable(String, why: String)
}
