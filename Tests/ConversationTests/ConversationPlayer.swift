import GroveEngine
import GroveProtocol
import GroveServer
import GroveTestSupport
import GroveWire
import OrderedJSON

/// Plays a conversation to a server in memory and writes down what comes back.
final class ConversationPlayer {
    /// The bytes between two cuts of a block. Cuts at each of the first few
    /// bytes are cuts at every byte of every block.
    static let pieceBytes = 64

    /// Another way to play the same conversation.
    struct Manner {
        /// Every block of bytes is handed over in pieces, cut at this byte and then after every
        /// ``pieceBytes``.
        var cut: Int?
        /// Blocks of one client that follow each other are handed over as one.
        var isMerged = false
        /// The clock stands still but for `tick`, and one request is taken at a time; so it
        /// doesn't matter to the bytes which requests come together.
        var isTimeless = false
        /// Every client speaks JSON-RPC: it begins with a line that shows it, and its lines are
        /// translated.
        var isJSONRPC = false
    }

    private let conversation: Conversation
    private let manner: Manner
    private(set) var store: ConversationStore
    private var limits = ServerLimits()
    private var options = EngineOptions.forConversations
    private var made: InMemoryServer?
    private var clients: [(name: String, id: ConnectionID)] = []
    private var deaf: Set<String> = []
    private var now = Moment(
        uptime: 1_000, time: Timestamp(milliseconds: 1_763_692_800_000))
    /// The copy of a data file that an earlier release made.
    private var earlier: EarlierData?

    /// The file as it should be.
    private(set) var transcript: [String] = []
    /// Everything each client got.
    private(set) var received: [String: [UInt8]] = [:]

    /// - Parameters:
    ///   - conversation: What is played.
    ///   - manner: In which way.
    ///   - store: What the server commits to.
    ///   - minutes: How much later than usual it is.
    init(
        _ conversation: Conversation, _ manner: Manner = Manner(),
        store: ConversationStore = ConversationStore(), minutes: Int64 = 0
    ) {
        self.conversation = conversation
        self.manner = manner
        self.store = store
        now.time.milliseconds += minutes * 60_000
        if manner.isTimeless { limits.inflightMax = 1 }
    }

    /// Plays it all.
    func play() throws {
        var merged: [Conversation.Line] = []
        for step in conversation.steps {
            switch step {
            case .prose(let text): transcript.append(text)
            case .lines(let lines):
                for line in lines { transcript.append(line.shown) }
                if manner.isMerged {
                    if let last = merged.last, lines.contains(where: { $0.client != last.client }) {
                        try send(merged)
                        merged = []
                    }
                    merged += lines
                } else {
                    try send(lines)
                }
            case .directive(let words):
                try send(merged)
                merged = []
                transcript.append("! " + words.joined(separator: " "))
                try obey(words)
            }
        }
        try send(merged)
    }

    // MARK: Lines

    private func send(_ lines: [Conversation.Line]) throws {
        guard !lines.isEmpty else { return }
        pass(milliseconds: 1)
        var blocks: [Conversation.Line] = []
        for line in lines {
            if blocks.last?.client == line.client {
                blocks[blocks.count - 1].bytes += line.bytes
            } else {
                blocks.append(line)
            }
        }
        if manner.isJSONRPC {
            for place in blocks.indices {
                blocks[place].bytes = Translation.requests(blocks[place].bytes)
            }
        }
        for block in blocks { try handOver(block.bytes, from: client(block.client)) }
        try settle()
    }

    private func handOver(_ bytes: [UInt8], from id: ConnectionID) throws {
        var rest = bytes[...]
        var length = manner.cut ?? bytes.count
        while !rest.isEmpty {
            let piece = rest.prefix(length)
            try server().receive(piece, from: id)
            rest = rest[piece.endIndex...]
            length = Self.pieceBytes
        }
    }

