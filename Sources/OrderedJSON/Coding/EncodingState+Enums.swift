/// Enums that are coded by hand: their members, and whether they can be read back.
extension EncodingState {
    /// Notes further keys with which an enum is opened.
    func note(keys: any CodingKey.Type) {
        guard let first = top.keys else {
            top.keys = keys
            return
        }
        if first != keys { furtherKeys.append((depth, keys)) }
    }

    /// The object that a case at `depth` has become; nil if there is none.
    func formerCase(_ depth: Int) -> EncodingState? {
        if formerCases.isEmpty { return nil }
        return formerCases.last { $0.depth == depth }?.state
    }

    /// Makes the case that was begun a member of a plain object: the enum has more members, so the
    /// nested container that it asked for was none for the values of a case.
    func endCase() throws {
        guard !top.isRenamed else {
            throw failure("the value of a case without a label can't stand beside other members")
        }
        let name = Array(writer.bytes[top.start + Self.casePrefix..<top.caseEnd])
        let values = top.count > 0 ? Array(writer.bytes[(top.caseEnd + 1)...]) : []
        let offset = top.caseEnd
        let caseLevel = top
        writer.bytes.removeSubrange(top.start...)
        top.form = .object
        top.count = 0
        (top.seen, top.mayRepeat) = (0, false)
        writer.literal("{")
        try beginMember(depth, unescaped(name))
        let inner = children.filter { $0.start >= offset }
        children.removeAll { $0.start >= offset }
        let object = child()
        object.continueObject(caseLevel, values)
        object.children = inner.map { ($0.start - offset, $0.state) }
        formerCases.append((depth, object))
    }

    /// Takes over the values of a case as members.
    private func continueObject(_ level: Level, _ members: [UInt8]) {
        top.form = .object
        top.count = level.count
        top.name = level.name
        (top.seen, top.mayRepeat) = (level.seen, level.mayRepeat)
        writer.literal("{")
        writer.raw(members)
    }

    /// The string that JSON text says.
    private func unescaped(_ text: [UInt8]) -> String {
        // The writer has written it.
        guard let document = try? JSONDocument(parsing: text) else { return "" }
        return document.string(document.root) ?? ""
    }

    // MARK: Reading back

    /// Decides whether the enum could be read back as another value.
    func finishEnum() {
        if !formerCases.isEmpty { formerCases.removeAll { $0.depth == depth } }
        switch top.form {
        case .enumCase:
            // Among the keys of a plain object would be `type`.
            if top.count > 0, top.keyCount > 1, let keys = top.keys {
                top.isDoubtful = keys.init(stringValue: EnumLabels.type) != nil
            }
        case .object:
            if let keys = top.keys, let name = string(at: top.typeStart) {
                top.isDoubtful =
                    keys.init(stringValue: name) != nil
                    || furtherKeys.contains {
                        $0.depth == depth && $0.keys.init(stringValue: name) != nil
                    }
            }
        case .untouched, .scalar, .array, .enumeration: break
        }
        if !furtherKeys.isEmpty { furtherKeys.removeAll { $0.depth == depth } }
    }

    /// The string that begins at an offset of the text; nil if another value does.
    private func string(at start: Int) -> String? {
        let quote = UInt8(ascii: "\"")
        guard start > 0, start < writer.bytes.count, writer.bytes[start] == quote else {
            return nil
        }
        var end = start + 1
        while end < writer.bytes.count, writer.bytes[end] != quote {
            end += writer.bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < writer.bytes.count else { return nil }
        return unescaped(Array(writer.bytes[start...end]))
    }

    /// Throws if the enum that was written last isn't read back as the same value.
    func checkReading<T>(_ type: T.Type) throws {
        guard let coded = type as? any Codable.Type else { return }
        let text = Array(writer.bytes[top.start...])
        guard Self.isStable(coded, text) else {
            throw failure(
                "this value of \(type) would be read back as another one: its member \"type\" and "
                    + "the name of a case can't be told apart, so one of them is to be renamed")
        }
    }

    /// Whether the text is read as a value that is written as the same text.
    private static func isStable<T: Codable>(_ type: T.Type, _ text: [UInt8]) -> Bool {
        let state = EncodingState(above: [], isChecking: false)
        do {
            let document = try JSONDocument(parsing: text, limits: .stored)
            let value = try JSONCoding.decode(type, from: document, at: document.root)
            try state.encodeTop(value)
            return state.writer.bytes == text
        } catch {
            return false
        }
    }
}
