import OrderedJSON

/// Reads states that were stored, perhaps by an earlier version of the definition.
///
/// A state of an earlier version goes through the machine's `migrate(state:from:)` first. Then
/// members that are missing are taken from the initial state, so that a new member needs no more
/// than its default value. That isn't done where the object has a member that nothing would read:
/// it may be the missing one under its old name, and what it holds would be lost. Nor is it done
/// with a state that nobody has stored yet: an import has all members, or is wrong.
enum StoredState<Machine: InitialState> where Machine.State: Codable {
    /// The state.
    ///
    /// - Parameters:
    ///   - text: The state as it was stored.
    ///   - stored: The version that stored it; `nil` for a state that wasn't stored, of which
    ///     no member may be missing.
    ///   - present: The version of the definition.
    static func read(
        _ text: [UInt8], from stored: String?, by present: String
    ) throws(StepFailure) -> Machine.State {
        guard let stored else { return try decode(text, filledMax: 0) }
        guard DefinitionVersion.isEarlier(stored, than: present) else {
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
        return try decode(migrated == old ? text : migrated.serialized())
    }

    private static func decode(
        _ text: [UInt8], filledMax: Int = filledMax
    ) throws(StepFailure) -> Machine.State {
        var text = text
        for _ in 0...filledMax {
            let error: JSONDecodingError
            do {
                let document = try JSONDocument(parsing: text, limits: .stored)
                return try JSONCoding.decode(
                    Machine.State.self, from: document, at: document.root)
            } catch let wrong as JSONDecodingError {
                error = wrong
            } catch {
                throw .evaluation("the stored state is no JSON: \(error)")
            }
            guard let missing = error.missing, missing.unknown.isEmpty, filledMax > 0,
                let filled = fill(missing.path, in: text)
            else { throw .evaluation(words(for: error)) }
            text = filled
        }
        throw .evaluation("the stored state lacks more than \(filledMax) members")
    }

    private static func words(for error: JSONDecodingError) -> String {
        let words = "the stored state doesn't fit: \(error.message) at \(error.path)"
        guard let unknown = error.missing?.unknown, !unknown.isEmpty else { return words }
        let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
        return words + ", and nothing reads \(names): the machine's migrate(state:from:) is to say "
            + "what becomes of it"
    }

    /// The text with one more member, taken from the initial state; `nil` where that has none.
    private static func fill(_ path: [String], in text: [UInt8]) -> [UInt8]? {
        var writer = JSONWriter()
        // What can't be written or read has no members to give.
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
    /// The value with a member set, the way to which goes through objects; `nil` where it doesn't.
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
