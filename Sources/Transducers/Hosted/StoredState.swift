import OrderedJSON

/// Decodes stored states, which may be of an earlier version of the definition.
///
/// The machine's `migrate(state:from:)` converts a state of an earlier version. Then missing
/// members are copied from the initial state, so a new member only needs its default value. An
/// object with a member that nothing decodes gets no copies: that member may be the missing one
/// under its old name, and its value would be lost. An imported state gets none either: it must be
/// complete.
///
/// A state of an earlier version is also refused if anything in it isn't read while a copy was made
/// or an optional is absent: the one may be the other under a former name or at a former place.
enum StoredState<Machine: InitialState> where Machine.State: Codable {
    /// Decodes a state.
    ///
    /// - Parameters:
    ///   - text: The state as it was stored.
    ///   - stored: The version that stored it; `nil` for an imported state, which must be complete.
    ///   - present: The version of the definition.
    static func read(
        _ text: [UInt8], from stored: String?, by present: String
    ) throws(StepFailure) -> Machine.State {
        guard let stored else { return try decode(text, filledMax: 0) }
        guard stored.isEarlierVersion(than: present) else {
            return try decode(text)
        }
        let old: JSONValue
        do {
            old = try JSONValue(parsing: text, limits: .stored)
        } catch {
            throw .evaluation("the stored state is no JSON: \(error)")
        }
        let migrated: JSONValue
        do {
            migrated = try Machine.migrate(state: old, from: stored)
        } catch {
            throw .evaluation("the stored state of version \(stored) can't be migrated: \(error)")
        }
        return try decode(migrated == old ? text : migrated.serialized(), isEarlier: true)
    }

    private static func decode(
        _ text: [UInt8], filledMax: Int = filledMax, isEarlier: Bool = false
    ) throws(StepFailure) -> Machine.State {
        var text = text
        var filled: [[String]] = []
        for _ in 0...filledMax {
            let error: JSONDecodingError
            do {
                let document = try JSONDocument(parsing: text, limits: .stored)
                guard isEarlier else {
                    return try JSONCoding.decode(
                        Machine.State.self, from: document, at: document.root)
                }
                let (state, left) = try JSONCoding.decodeNoting(Machine.State.self, from: document)
                guard let loss = loss(left, filled) else { return state }
                throw StepFailure.evaluation(loss)
            } catch let failure as StepFailure {
                throw failure
            } catch let wrong as JSONDecodingError {
                error = wrong
            } catch {
                throw .evaluation("the stored state is no JSON: \(error)")
            }
            guard let missing = error.missing, missing.unknown.isEmpty, filledMax > 0,
                let longer = fill(missing.path, in: text)
            else { throw .evaluation(words(for: error)) }
            text = longer
            filled.append(missing.path)
        }
        throw .evaluation("the stored state lacks more than \(filledMax) members")
    }

    private static func words(for error: JSONDecodingError) -> String {
        let words = "the stored state doesn't fit: \(error.message) at \(error.path)"
        guard let unknown = error.missing?.unknown, !unknown.isEmpty else { return words }
        let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
        return words + ", and nothing reads \(names): " + advice
    }

    private static var advice: String {
        "the machine's migrate(state:from:) is to say what becomes of it"
    }

    /// Why a state that can be read may lose a value by it; `nil` if it loses none but those of
    /// members that have no successor.
    private static func loss(_ left: LeftMembers, _ filled: [[String]]) -> String? {
        if left.isEmpty { return nil }
        let absent: String
        let unread: [String]
        if let path = filled.first {
            (absent, unread) = (LeftMembers.path(path), left.unread(max: unreadMax))
        } else if let renamed = left.renamed(max: unreadMax) {
            (absent, unread) = renamed
        } else {
            return nil
        }
        let paths = unread.joined(separator: ", ")
        return "the stored state doesn't fit: there is no member at \(absent), and nothing reads "
            + "\(paths): " + advice
    }

    /// The text with one more member, copied from the initial state; `nil` if that has none.
    private static func fill(_ path: [String], in text: [UInt8]) -> [UInt8]? {
        var writer = JSONWriter()
        // A state that can't be encoded or decoded has no members to copy.
        guard (try? JSONCoding.encode(Machine.initialState, into: &writer)) != nil,
            let initial = try? JSONValue(parsing: writer.bytes, limits: .stored),
            let value = path.reduce(initial as JSONValue?, { $0?[$1] }),
            let whole = try? JSONValue(parsing: text, limits: .stored),
            let filled = whole.setting(path[...], to: value)
        else { return nil }
        return filled.serialized()
    }
}

extension JSONValue {
    /// The value with a member set at a path of objects; `nil` if the path has another value.
    fileprivate func setting(_ path: ArraySlice<String>, to value: JSONValue) -> JSONValue? {
        guard let name = path.first else { return value }
        guard case .object(var object) = self else { return nil }
        let rest = path.dropFirst()
        guard let inner = rest.isEmpty ? value : object[name]?.setting(rest, to: value) else {
            return nil
        }
        object[name] = inner
        return .object(object)
    }
}

extension String {
    /// Whether this version of a definition is before another one. Parts between dots and hyphens
    /// are compared as numbers if both are, otherwise as text: `1.9` is before `1.10`, and `2`
    /// after both. A version is before all that it is a prefix of, except for those that continue
    /// with a letter: `1.0-rc.1` is before `1.0`. A machine as data without a version has one that
    /// begins with `0+` and is before all others, but these have no order among themselves.
    package func isEarlierVersion(than other: String) -> Bool {
        if isHashVersion { return !other.isHashVersion }
        if self == other || other.isHashVersion { return false }
        let (ones, others) = (versionParts, other.versionParts)
        for (one, other) in zip(ones, others) where one != other {
            if let one = Int(one), let other = Int(other) {
                if one != other { return one < other }
            } else {
                return one < other
            }
        }
        let longer = ones.count > others.count ? ones : others
        let next = longer.dropFirst(min(ones.count, others.count)).first
        let isPreRelease = next?.first?.isLetter ?? false
        return (ones.count < others.count) != isPreRelease
    }

    /// Whether it is the version of a machine as data that names none: it has a part of its hash.
    package var isHashVersion: Bool { hasPrefix("0+") }

    private var versionParts: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "." || $0 == "-" }
    }
}