    /// Lets everything happen that follows from what was put in.
    private func settle() throws {
        let server = try server()
        var isBusy = true
        while isBusy {
            isBusy = false
            try server.flush()
            try doWhatIsDue()
            while server.hasBackgroundWork { try server.work() }
            // Requests that still wait now wait for effects or states.
            let waiting = inflight
            for client in clients where !deaf.contains(client.name) {
                if try collect(client.name, client.id) { isBusy = true }
            }
            if inflight != waiting { isBusy = true }
        }
        for client in clients { flushLines(client.name) }
        for client in clients { noteEnd(client.name, client.id) }
    }

    private var inflight: Int {
        clients.reduce(0) { $0 + (made?[$1.id]?.machine.inflight ?? 0) }
    }

    private func doWhatIsDue() throws {
        let server = try server()
        // With a full disk what is due stays due.
        while !store.isFull, let due = server.nextDue, due <= now.time {
            try server.enqueueDue()
            try server.flush()
        }
    }

    private func collect(_ name: String, _ id: ConnectionID) throws -> Bool {
        let bytes = try server().read(id)
        received[name, default: []] += bytes
        unwritten[name, default: []] += bytes
        return !bytes.isEmpty
    }

    private var unwritten: [String: [UInt8]] = [:]

    private func flushLines(_ name: String) {
        guard let bytes = unwritten.removeValue(forKey: name) else { return }
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            transcript.append("\(name)< \(String(decoding: line, as: UTF8.self))")
        }
        precondition(bytes.isEmpty || bytes.last == 10, "the server writes whole lines")
    }

    private func noteEnd(_ name: String, _ id: ConnectionID) {
        guard let peer = made?[id], peer.machine.shouldClose, let reason = peer.machine.closing
        else { return }
        transcript.append("\(name)= closed \(reason.rawValue)")
        made?.remove(id)
        clients.removeAll { $0.name == name }
    }

    private func client(_ name: String) throws -> ConnectionID {
        if let known = clients.first(where: { $0.name == name }) { return known.id }
        let id = try connect()
        clients.append((name, id))
        // The greeting is shown only where a conversation is about it.
        received[name, default: []] += try server().read(id)
        return id
    }

    /// A line of a client with its newline, as this conversation is played.
    private func shaped(_ line: String) -> [UInt8] {
        let bytes = Array(line.utf8)
        return (manner.isJSONRPC ? Translation.request(bytes) : bytes) + [10]
    }

    private func connect(as origin: ClientOrigin = .unknown) throws -> ConnectionID {
        let id = try server().connect(as: origin)
        if manner.isJSONRPC {
            try server().receive(
                Array((#"{"jsonrpc":"2.0","method":"-"}"# + "\n").utf8), from: id)
        }
        return id
    }

    private func server() throws -> InMemoryServer {
        if let made { return made }
        let server = InMemoryServer(
            catalogue: try conversationCatalogue(), store: store, limits: limits,
            options: options, now: now)
        server.compiler = { ChartCompiler.compile($0) }
        made = server
        return server
    }

    /// - Parameter isMeant: Whether the conversation says so, or it is just that things take time.
    private func pass(milliseconds: Int64, isMeant: Bool = false) {
        guard !manner.isTimeless || isMeant else { return }
        now.uptime += milliseconds
        now.time.milliseconds += milliseconds
        made?.context.now = now
    }

    // MARK: Directives

    private func obey(_ words: [String]) throws {
        let rest = words.dropFirst()
        switch words[0] {
        case "limits": try setLimits(rest)
        case "data": try openData(rest)
        case "connect":
            clients.append((rest.first ?? "", try connect()))
            try settle()
        case "owner":
            // A client on a Unix socket, of the user that runs the server.
            let origin = ClientOrigin(address: "unix", isLocal: true, isOwner: true)
            let (name, id) = (rest.first ?? "", try connect(as: origin))
            clients.append((name, id))
            received[name, default: []] += try server().read(id)
        case "half-close":
            try halfClose(rest)
        case "hang-up":
            let name = rest.first ?? ""
            try server().remove(client(name))
            clients.removeAll { $0.name == name }
        case "deaf": deaf.insert(rest.first ?? "")
        case "listen":
            deaf.remove(rest.first ?? "")
            try settle()
        case "tick": try tick(rest)
        case "advance": try advance(rest)
        case "handler": try report(rest)
        case "disk": try setDisk(rest)
        case "copy":
            // Turns of the backup under way.
            for _ in 0..<(try integer(rest.first)) { try server().copySome() }
        case "drain":
            try server().drain(milliseconds: integer(rest.first))
            try settle()
        case "finish":
            try server().finish()
            try settle()
        case "set-aside":
            guard let name = InstanceName(rest.first ?? "") else {
                throw TestProblem("\(conversation.name): a name is missing")
            }
            try server().setAside(name, reason: rest.dropFirst().joined(separator: " "))
            try settle()
        case "send": try sendRaw(rest)
        case "repeat": try sendMany(rest)
        default: throw TestProblem("\(conversation.name): what is ! \(words[0])?")
        }
    }

    /// `half-close a {…}`: the client sends this line, if there is one, and nothing more ever.
    private func halfClose(_ words: ArraySlice<String>) throws {
        let name = words.first.flatMap { $0.hasPrefix("{") ? nil : $0 } ?? ""
        let line = words.drop { !$0.hasPrefix("{") }.joined(separator: " ")
        let id = try client(name)
        pass(milliseconds: 1)
        if !line.isEmpty { try handOver(shaped(line), from: id) }
        try server().receiveEnd(from: id)
        try settle()
    }

    /// `data release-0.1.0`: the server starts over a copy of this file, some time after it was
    /// written.
    private func openData(_ words: ArraySlice<String>) throws {
        precondition(made == nil, "the data stands before the first line")
        let data = try EarlierData(words.first ?? "")
        earlier = data
        store = ConversationStore(base: data.store)
        now.time = data.end
    }

    private func integer(_ word: String?) throws -> Int64 {
        guard let word, let number = Int64(word) else {
            throw TestProblem("\(conversation.name): a number is missing")
        }
        return number
    }

    private func setLimits(_ words: ArraySlice<String>) throws {
        for word in words {
            let parts = word.split(separator: "=").map(String.init)
            let value = Int(try integer(parts.last))
            switch parts[0] {
            case "max_line": limits.lineBytesMax = value
            case "max_inflight": limits.inflightMax = manner.isTimeless ? 1 : value
            case "max_pending": limits.pendingBytesMax = value
            case "commit_queue": options.queueRequestsMax = value
            default: throw TestProblem("\(conversation.name): what limit is \(word)?")
            }
        }
    }

    private func setDisk(_ words: ArraySlice<String>) throws {
        switch words.first {
        case "forgets":
            let bounds = JournalBounds(stepsMax: store.head - (try integer(words.last)))
            while try server().truncate(to: bounds) {}
        case "forgets-machine": try truncateMachines(words.dropFirst())
        case "forgets-done": try retire(olderThan: integer(words.last))
        default: try store.disk.obey(words)
        }
    }

    /// `disk forgets-machine counter 1`: of this machine, all steps but the newest one go.
    private func truncateMachines(_ words: ArraySlice<String>) throws {
        let bounds = JournalBounds(stepsMax: try integer(words.last))
        while try server().truncateMachines(to: [words.first ?? "": bounds]) {}
    }

    /// `disk forgets-done 5000`: what has been done for longer is deleted.
    private func retire(olderThan milliseconds: Int64) throws {
        let time = Timestamp(milliseconds: now.time.milliseconds - milliseconds)
        var next: InstanceNumber? = InstanceNumber(0)
        while let number = next {
            next = try server().retire(doneBefore: time, after: number)
            try settle()
        }
    }

    /// `tick 5000`: so much time passes, and the server looks at the clock once a second.
    private func tick(_ words: ArraySlice<String>) throws {
        var left = try integer(words.first)
        while left > 0 {
            let step = min(left, 1_000)
            pass(milliseconds: step, isMeant: true)
            left -= step
            try server().tick()
            try settle()
        }
    }

    /// `advance 500`: so much time passes, and everything that is due meanwhile happens at its
    /// moment.
    private func advance(_ words: ArraySlice<String>) throws {
        let end = now.time.milliseconds + (try integer(words.first))
        while !store.isFull, let due = try server().nextDue, due.milliseconds <= end {
            pass(milliseconds: max(0, due.milliseconds - now.time.milliseconds), isMeant: true)
            try settle()
        }
        pass(milliseconds: end - now.time.milliseconds, isMeant: true)
        try settle()
    }

    /// `handler work completed {…}`: the one that has been at work for longest reports its
    /// result; also `emitted 1 {…}`, the number of the result before it, and `failed` or
    /// `failed-for-good` with a reason.
    private func report(_ words: ArraySlice<String>) throws {
        let name = words.first ?? ""
        let rest = words.dropFirst(2)
        guard let issue = try server().dispatched.first(where: { $0.handler == name }) else {
            throw TestProblem("\(conversation.name): no handler \(name) is at work")
        }
        func value(_ words: ArraySlice<String>) throws -> JSONValue {
            try JSONValue(parsing: Array(words.joined(separator: " ").utf8))
        }
        let reason = rest.joined(separator: " ")
        let outcome: EffectReport.Outcome =
            switch words.dropFirst().first {
            case "completed": .completed(try value(rest))
            case "emitted":
                .emitted(try value(rest.dropFirst()), number: Int(try integer(rest.first)))
            case "failed": .failed(reason: reason, isPermanent: false)
            case "failed-for-good": .failed(reason: reason, isPermanent: true)
            default: throw TestProblem("\(conversation.name): the handler did what?")
            }
        pass(milliseconds: 1)
        try server().report(outcome, of: issue)
        try settle()
    }

    /// `send a "text"`: exactly these bytes, the escapes of JSON understood, no newline added.
    private func sendRaw(_ words: ArraySlice<String>) throws {
        let name = words.first.flatMap { $0.hasPrefix("\"") ? nil : $0 } ?? ""
        let text = words.drop { !$0.hasPrefix("\"") }.joined(separator: " ")
        var bytes = try RawBytes.read(text)
        if manner.isJSONRPC { bytes = Translation.requests(bytes) }
        pass(milliseconds: 1)
        try handOver(bytes, from: client(name))
        try settle()
    }

    /// `repeat 256 {…%…}`: a line a number of times, `%` replaced by 1, 2, …; what
    /// its sender gets is not shown.
    private func sendMany(_ words: ArraySlice<String>) throws {
        let line = words.dropFirst().joined(separator: " ")
        let id = try client("")
        pass(milliseconds: 1)
        for number in 1...Int(try integer(words.first)) {
            let text = line.split(separator: "%", omittingEmptySubsequences: false)
                .joined(separator: "\(number)")
            try handOver(shaped(text), from: id)
        }
        let written = transcript.count
        try settle()
        let shown = transcript[written...].filter { !$0.hasPrefix("< ") }
        transcript.replaceSubrange(written..., with: shown)
    }
}

extension Conversation.Line {
    /// The line as it stands in the file.
    var shown: String { "\(client)> \(String(decoding: bytes.dropLast(), as: UTF8.self))" }
}

/// Bytes written as a quoted text with the escapes of JSON, `\xNN` for a byte, and `\{N}` after a
/// character that is meant N times.
enum RawBytes {
    static func read(_ quoted: String) throws -> [UInt8] {
        let text = Array(quoted.utf8)
        guard text.count >= 2, text.first == 34, text.last == 34 else {
            throw TestProblem("bytes stand in quotes: \(quoted)")
        }
        var bytes: [UInt8] = []
        var rest = text[1..<(text.count - 1)]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "x"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                rest = rest.dropFirst(2)
                bytes.append(UInt8(digits, radix: 16) ?? 0)
            case UInt8(ascii: "{"):
                let digits = String(decoding: rest.prefix { $0 != 125 }, as: UTF8.self)
                rest = rest.dropFirst(digits.utf8.count + 1)
                let last = bytes.last ?? 0
                bytes += Array(repeating: last, count: (Int(digits) ?? 1) - 1)
            default: bytes.append(escape)
            }
        }
        return bytes
    }
}
