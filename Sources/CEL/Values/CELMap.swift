/// A map whose entries keep their order; equal maps may differ in it.
///
/// Up to ``CELLimits/entriesWithoutIndexMax`` entries are searched one after the other, by the
/// hashes of their keys; a larger map has an index.
public struct CELMap: Sendable {
    /// A key and its value.
    public struct Entry: Sendable {
        /// The key.
        public let key: CELKey
        /// The value.
        public internal(set) var value: CELValue
    }

    /// The entries in their order.
    public private(set) var entries: [Entry] = []
    /// The entries' positions by key; empty while there are few entries.
    private var positions: [CELKey: Int] = [:]

    /// A map without entries.
    public init() {}

    /// A map without entries, which has room for some.
    public init(minimumCapacity: Int) { entries.reserveCapacity(minimumCapacity) }

    /// The number of entries.
    public var count: Int { entries.count }

    /// Whether it has no entries.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of a key; nil if there is none. Setting replaces the value in place, adds an entry
    /// at the end, or with nil removes the entry and closes the gap.
    public subscript(key: CELKey) -> CELValue? {
        get { position(of: key).map { entries[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): entries[position].value = value
            case (let position?, nil):
                entries.remove(at: position)
                reindex()
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// The value of a string key; see ``subscript(_:)-(CELKey)``.
    public subscript(name: String) -> CELValue? {
        get { self[CELKey(name)] }
        set { self[CELKey(name)] = newValue }
    }

    /// Whether there is an entry with this key.
    public func contains(_ key: CELKey) -> Bool { position(of: key) != nil }

    /// Adds an entry unless the key is there.
    ///
    /// - Returns: Whether the entry was added.
    mutating func insert(_ key: CELKey, _ value: CELValue) -> Bool {
        guard position(of: key) == nil else { return false }
        append(key, value)
        return true
    }

    private mutating func append(_ key: CELKey, _ value: CELValue) {
        entries.append(Entry(key: key, value: value))
        if !positions.isEmpty {
            positions[key] = entries.count - 1
        } else if entries.count > CELLimits.entriesWithoutIndexMax {
            reindex()
        }
    }

    @inline(__always)
    private func position(of key: CELKey) -> Int? {
        guard entries.count <= CELLimits.entriesWithoutIndexMax else { return positions[key] }
        return entries.withUnsafeBufferPointer { entries in
            for index in entries.indices
            where entries[index].key.mixed == key.mixed && entries[index].key == key {
                return index
            }
            return nil
        }
    }

    private mutating func reindex() {
        positions.removeAll(keepingCapacity: true)
        guard entries.count > CELLimits.entriesWithoutIndexMax else { return }
        positions.reserveCapacity(entries.count)
        for (position, entry) in entries.enumerated() { positions[entry.key] = position }
    }

    /// Whether both have the same keys with equal values, one step for each entry.
    ///
    /// - Throws: ``EvaluationFailure`` when the budget is spent.
    func isEqual(
        to other: CELMap, _ budget: inout Budget
    ) throws(EvaluationFailure) -> Bool {
        guard count == other.count else { return false }
        for entry in entries {
            try budget.spend(steps: 1)
            if case .string(let text) = entry.key.kind { try budget.spend(work: text.utf8.count) }
            guard let value = other[entry.key],
                try entry.value.isEqual(to: value, &budget)
            else { return false }
        }
        return true
    }
}

extension CELMap: Equatable {
    /// Whether both have the same keys with equal values, in any order.
    public static func == (one: CELMap, other: CELMap) -> Bool {
        CELValue.map(one) == CELValue.map(other)
    }
}
