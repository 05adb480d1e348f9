/// A case of an enum, as JSON shows it.
public struct EnumCase: Sendable, Hashable {
    /// A value of a case.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public let name: String
        /// The JSON it accepts, such as `an integer`; `nil` where that isn't known.
        public let expected: String?
        /// Whether it may be absent; `nil` where that isn't known.
        public let isOptional: Bool?

        package init(name: String, expected: String?, isOptional: Bool?) {
            self.name = name
            self.expected = expected
            self.isOptional = isOptional
        }
    }

    /// The case's name on the wire.
    public let name: String
    /// Its values, in their order.
    public let members: [Member]

    package init(name: String, members: [Member]) {
        self.name = name
        self.members = members
    }

    /// Whether a value has the label `type`, which is refused in both directions.
    public var hasTypeLabel: Bool { members.contains { $0.name == EnumLabels.type } }

    /// `one of a, b, c`; an ellipsis replaces the words after the first 600 bytes.
    public static func choice(_ words: [String]) -> String {
        var text = "one of "
        for (index, word) in words.enumerated() {
            guard text.utf8.count + word.utf8.count < JSONLimits.choiceBytesMax else {
                return text + "…"
            }
            text += index + 1 < words.count ? word + ", " : word
        }
        return text
    }
}

extension JSONCoding {
    /// Finds the cases of an enum as they stand in JSON. It takes some microseconds per case, and
    /// runs no code of the type but Swift's.
    ///
    /// - Returns: The first ``EnumCase/casesMax`` cases; `nil` for a type that isn't an enum, and
    ///   for one that decodes itself by hand.
    public static func cases<T: Decodable>(of type: T.Type) -> [EnumCase]? {
        EnumProbe.cases(of: type)
    }
}
