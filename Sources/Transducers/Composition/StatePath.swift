/// The place of a part's state within the whole's: a property, an optional one, or a case of an
/// enum, at any depth.
///
///     .at(\.counter)
///     .optional(\.dialog)
///     .at(\.screen, .case(Screen.settings))
public struct StatePath<Whole, Part>: Sendable {
    /// Changes the part in place.
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

    /// An optional property: absent when `nil`.
    @inlinable
    public static func optional(
        _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable
    ) -> StatePath {
        StatePath { whole, body in
            try whole[keyPath: keyPath].modifyWrapped(body)
        }
    }

    /// The associated value of a case: absent in other cases. It is extracted and embedded again,
    /// which copies arrays and the like that `body` changes.
    @inlinable
    public static func `case`(_ path: CasePath<Whole, Part>) -> StatePath {
        StatePath { whole, body in
            guard var part = path.extract(whole) else { return false }
            try body(&part)
            whole = path.embed(part)
            return true
        }
    }

    /// The associated value of a case, by its constructor alone (`CasePath.init(_:)` has the cost).
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
    /// - Returns: The result of `body`, or `nil` when the part is absent; then `whole` is
    ///   unchanged.
    /// - Throws: The errors of `body`; the part of a case is then unchanged, another one is as
    ///   `body` left it.
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
    /// Changes the wrapped value without a copy.
    ///
    /// - Returns: Whether there was one.
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
    /// The whole as its part.
    @inlinable
    public static var whole: StatePath {
        StatePath { whole, body in
            try body(&whole)
            return true
        }
    }
}
