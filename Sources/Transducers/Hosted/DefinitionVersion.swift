/// The order of versions of a definition.
public enum DefinitionVersion {
    /// Whether a version is before another one. Parts between dots and hyphens are compared as
    /// numbers if both are, otherwise as text: `1.9` is before `1.10`, and `2` after both. A
    /// version is before all that it is a prefix of.
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
