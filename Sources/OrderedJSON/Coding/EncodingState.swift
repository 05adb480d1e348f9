/// The state that all coders of one encoding share: the text so far and the open values.
///
/// A value's text is appended directly to one buffer. That works because a value is written as a
/// whole before its container continues. Nested containers and the encoders for a superclass may be
/// kept and filled in any order, so each of them has a separate buffer, which is inserted when the
/// value around it is complete.
final class EncodingState {
    /// A value that is being written.
    struct Level {
        enum Form { case untouched, scalar, object, array, enumeration, enumCase }

        var form = Form.untouched
        var isEnum = false
        /// Whether the entries are sorted by their bytes at the end.
        var isSorted = false
        /// The index of the first entry of this level, if it is sorted.
        var firstEntry = 0
        /// The number of members or elements begun.
        var count = 0
        /// The start of the last one's text, with the comma before it.
        var begun = 0
        /// One bit per name, the same for equal names.
        var seen: UInt64 = 0
        /// Whether two names had the same bit, and so may be equal.
        var mayRepeat = false
        /// The start of its text.
        var start = 0
        /// The name of the member that is being written.
        var name = ""
        /// The type of the value, where it is known.
        var type: (any Any.Type)?
        /// The keys of an enum, the first ones with which it was opened.
        var keys: (any CodingKey.Type)?
        /// The number of these keys.
        var keyCount = 0
        /// The end of the case's name, if it has one.
        var caseEnd = 0
        /// Whether the only value without a label got its name on the wire.
        var isRenamed = false
        /// The start of the member `type` of a hand-written enum; 0 if it has none.
        var typeStart = 0
        /// Whether the enum could be read back as another value.
        var isDoubtful = false
    }

    /// The start of a member or element in the text, which is the end of the one before it.
    struct Entry {
        let name: String
        let start: Int
    }

    // Unchecked: each access is one call of the writer, or of a member, and runs no code of users.
    // So none overlap, and ten checks per encoded object would find nothing.
    @exclusivity(unchecked) var writer = JSONWriter()
    @exclusivity(unchecked) var top = Level()
    @exclusivity(unchecked) private(set) var outer: [Level] = []
    /// Whether enums that could be read back as another value are read to find out.
    private let isChecking: Bool
    /// Cases that became members of plain objects, with the depths of these.
    @exclusivity(unchecked) var formerCases: [(depth: Int, state: EncodingState)] = []
    /// Further keys with which enums were opened, with the depths of these.
    @exclusivity(unchecked) var furtherKeys: [(depth: Int, keys: any CodingKey.Type)] = []
    /// The path from the root to this buffer.
    private let above: [PathStep]
    /// Nested containers, in the order of the offsets where their text is inserted.
    @exclusivity(unchecked) var children: [(start: Int, state: EncodingState)] = []
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// An error in a call that can't throw.
    private var misuse: (any Error)?
    /// The innermost path that threw an error other than `EncodingError`.
    private var foreignFailure: String?
    /// Whether coders may have states that write errors into this one.
    private(set) var hasMadeChild = false
    /// The state whose text will contain this one's.
    private weak var parent: EncodingState?

    /// The key type with which the standard library writes dictionaries, found by a trial.
    private static let dictionaryKey: ObjectIdentifier? = {
        let state = EncodingState(above: [])
        state.watchesKeys = true
        // The result doesn't matter, only the key type that is asked for.
        try? [String: Int]().encode(to: NodeEncoder(state: state, depth: 0))
        return state.lastKey
    }()
    private var watchesKeys = false
    private var lastKey: ObjectIdentifier?

    init(above: [PathStep], isChecking: Bool = true) {
        self.above = above
        self.isChecking = isChecking
    }

    /// Makes it as new. The encoding has succeeded, so nothing is open, and its lists are empty.
    func reset() {
        top = Level()
        foreignFailure = nil
        if keptBytes > JSONLimits.keptEncodingBytesMax {
            outer = []
            children = []
            entries = []
        }
    }

