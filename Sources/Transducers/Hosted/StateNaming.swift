import OrderedJSON

/// How the states of a machine are called: by what `list` selects, what `await` waits for, and what
/// a drawing shows.
///
/// What the machine says goes first (``DescribedTransducer/name(of:)``); then an enum is called by
/// its cases, and any other state by its member `status`, where that is an enum or a text.
public struct StateNaming: Sendable {
    private enum Source: Sendable {
        case none
        case cases
        case status
        case machine(@Sendable ([UInt8], _ stored: String?) -> String?)
        /// Several states can be active.
        case active(@Sendable ([UInt8]) -> [String])
    }

    private let source: Source

    /// A state of an earlier version as the machine of today writes it; `nil` where it can't be
    /// read.
    private var rewritten: (@Sendable ([UInt8], _ stored: String) -> [UInt8]?)?

    /// The version of the definition.
    private var version = ""

    /// The names that there are, in the order of their declaration; `nil` where that isn't known.
    public let known: [String]?

    /// States without names, or those of an enum whose cases aren't known.
    init(hasNames: Bool) {
        self.init(hasNames ? .cases : .none, known: nil)
    }

    /// The names of several active states.
    init(active names: @escaping @Sendable ([UInt8]) -> [String], known: [String]?) {
        self.init(.active(names), known: known)
    }

    private init(_ source: Source, known: [String]?) {
        self.source = source
        self.known = known
    }

    /// The names of a Swift transducer's states, in this version of the definition. Looks at its
    /// initial state.
    init<Machine: InitialState & SendableMetatype>(
        of machine: Machine.Type, version: String
    ) where Machine.State: Codable & Sendable {
        self.init(reading: machine, version: version)
        self.version = version
        rewritten = { json, stored in
            var writer = JSONWriter()
            // A state that can't be read any more, or not written, has no name.
            guard
                let state = try? StoredState<Machine>.read(json, from: stored, by: version),
                (try? JSONCoding.encode(state, into: &writer)) != nil
            else { return nil }
            return writer.bytes
        }
    }

    private init<Machine: InitialState & SendableMetatype>(
        reading machine: Machine.Type, version: String
    ) where Machine.State: Codable & Sendable {
        let initial = Machine.initialState
        if let described = machine as? any DescribedTransducer.Type,
            Self.name(of: initial, by: described) != nil
        {
            let source = Source.machine { json, stored in
                // A state that can't be read any more has no name.
                guard
                    let state = try? StoredState<Machine>.read(json, from: stored, by: version),
                    let described = Machine.self as? any DescribedTransducer.Type
                else { return nil }
                return Self.name(of: state, by: described)
            }
            self.init(source, known: nil)
            return
        }
        if JSONCoding.isEnum(Machine.State.self) {
            self.init(.cases, known: JSONCoding.cases(of: Machine.State.self)?.map(\.name))
            return
        }
        var writer = JSONWriter()
        // One that can't be written is reported by the first event that needs it.
        let isWritten = (try? JSONCoding.encode(initial, into: &writer)) != nil
        guard isWritten, let name = CaseName.status(writer.bytes) else {
            self.init(.none, known: nil)
            return
        }
        let status = Mirror(reflecting: initial).children.first { $0.label == "status" }?.value
        let names = (status as? any Decodable).flatMap { Self.cases(ofTypeOf: $0) }
        self.init(.status, known: names.flatMap { $0.contains(name) ? $0 : nil })
    }

    private static func cases<Value: Decodable>(ofTypeOf value: Value) -> [String]? {
        JSONCoding.cases(of: Value.self)?.map(\.name)
    }

    /// Whether states have names at all.
    public var exists: Bool { if case .none = source { false } else { true } }

    /// What a stored state is called; `nil` where it has no name. May run code of the machine.
    ///
    /// - Parameters:
    ///   - json: The state.
    ///   - stored: The version of the definition that has stored it: a state of an earlier one is
    ///     migrated first. `nil` for a state that is as the machine of today writes it.
    public func name(of json: [UInt8], from stored: String? = nil) -> String? {
        if case .machine(let name) = source { return name(json, stored) }
        guard exists else { return nil }
        let isEarlier = stored.map { $0.isEarlierVersion(than: version) } ?? false
        if !isEarlier, let name = writtenName(of: json) { return name }
        guard let stored, let rewritten else { return writtenName(of: json) }
        return rewritten(json, stored).flatMap(writtenName)
    }

    /// All names of a stored state: several, if several states are active. May run code of the
    /// machine.
    ///
    /// - Parameters: As those of ``name(of:from:)``.
    public func names(of json: [UInt8], from stored: String? = nil) -> [String] {
        if case .active(let names) = source { return names(json) }
        return name(of: json, from: stored).map { [$0] } ?? []
    }

    /// What a stored state is called by its text alone, without code of the machine; `nil` where
    /// that doesn't tell.
    public func writtenName(of json: [UInt8]) -> String? {
        switch source {
        case .none, .machine: nil
        case .active(let names): names(json).first
        case .cases: CaseName.read(json)
        case .status: CaseName.status(json)
        }
    }

    /// The name that the machine itself gives a state.
    static func name<Described: DescribedTransducer>(
        of state: some Any, by machine: Described.Type
    ) -> String? {
        (state as? Described.State).flatMap { Described.name(of: $0) }
    }
}

extension CaseName {
    /// The name in the member `status` of an object; `nil` when there is none.
    static func status(_ json: [UInt8]) -> String? {
        // A text that isn't JSON has no name.
        guard let document = try? JSONDocument(parsing: json, limits: .stored),
            let status = document.member("status", of: document.root)
        else { return nil }
        if let name = document.string(status) { return name }
        return document.member("type", of: status).flatMap { document.string($0) }
    }
}
