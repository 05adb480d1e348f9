extension HTTPURL {
    /// Resolves a `Location` against this URL (RFC 3986, section 5.2).
    ///
    /// - Throws: The fault of the resulting URL.
    func resolving(_ location: String) throws(Fault) -> HTTPURL {
        let reference = location.prefix { $0 != "#" }
        if reference.hasPrefix("//") {
            return try HTTPURL((isSecure ? "https:" : "http:") + reference)
        }
        // A colon before the first slash ends a scheme.
        let head = reference.prefix { $0 != "/" && $0 != "?" }
        if head.contains(":") { return try HTTPURL(String(reference)) }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty { return self }
        if reference.hasPrefix("?") { return try HTTPURL(like: self, target: path + reference) }
        if reference.hasPrefix("/") {
            return try HTTPURL(like: self, target: Self.withoutDots(String(reference)))
        }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return try HTTPURL(like: self, target: Self.withoutDots("\(folder)\(reference)"))
    }

    /// The path without `.` and `..`; the query unchanged (RFC 3986, section 5.2.4).
    private static func withoutDots(_ target: String) -> String {
        let path = target.prefix { $0 != "?" }
        var parts: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { parts.append("") }
            case "..":
                _ = parts.popLast()
                if isLast { parts.append("") }
            default: parts.append(segment)
            }
        }
        return "/" + parts.joined(separator: "/") + target[path.endIndex...]
    }
}