    /// The bytes of its lists.
    var keptBytes: Int {
        outer.capacity * MemoryLayout<Level>.stride + entries.capacity * MemoryLayout<Entry>.stride
            + children.capacity * MemoryLayout<(Int, EncodingState)>.stride
    }

    var depth: Int { outer.count }

    // MARK: Values

    /// Writes the outermost value.
    func encodeTop<T: Encodable>(_ value: T) throws {
        top.start = writer.bytes.count
        top.isEnum = TypeMetadata.isEnum(T.self)
        top.type = T.self
        try value.encode(to: NodeEncoder(state: self, depth: 0))
        try finishLevel()
        if top.isDoubtful, isChecking { try checkReading(T.self) }
    }

    /// Writes a value inside the innermost open one.
    func encode<T: Encodable>(_ value: T) throws {
        guard outer.count + above.count < JSONLimits.levelsMax else {
            let error = failure("values are nested more than \(JSONLimits.levelsMax) deep")
            removeLast()
            throw error
        }
        foreignFailure = nil
        let entriesBefore = entries.count
        outer.append(top)
        top = Level(
            isEnum: TypeMetadata.isEnum(T.self), start: writer.bytes.count, type: T.self)
        do {
            try value.encode(to: NodeEncoder(state: self, depth: outer.count))
            try finishLevel()
            if top.isDoubtful, isChecking { try checkReading(T.self) }
            top = outer.removeLast()
        } catch {
            if foreignFailure == nil, !(error is EncodingError) {
                recordFailure(at: PathStep.text(steps))
            }
            top = outer.removeLast()
            forgetFailed(entriesBefore: entriesBefore)
            removeLast()
            throw error
        }
    }

    /// Forgets what a value that has failed leaves, within the innermost open one.
    private func forgetFailed(entriesBefore: Int) {
        if entries.count > entriesBefore { entries.removeSubrange(entriesBefore...) }
        if !formerCases.isEmpty { formerCases.removeAll { $0.depth > depth } }
        if !furtherKeys.isEmpty { furtherKeys.removeAll { $0.depth > depth } }
    }

    /// Removes the member, element or value that was begun last and has failed: the code that
    /// encodes may catch the error and continue.
    func removeLast() {
        writer.bytes.removeLast(writer.bytes.count - top.begun)
        children.removeAll { $0.start > top.begun }
        if top.form == .scalar {
            top.form = .untouched
        } else {
            top.count -= 1
            if top.isSorted { entries.removeLast() }
        }
    }

    /// Ends the innermost value.
    private func finishLevel() throws {
        if let misuse { throw misuse }
        if top.isSorted { sortEntries() }
        if top.isEnum { finishEnum() }
        switch top.form {
        case .untouched, .enumeration: writer.literal("{}")
        case .scalar: break
        case .object: writer.literal("}")
        case .array: writer.literal("]")
        case .enumCase:
            if top.count > 0 {
                writer.literal("}")
            } else {
                writer.bytes.removeSubrange(top.start..<top.start + Self.casePrefix)
            }
        }
        if !children.isEmpty { try insertChildren() }
        if top.mayRepeat { try checkNames() }
    }

    /// Parses an object that may have a name twice, which a strict reader would reject.
    private func checkNames() throws {
        let text = Array(writer.bytes[top.start...])
        let limits = JSONLimits(depthMax: .max, bytesMax: .max, valuesMax: .max)
        do {
            _ = try JSONDocument(parsing: text, limits: limits)
        } catch  where error.reason == .duplicateName {
            throw failure("a member was written twice")
        } catch {
            return
        }
    }

    /// The number of bytes of `{"type":`.
    static let casePrefix = 8

