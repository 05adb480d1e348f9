/// The order of versions of a definition.
public enum DefinitionVersion {
    /// Whether a version comes before another one. Parts between dots and hyphens are compared as
    /// numbers where both are, as texts otherwise: `1.9` comes before `1.10`, and `2` behind both.
    /// A version comes before one that continues where it ends.
    public static func isEarlier(_ one: String, than other: String) -> Bool {
        if one == other { return false }
        let (ones, others) = (parts(of: one), parts(of: other))
        for (one, other) in zip(ones, others) where one != other {
            if let one = Int(one), let other = Int(other) {
                if one != other { return one < other }
            } else {
                return one < other
            }
        }
        return ones.count < others.count
    }

    private static func parts(of version: String) -> [Substring] {
        version.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "-" }
    }
}
