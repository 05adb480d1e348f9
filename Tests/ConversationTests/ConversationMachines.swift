import BuiltInMachines
import GroveEngine
import GroveTestSupport
import Transducers

/// A machine to try every outcome of a step with.
enum Lab: EffectTransducer, InitialState {
    struct State: Terminable, Codable, Sendable {
        var text = ""
        var isOver = false
        var isTerminal: Bool { isOver }
    }

    enum Event: Codable, Sendable {
        /// An output, no change of state.
        case say(text: String)
        /// A change of state, no output.
        case set(String)
        /// Nothing at all.
        case nothing
        /// Two outputs.
        case pair
        /// A state of about so many bytes.
        case grow(bytes: Int)
        /// A refusal that doesn't say what would do.
        case refuse
        /// An error in the machine.
        case crash
        /// More events without end.
        case endless
        /// So many outputs in one step.
        case flood(outputs: Int)
        /// The end, with a result.
        case finish
    }

    enum Word: Codable, Sendable {
        case said(text: String)
        case bye
    }

    /// `nil` says nothing.
    typealias Output = Word?

    struct Crash: Error {}

    static let initialState = State()

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        switch event {
        case .say(let text): return (nil, .said(text: text))
        case .set(let text): state.text = text
        case .nothing: break
        case .pair:
            return (.event(.say(text: "second")), .said(text: "first"))
        case .grow(let bytes): state.text = String(repeating: "x", count: bytes)
        case .refuse: throw Rejection("not now")
        case .crash:
            state.text = "half done"
            throw Crash()
        case .endless: return (.event(.endless), nil)
        case .flood(let outputs):
            let says = (0..<outputs).map { Event.say(text: "\($0)") }
            return (.events(says), nil)
        case .finish:
            state.isOver = true
            return (nil, .bye)
        }
        return (nil, nil)
    }
}

/// What the server of the conversations hosts.
func conversationCatalogue() throws -> Catalogue {
    try Catalogue(
        BuiltInMachines.definitions + [
            Definition(Lab.self, named: "lab", version: "1"),
            Definition(Errands.self, named: "errands", version: "1"),
            Definition(Countdown.self, named: "countdown", version: "1"),
            Definition(Finished.self, named: "finished", version: "1"),
        ])
}

/// A store in memory whose disk can be filled and damaged.
final class ConversationStore: ForwardingStore {
    var isFull = false
    var isDamaged = false

    init() { super.init(MemoryStore()) }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if isFull { throw .full }
        try super.commit(writes)
    }

    override func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        if isDamaged { throw .corrupt("the snapshot of \(name) doesn't match its checksum") }
        return try super.instance(named: name)
    }
}
