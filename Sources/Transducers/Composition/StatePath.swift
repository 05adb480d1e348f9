/// Where the state of a part is within that of the whole, if it is there at all: a property, an
/// optional one, or a case of an enum, at any depth.
///
///     .at(\.counter)
///     .optional(\.dialog)
///     .at(\.screen, .case(Screen.settings))
public struct StatePath<Whole, Part>: Sendable {
    /// Has the part changed in place.
    @usableFromInline
    typealias Access =
        @Sendable (inout Whole, (inout Part) throws -> Void) throws -> Bool

    @usableFromInline let access: Access

    @inlinable
    init(access: @escaping Access) { self.access = access }

    /// A property.
    @inlinable
    public static func at(_ keyPath: any WritableKeyPath<Whole, Part> & Sendable) -> StatePath {
        StatePath { whole, body in
            try body(&whole[keyPath: keyPath])
            return true
        }
    }

    /// An optional property: there when it isn't `nil`.
    @inlinable
    public static func optional(
        _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable
    ) -> StatePath {
        StatePath { whole, body in
            try whole[keyPath: keyPath].modifyWrapped(body)
        }
    }

    /// What a case holds: there when the enum is of that case. Taken out and put back, which
    /// copies arrays and the like that `body` changes.
    @inlinable
    public static func `case`(_ path: CasePath<Whole, Part>) -> StatePath {
        StatePath { whole, body in
            guard var part = path.extract(whole) else { return false }
            try body(&part)
            whole = path.embed(part)
            return true
        }
    }

    /// What a case holds, by the case's constructor alone (`CasePath.init(_:)` says at which
    /// cost).
    @inlinable
    public static func `case`(_ embed: @escaping @Sendable (Part) -> Whole) -> StatePath {
        .case(CasePath(embed))
    }

    /// A part of a property.
    @inlinable
    public static func at<Middle>(
        _ keyPath: any WritableKeyPath<Whole, Middle> & Sendable,
        _ inner: StatePath<Middle, Part>
    ) -> StatePath {
        StatePath<Whole, Middle>.at(keyPath).appending(inner)
    }

    /// A part of an optional property.
    @inlinable
    public static func optional<Middle>(
        _ keyPath: any WritableKeyPath<Whole, Middle?> & Sendable,
        _ inner: StatePath<Middle, Part>
    ) -> StatePath {
        StatePath<Whole, Middle>.optional(keyPath).appending(inner)
    }

    /// A part of the part.
    @inlinable
    public func appending<Inner>(_ inner: StatePath<Part, Inner>) -> StatePath<Whole, Inner> {
        StatePath<Whole, Inner> { [access] whole, body in
            var isThere = false
            _ = try access(&whole) { part in isThere = try inner.access(&part, body) }
            return isThere
        }
    }

    /// Changes the part.
    ///
    /// - Returns: What `body` returned, or `nil` when the part isn't there; then `whole` is as
    ///   it was.
    /// - Throws: What `body` throws; a part that is a case's is then as it was, another one as
    ///   `body` has left it.
    @inlinable
    public func modify<Result>(
        _ whole: inout Whole, _ body: (inout Part) throws -> Result
    ) throws -> Result? {
        var result: Result?
        _ = try access(&whole) { result = try body(&$0) }
        return result
    }
}

extension Optional {
    /// Changes what is wrapped, without a copy of it.
    ///
    /// - Returns: Whether there was something.
    @inlinable
    mutating func modifyWrapped(
        _ body: (inout Wrapped) throws -> Void
    ) rethrows -> Bool {
        guard var wrapped = self else { return false }
        self = nil
        defer { self = wrapped }
        try body(&wrapped)
        return true
    }
}

extension StatePath where Whole == Part {
    /// The whole as its own part.
    @inlinable
    public static var whole: StatePath {
        StatePath { whole, body in
            try body(&whole)
            return true
        }
    }
}