    /// Inserts the text of every nested container of the innermost value.
    private func insertChildren() throws {
        let start = top.start
        let first = children.firstIndex { $0.start >= start } ?? children.count
        guard first < children.count else { return }
        var text: [UInt8] = []
        var copied = start
        for child in children[first...] {
            text.append(contentsOf: writer.bytes[copied..<child.start])
            try child.state.finishLevel()
            text.append(contentsOf: child.state.writer.bytes)
            copied = child.start
        }
        text.append(contentsOf: writer.bytes[copied...])
        writer.bytes.replaceSubrange(start..., with: text)
        children.removeSubrange(first...)
    }

    // MARK: Containers

    /// Begins an object, or continues one: a class and its superclass may share it.
    func openKeyed<Key: CodingKey>(_ depth: Int, _ key: Key.Type) {
        if watchesKeys {
            lastKey = ObjectIdentifier(key)
            return
        }
        guard depth == self.depth else {
            misuse = misuse ?? failure(Self.late)
            return
        }
        switch top.form {
        case .object, .enumeration, .enumCase: if top.isEnum { note(keys: key) }
        case .untouched:
            if top.isEnum, let count = TypeMetadata.emptyCaseCount(key) {
                top.form = .enumeration
                top.keys = key
                top.keyCount = count
            } else {
                beginObject()
                if ObjectIdentifier(key) == Self.dictionaryKey {
                    top.isSorted = true
                    top.firstEntry = entries.count
                }
            }
        case .scalar, .array: misuse = misuse ?? failure(Self.twice)
        }
    }

    func openUnkeyed(_ depth: Int) {
        guard depth == self.depth else {
            misuse = misuse ?? failure(Self.late)
            return
        }
        switch top.form {
        case .array: break
        case .untouched:
            top.form = .array
            writer.literal("[")
            if let type = top.type, TypeMetadata.isSet(type) || TypeMetadata.isDictionary(type) {
                top.isSorted = true
                top.firstEntry = entries.count
            }
        case .scalar, .object, .enumeration, .enumCase: misuse = misuse ?? failure(Self.twice)
        }
    }

    private func beginObject() {
        top.form = .object
        writer.literal("{")
    }

    /// Begins a member: comma, name and colon.
    func beginMember(_ depth: Int, _ name: String) throws {
        guard depth == self.depth else { throw failure(Self.late) }
        if top.form == .enumeration { beginObject() }
        if top.form == .enumCase { try endCase() }
        guard top.form == .object else { throw failure(Self.twice) }
        comma(name)
        see(name)
        writer.string(name)
        writer.literal(":")
        if top.isEnum, name == EnumLabels.type { top.typeStart = writer.bytes.count }
    }

    private func see(_ name: String) {
        let bit = Self.slot(name)
        if top.seen & bit != 0 { top.mayRepeat = true }
        top.seen |= bit
    }

    /// One of 64 bits, the same for equal names.
    private static func slot(_ name: String) -> UInt64 {
        let name = name.utf8
        guard let first = name.first, let last = name.last else { return 1 }
        let hash = UInt64(first) &* 31 &+ UInt64(last) &* 7 &+ UInt64(name.count)
        return 1 << (hash & 63)
    }

    /// Begins a value of an enum case.
    func beginCaseMember(_ depth: Int, _ name: String) throws {
        guard depth == self.depth else { throw failure(Self.late) }
        guard top.form == .enumCase else { throw failure(Self.twice) }
        guard name != EnumLabels.type else {
            throw failure(
                "a case with a label \"type\" can't be written: that member names the case")
        }
        top.begun = writer.bytes.count
        top.count += 1
        top.name = name
        see(name)
        writer.literal(",")
        writer.string(name)
        writer.literal(":")
    }

    /// Begins an element of an array.
    func beginElement(_ depth: Int) throws {
        guard depth == self.depth else { throw failure(Self.late) }
        guard top.form == .array else { throw failure(Self.twice) }
        comma("")
    }

    /// Begins the one value of a single value container.
    func beginScalar(_ depth: Int) throws {
        guard depth == self.depth else { throw failure(Self.late) }
        guard top.form == .untouched else { throw failure(Self.twice) }
        top.form = .scalar
        top.begun = writer.bytes.count
    }

