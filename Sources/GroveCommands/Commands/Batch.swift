import ArgumentParser
import GroveClient
import OrderedJSON

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `grove batch`
struct Batch: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the events of a file, many to a request.",
        discussion: """
            Each line is one event: MACHINE/INSTANCE and the event as for 'grove send', or a JSON \
            object with "to", "event" and whatever else a send may have. Empty lines and lines \
            that begin with # are skipped.

              counter/a increment
              counter/a {"type":"add","amount":5}
              {"to":"order/o-1","event":{"type":"pay","amount":30},"dedup":"k-17"}

            The file is read as a whole first; '-' is standard input. If a line is broken its \
            number is told and nothing is sent, unless --skip-broken. Then events go out in \
            order, --chunk to a request, several requests under way. One that is refused doesn't \
            stop the others: its line and its error are told, and the exit code is that of the \
            first error. If a whole request fails, no more are sent, and what is known of each \
            line is told.

            With --atomic, a request is done wholly or not at all. A file is then one request, \
            unless --chunk says how many lines belong together.

            With "dedup" in its lines, or with --dedup KEY, which gives line N the key KEY-N, a \
            file can be sent again without being done twice.
            """)

    @Argument(help: "The file, or - for standard input.") var file: String
    @Flag(help: "Do each request wholly or not at all.") var atomic = false
    @Option(
        help: ArgumentHelp(
            "How many lines go into a request, 1 to 1000. (default: 100)",
            valueName: "n"))
    var chunk: Int?
    @Option(help: ArgumentHelp("Do each line once per key: KEY-1, KEY-2, …", valueName: "key"))
    var dedup: String?
    @Flag(help: "Leave broken lines out instead of sending nothing.") var skipBroken = false
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    /// Items of one request at most, as the server has it.
    static let itemsMax = 1_000
    /// Requests that may be under way.
    private static let windowMax = 8

    func validate() throws {
        if let chunk, !(1...Self.itemsMax).contains(chunk) {
            throw ValidationError("--chunk is a number from 1 to \(Self.itemsMax).")
        }
    }

    func run(with client: Client) async throws {
        let read = try LineSource(file).reader()
        var lines: [[UInt8]] = []
        while let line = try read() { lines.append(line) }
        let parsed = BatchFile(lines: lines, dedup: dedup)
        for broken in parsed.broken {
            Output.note("line \(broken.number): error: \(broken.reason)")
        }
        if !parsed.broken.isEmpty, !skipBroken {
            Output.note("nothing was sent; --skip-broken leaves such lines out")
            throw ExitCode(EX_DATAERR)
        }
        let greeting = try await client.connect()
        let chunks = try chunks(of: parsed.items, lineBytesMax: greeting.lineBytesMax ?? 1 << 20)
        var tally = BatchTally(all: parsed.items.count, format.noteStyle)
        try await send(chunks, with: client, &tally)
        tally.endProgress()
        if !format.json {
            try Output.line(tally.summary)
        } else {
            Output.note(tally.summary)
        }
        if let code = tally.firstCode { throw code }
        if !parsed.broken.isEmpty { throw ExitCode(EX_DATAERR) }
    }

    private func chunks(
        of items: [BatchFile.Item], lineBytesMax: Int
    ) throws -> [ArraySlice<BatchFile.Item>] {
        let count = chunk ?? (atomic ? Self.itemsMax : 100)
        // What stands around the items.
        let room = lineBytesMax - 100
        var chunks: [ArraySlice<BatchFile.Item>] = []
        var begin = 0
        var bytes = 0
        for (place, item) in items.enumerated() {
            let size = item.text.count + 1
            let isFull = place - begin == count
            if place > begin, isFull || bytes + size > room {
                guard !atomic || (isFull && chunk != nil) else {
                    throw ValidationError(
                        "One request takes \(count) lines and \(lineBytesMax) bytes: with "
                            + "--atomic, --chunk says how many lines belong together.")
                }
                chunks.append(items[begin..<place])
                begin = place
                bytes = 0
            }
            bytes += size
        }
        if begin < items.count { chunks.append(items[begin...]) }
        return chunks
    }

    private func send(
        _ chunks: [ArraySlice<BatchFile.Item>], with client: Client, _ tally: inout BatchTally
    ) async throws {
        var next = 0
        var waiting: [(chunk: ArraySlice<BatchFile.Item>, reply: PendingReply)] = []
        var isStopped = false
        while next < chunks.count || !waiting.isEmpty {
            while !isStopped, next < chunks.count, waiting.count < Self.windowMax {
                let items = chunks[next].map { BatchItem(text: $0.text) }
                waiting.append(
                    (chunks[next], client.submit(Request.batch(items, atomic: atomic))))
                next += 1
            }
            guard !waiting.isEmpty else { break }
            let (chunk, reply) = waiting.removeFirst()
            switch await outcome(of: reply) {
            case .success(let answer): try take(answer, of: chunk, &tally)
            case .failure(let error): isStopped = try fail(error, chunk, &tally) || isStopped
            }
            tally.showProgress()
        }
        let unsent = chunks[next...].reduce(0) { $0 + $1.count }
        if unsent > 0 { Output.note("\(unsent) lines were not sent") }
    }

    private func outcome(of pending: PendingReply) async -> Result<BatchReply, ClientError> {
        do throws(ClientError) {
            return .success(try BatchReply(try await pending.value))
        } catch {
            return .failure(error)
        }
    }

    private func take(
        _ answer: BatchReply, of chunk: ArraySlice<BatchFile.Item>, _ tally: inout BatchTally
    ) throws {
        for (item, result) in zip(chunk, answer.results) {
            switch result {
            case .success(let sent):
                tally.note(sent)
                if format.json { try Output.line(sent.reply.text) }
            case .failure(let error):
                tally.note(.server(error), lines: 1)
                tally.endProgress()
                Output.note("line \(item.number):")
                try report(.server(error))
            }
        }
    }

    /// A request failed as a whole.
    ///
    /// - Returns: Whether no more are to be sent.
    private func fail(
        _ error: ClientError, _ chunk: ArraySlice<BatchFile.Item>, _ tally: inout BatchTally
    ) throws -> Bool {
        tally.note(error, lines: chunk.count)
        tally.endProgress()
        let lines = "lines \(chunk.first?.number ?? 0) to \(chunk.last?.number ?? 0)"
        // One bad item of an atomic request says which it is, and the others go on.
        if case .server(let error) = error, let index = error.data?["index"]?.integer,
            chunk.indices.contains(chunk.startIndex + Int(index))
        {
            let number = chunk[chunk.startIndex + Int(index)].number
            Output.note("\(lines): nothing was done, because of line \(number):")
            try report(.server(error))
            return false
        }
        Output.note(error.isOutcomeUnknown ? "\(lines): outcome unknown:" : "\(lines): not done:")
        try report(error)
        return true
    }
}
