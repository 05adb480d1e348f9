/// Why a value couldn't be made of JSON.
public struct JSONDecodingError: Error, Sendable, Hashable {
    /// Where the fault is, from the document's root: `$.event.amount`. For a missing member it is
    /// the place where the member should be.
    public let path: String
    /// What is wrong, for people: what was expected and what was found.
    public let message: String
    /// What would do, such as `an integer from 0 to 255`; nil where that isn't known.
    public let expected: String?
    /// The member that is missing, if that is what is wrong.
    public let missing: MissingMember?

    /// An error at `path`.
    public init(
        path: String, message: String, expected: String? = nil, missing: MissingMember? = nil
    ) {
        self.path = path
        self.message = message
        self.expected = expected
        self.missing = missing
    }
}

/// A member that an object lacks.
public struct MissingMember: Sendable, Hashable {
    /// The way to the object and to the member, by names from the document's root.
    public let path: [String]
    /// Members of the object that nothing would read, such as one that had another name before;
    /// the first ``unknownMax`` of them.
    public let unknown: [String]

    static let unknownMax = 8
}

/// Why a value couldn't be written as JSON.
public struct JSONEncodingError: Error, Sendable, Hashable {
    /// Where the fault is, from the value that was to be written: `$.total`.
    public let path: String
    /// What is wrong, for people.
    public let message: String

    /// An error at `path`.
    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}

extension JSONDecodingError: CustomStringConvertible {
    /// The message and the path, for logs and test failures.
    public var description: String { "\(message) (at \(path))" }
}

extension JSONEncodingError: CustomStringConvertible {
    /// The message and the path, for logs and test failures.
    public var description: String { "\(message) (at \(path))" }
}

/// A step of a path as Codable wants it.
struct PathKey: CodingKey {
    let step: PathStep

    init(_ step: PathStep) { self.step = step }

    init(stringValue: String) { step = .name(stringValue) }

    init(intValue: Int) { step = .index(intValue) }

    var stringValue: String {
        switch step {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        if case .index(let index) = step { index } else { nil }
    }

    /// The path of Codable's keys as text. Keys of ours know what they are; any other one names a
    /// member.
    static func text(_ keys: [any CodingKey]) -> String {
        PathStep.text(keys.map { ($0 as? PathKey)?.step ?? .name($0.stringValue) })
    }
}