    /// Begins the case of an enum; false if the innermost value isn't an enum without a case yet.
    func beginCase(_ depth: Int, _ name: String) -> Bool {
        guard depth == self.depth, top.form == .enumeration else { return false }
        top.form = .enumCase
        writer.literal("{\"type\":")
        writer.string(name)
        top.caseEnd = writer.bytes.count
        return true
    }

    private func comma(_ name: String) {
        top.begun = writer.bytes.count
        if top.count > 0 { writer.literal(",") }
        if top.isSorted { entries.append(Entry(name: name, start: writer.bytes.count)) }
        top.count += 1
        top.name = name
    }

    /// Begins the member or element of a nested container. The calls that do so can't throw, so an
    /// error is kept until the value's end.
    func beginNested(_ begin: () throws -> Void) {
        do { try begin() } catch { misuse = misuse ?? error }
    }

    /// The open value at `depth`.
    func level(_ depth: Int) -> Level { depth == outer.count ? top : outer[depth] }

    /// A buffer for a nested container, to be inserted here.
    func child() -> EncodingState {
        hasMadeChild = true
        let child = EncodingState(above: steps, isChecking: isChecking)
        child.parent = self
        if top.isSorted {
            // Only the standard library's own collections are sorted, and they nest no container.
            top.isSorted = false
            entries.removeSubrange(top.firstEntry...)
        }
        children.append((writer.bytes.count, child))
        return child
    }

    // MARK: Sorting

    /// Sorts the entries of the innermost value by their names, or by their bytes where they have
    /// none; keys and values of a dictionary stay together.
    private func sortEntries() {
        let own = entries[top.firstEntry...]
        defer { entries.removeSubrange(top.firstEntry...) }
        let isPairs = top.form == .array && top.type.map(TypeMetadata.isDictionary) == true
        let starts =
            isPairs ? own.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) : Array(own)
        guard let first = starts.first, starts.count > 1 else { return }
        let bytes = writer.bytes
        let parts = starts.indices.map { index in
            let isLast = index == starts.count - 1
            let end = isLast ? bytes.count : starts[index + 1].start - 1
            return (name: starts[index].name, text: bytes[starts[index].start..<end])
        }
        let isNamed = top.form == .object
        let sorted = parts.sorted { one, other in
            isNamed
                ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
                : one.text.lexicographicallyPrecedes(other.text)
        }
        writer.bytes.removeSubrange(first.start...)
        for (index, part) in sorted.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.raw(part.text)
        }
    }

    // MARK: Errors

    private static let late = "a container was used after its value was complete"
    private static let twice = "a value was written twice, or in two forms"

    /// The path to the member or element that is being written.
    var steps: [PathStep] {
        var steps = above
        for level in outer + [top] where level.count > 0 {
            switch level.form {
            case .object, .enumCase: steps.append(.name(level.name))
            case .array: steps.append(.index(level.count - 1))
            case .untouched, .scalar, .enumeration: break
            }
        }
        return steps
    }

    /// An error at the present path.
    func failure(_ message: String, _ value: Any = ()) -> EncodingError {
        let steps = steps
        return .invalidValue(
            value,
            EncodingError.Context(
                codingPath: steps, debugDescription: message,
                underlyingError: JSONEncodingError(
                    path: PathStep.text(steps), message: message)))
    }

    private func recordFailure(at path: String) {
        foreignFailure = path
        parent?.recordFailure(at: path)
    }

    /// The error for the caller.
    func report(_ error: any Error) -> JSONEncodingError {
        if let error = error as? JSONEncodingError { return error }
        guard case .invalidValue(_, let context)? = error as? EncodingError else {
            return JSONEncodingError(path: foreignFailure ?? "$", message: "\(error)")
        }
        if let ours = context.underlyingError as? JSONEncodingError { return ours }
        return JSONEncodingError(
            path: PathStep.text(context.codingPath), message: context.debugDescription)
    }
}
