import BuiltInMachines
import GroveEngine
import GroveTestSupport
import Synchronization
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
        /// A state of about this many bytes.
        case grow(bytes: Int)
        /// A refusal that doesn't say what would do.
        case refuse
        /// An error in the machine.
        case crash
        /// More events without end.
        case endless
        /// A number of outputs in one step.
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

/// The machines of the conversations' server.
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
final class ConversationStore: ForwardingStore, BackupStore {
    /// The disk's fault; may be changed from another thread than the store's.
    struct Disk {
        var isFull = false
        var isDamaged = false
    }

    let disk: ConversationDisk

    var isFull: Bool { disk.state.isFull }

    /// The record of commits.
    var rows: RowRecorder?

    /// A store in front of another one: an empty one in memory unless told otherwise.
    init(_ disk: ConversationDisk = ConversationDisk(), base: any Store = MemoryStore()) {
        self.disk = disk
        super.init(base)
    }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if isFull { throw .full }
        try super.commit(writes)
        try rows?.record(writes)
    }

    func beginBackup() throws(StoreError) -> any StoreBackup {
        if isFull { throw .full }
        return ConversationBackup(self)
    }

    override func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        if disk.state.isDamaged {
            throw .corrupt("the snapshot of \(name) doesn't match its checksum")
        }
        return try super.instance(named: name)
    }
}

/// A copy of two pages, eleven bytes in all.
private final class ConversationBackup: StoreBackup {
    private let store: ConversationStore
    private let bytes = Array("all of it\r\n".utf8)

    private(set) var progress = BackupProgress(copied: 0, pages: 0)

    init(_ store: ConversationStore) { self.store = store }

    func step() throws(StoreError) {
        if store.isFull { throw .full }
        progress.pages = 2
        progress.copied = min(2, progress.copied + 1)
        if progress.copied == 2 { progress.bytes = Int64(bytes.count) }
    }

    func read(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
        Array(bytes.dropFirst(Int(offset)).prefix(count))
    }

    func end() {}
}

/// The disk of a conversation.
final class ConversationDisk: Sendable {
    private let held = Mutex(ConversationStore.Disk())

    var state: ConversationStore.Disk { held.withLock { $0 } }

    /// `full`, `damaged` or `ok`.
    func obey(_ words: ArraySlice<String>) throws {
        try held.withLock { disk in
            switch words.first {
            case "full": disk.isFull = true
            case "damaged": disk.isDamaged = true
            case "ok": (disk.isFull, disk.isDamaged) = (false, false)
            default: throw TestProblem("the disk is what? \(words)")
            }
        }
    }
}
