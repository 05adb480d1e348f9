/// One case of an enum as a value: it embeds and extracts the associated value, as key paths do for
/// structs.
///
///     CasePath(Event.counter)                         // found out at run time
///     CasePath(Event.counter) { event in              // compiled
///         if case .counter(let inner) = event { inner } else { nil }
///     }
public struct CasePath<Whole, Part>: Sendable {
    @usableFromInline let embedding: @Sendable (Part) -> Whole
    @usableFromInline let extraction: @Sendable (Whole) -> Part?

    /// A case by both directions. `extract` returns `nil` for other cases.
    @inlinable
    public init(
        _ embed: @escaping @Sendable (Part) -> Whole,
        extract: @escaping @Sendable (Whole) -> Part?
    ) {
        embedding = embed
        extraction = extract
    }

    /// A case by its constructor alone, for cases with one associated value.
    ///
    /// Each ``extract(_:)`` uses reflection: about five microseconds on a machine where the
    /// compiled form takes some nanoseconds. For frequent events, write `extract` by hand. Enums
    /// that are `CustomReflectable` need the other form.
    public init(_ embed: @escaping @Sendable (Part) -> Whole) {
        self.init(embed) { whole in
            guard let found = readCase(of: whole),
                let part = unwrapLabel(of: found.value, as: Part.self)
            else { return nil }
            // Another case may hold the same type, or have the same name but other labels.
            let own = readCase(of: embed(part))
            return own?.name == found.name && own?.labels == found.labels ? part : nil
        }
    }

    /// The case that holds `part`.
    @inlinable
    public func embed(_ part: Part) -> Whole { embedding(part) }

    /// The associated value of `whole`, or `nil` when it is another case.
    @inlinable
    public func extract(_ whole: Whole) -> Part? { extraction(whole) }

    /// The case of a case.
    @inlinable
    public func appending<Inner>(_ inner: CasePath<Part, Inner>) -> CasePath<Whole, Inner> {
        CasePath<Whole, Inner>(
            { self.embed(inner.embed($0)) }, extract: { self.extract($0).flatMap(inner.extract) })
    }
}

extension CasePath where Whole == Part {
    /// The whole as its only case.
    @inlinable
    public static var whole: CasePath { CasePath({ $0 }, extract: { $0 }) }
}

extension CasePath where Whole == Part? {
    /// The wrapped value of an optional.
    @inlinable
    public static var some: CasePath { CasePath({ .some($0) }, extract: { $0 }) }
}

/// The name of a value's case, its labels and its associated value; `nil` for cases without a
/// value, and for other types than enums.
private func readCase<Whole>(of whole: Whole) -> (name: String, labels: [String?], value: Any)? {
    let mirror = Mirror(reflecting: whole)
    guard mirror.displayStyle == .enum || mirror.displayStyle == .optional,
        let child = mirror.children.first, let name = child.label
    else { return nil }
    let value = Mirror(reflecting: child.value)
    let labels = value.displayStyle == .tuple ? value.children.map(\.label) : []
    return (name, labels, child.value)
}

/// An associated value in its type. A value with a label is in a tuple of one.
private func unwrapLabel<Part>(of value: Any, as type: Part.Type) -> Part? {
    if let part = value as? Part { return part }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .tuple, mirror.children.count == 1 else { return nil }
    return mirror.children.first?.value as? Part
}
