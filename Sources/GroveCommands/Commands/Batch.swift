import ArgumentParser
import GroveClient
import GroveEngine
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
            number is told and nothing is sent, unless --skip-broken. Then events go out, --chunk \
            to a request, those of one instance in the order of their lines. One that is refused \
            doesn't stop the others: its line and its error are told, and the exit code is that \
            of the first error.

            With --atomic, a request is done wholly or not at all. A file is then one request, \
            unless --chunk says how many lines belong together.

            With "dedup" in its lines, or with --dedup KEY, which gives line N the key KEY-N, \
            nothing is done twice: a request that lost its connection is sent again as soon as \
            the server is back, for as long as --timeout, and the whole file can be sent again. \
            Without keys a lost request isn't repeated, because it may have been done. If a \
            request fails for good, no more are sent, and it is told which lines were not done, \
            which weren't sent, and of which nobody knows.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file()) var file: String
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

    func validate() throws {
        if let chunk, !(1...Limits.batchItemsMax).contains(chunk) {
            throw ValidationError("--chunk is a number from 1 to \(Limits.batchItemsMax).")
        }
    }

    func run(with client: Client) async throws {
        let read = try LineSource(file).reader()
        var lines: [[UInt8]] = []
        while let line = try read() { lines.append(line) }
        let parsed = BatchFile(lines: lines, dedup: dedup)
        for broken in parsed.broken {
            let reason = format.noteStyle.safe(broken.reason)
            Output.note("line \(broken.number): error: \(reason)")
        }
        if !parsed.broken.isEmpty, !skipBroken {
            Output.note("nothing was sent; --skip-broken leaves such lines out")
            throw ExitCode(EX_DATAERR)
        }
        // Whether a server is there at all is told at once; one that goes away is waited for.
        let greeting = try await client.connect()
        await client.close()
        let chunks = try chunks(of: parsed.items, lineBytesMax: greeting.lineBytesMax ?? 1 << 20)
        var options = try connection.clientOptions()
        options.retry = RetryPolicy(makesKeys: false)
        var tally = BatchTally(all: parsed.items.count, format.noteStyle)
        try await send(chunks, with: Client(options: options), &tally)
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
    ) throws(ValidationError) -> [BatchChunk] {
        let count = chunk ?? (atomic ? Limits.batchItemsMax : 100)
        // What stands around the items takes some room.
        let chunks = BatchChunk.cut(
            items, lines: count, bytes: lineBytesMax - 100, whole: atomic)
        let isOneFile = atomic && chunk == nil
        guard let chunks, !isOneFile || chunks.count < 2 else {
            throw ValidationError(
                "One request takes \(count) lines and \(lineBytesMax) bytes: with --atomic, "
                    + "--chunk says how many lines belong together.")
        }
        return chunks
    }

    private func send(
        _ chunks: [BatchChunk], with client: Client, _ tally: inout BatchTally
    ) async throws {
        var rest = chunks[...]
        var window = BatchWindow()
        var failures = BatchFailures()
        while true {
            while failures.groups.isEmpty, let next = rest.first, window.hasRoom(for: next) {
                window.add(next, client.submit(next.request(atomic: atomic)))
                rest.removeFirst()
            }
            guard let (chunk, outcome) = await window.next() else { break }
            switch outcome {
            case .success(let answer): try take(answer, of: chunk, &tally)
            case .failure(let error):
                if try fail(error, chunk, &tally) { failures.add(error, chunk) }
            }
            tally.showProgress()
        }
        tally.endProgress()
        for group in failures.groups { tell(group) }
        if let first = rest.first?.items.first, let last = rest.last?.items.last {
            let unsent = BatchChunk(items: [first, last])
            Output.note("\(unsent.name): not sent")
        }
    }

    private func take(
        _ answer: BatchReply, of chunk: BatchChunk, _ tally: inout BatchTally
    ) throws {
        for (item, result) in zip(chunk.items, answer.results) {
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
        _ error: ClientError, _ chunk: BatchChunk, _ tally: inout BatchTally
    ) throws -> Bool {
        tally.note(error, lines: chunk.items.count)
        // One line of JSON for each of the file's, as for those that have a result.
        if format.json { for _ in chunk.items { try Output.line(Failures.json(error)) } }
        // One bad item of an atomic request says which it is, and the others go on.
        if case .server(let error) = error, let index = error.data?["index"]?.integer, index >= 0,
            let item = chunk.items.dropFirst(Int(index)).first
        {
            tally.endProgress()
            Output.note("\(chunk.name): nothing was done, because of line \(item.number):")
            Output.note(Failures.text(.server(error), format.noteStyle))
            return false
        }
        return true
    }

    /// Tells people what became of requests that failed as a whole.
    private func tell(_ group: BatchFailures.Group) {
        let isUnknown = group.error.isOutcomeUnknown
        Output.note("\(group.name): \(isUnknown ? "outcome unknown" : "not done"):")
        Output.note(Failures.text(group.error, format.noteStyle))
        if isUnknown {
            Output.note(
                group.hasKeys
                    ? "these lines have keys: send the same file again, and nothing is done twice"
                    : "these lines have no keys: they were done together, or none of them; look "
                        + "with 'grove get' before you send any of them again")
        }
    }
}
