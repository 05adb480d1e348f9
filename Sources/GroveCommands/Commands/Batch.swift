import ArgumentParser
import GroveClient
import GroveEngine
import OrderedJSON

struct Batch: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the events of a file, many per request.",
        discussion: """
            Each line is one event: MACHINE/INSTANCE and the event as for 'grove send', or a JSON \
            object with "to", "event" and the other fields of a send. Empty lines and lines that \
            begin with # are skipped.

              counter/a increment
              counter/a {"type":"add","amount":5}
              {"to":"order/o-1","event":{"type":"pay","amount":30},"dedup":"k-17"}

            The whole file is read first; '-' is standard input. If lines are broken, their \
            numbers are printed and nothing is sent, unless --skip-broken. Then the events are \
            sent, --chunk per request; those of one instance keep the order of their lines. A \
            refused event doesn't stop the others: its line and error are printed, and the exit \
            code is that of the first error.

            With --atomic, a request is applied as a whole or not at all. The file is then one \
            request, or one request per --chunk lines.

            With "dedup" in the lines, or with --dedup KEY, which gives line N the key KEY-N, \
            nothing is applied twice: a request that lost its connection is sent again when the \
            server is back, for at most --timeout, and the whole file can be sent again. Without \
            keys a lost request isn't repeated, because it may have been applied. When a request \
            fails for good, no more are sent, and the lines that were not applied, not sent, or \
            have an unknown outcome are printed.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file()) var file: String
    @Flag(help: "Apply each request as a whole or not at all.") var atomic = false
    @Option(
        help: ArgumentHelp(
            "The number of lines per request, 1 to 1000. (default: 100)",
            valueName: "n"))
    var chunk: Int?
    @Option(help: ArgumentHelp("Apply each line once per key: KEY-1, KEY-2, …", valueName: "key"))
    var dedup: String?
    @Flag(help: "Skip broken lines instead of sending nothing.") var skipBroken = false
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if let chunk, !(1...Limits.batchItemsMax).contains(chunk) {
            throw ValidationError("--chunk is a number from 1 to \(Limits.batchItemsMax).")
        }
    }

    func run(with client: Client) async throws {
        let read = try LineSource(file, format).reader()
        var lines: [[UInt8]] = []
        while let line = try read() { lines.append(line) }
        let parsed = BatchFile(lines: lines, dedup: dedup)
        for broken in parsed.broken {
            let reason = format.noteStyle.safe(broken.reason)
            Output.note("line \(broken.number): error: \(reason)")
        }
        if !parsed.broken.isEmpty, !skipBroken {
            Output.note("nothing was sent; --skip-broken leaves such lines out")
            format.showFailure(
                .dataError, "\(counted(parsed.broken.count, "line")) broken; nothing was sent",
                lines: parsed.broken.map { (line: $0.number, reason: $0.reason) })
            throw ExitCode.dataError
        }
        // An absent server is an error at once; one that goes away later is waited for.
        let greeting = try await client.connect()
        await client.close()
        let chunks = try chunks(of: parsed.items, lineBytesMax: greeting.lineBytesMax ?? 1 << 20)
        var options = try connection.clientOptions()
        options.retry = RetryPolicy(makesKeys: false)
        var tally = BatchTally(all: parsed.items.count, format.noteStyle)
        try await send(chunks, with: Client(options: options), &tally)
        tally.progress.finish()
        if format.json { Output.note(tally.summary) } else { try Output.line(tally.summary) }
        if let code = tally.firstCode { throw code }
        if !parsed.broken.isEmpty { throw ExitCode.dataError }
    }

    private func chunks(
        of items: [BatchFile.Item], lineBytesMax: Int
    ) throws(ValidationError) -> [BatchChunk] {
        let count = chunk ?? (atomic ? Limits.batchItemsMax : 100)
        // The line has some bytes besides the items.
        let chunks = BatchChunk.cut(items, lines: count, bytes: lineBytesMax - 100, whole: atomic)
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
            case .success(let answer): try report(answer, of: chunk, &tally)
            case .failure(let error):
                if try fail(error, chunk, &tally) { failures.add(error, chunk) }
            }
            tally.showProgress()
        }
        tally.progress.finish()
        for group in failures.groups { report(group) }
        if let first = rest.first?.items.first, let last = rest.last?.items.last {
            let unsent = BatchChunk(items: [first, last])
            Output.note("\(unsent.name): not sent")
        }
    }

    private func report(
        _ answer: BatchReply, of chunk: BatchChunk, _ tally: inout BatchTally
    ) throws {
        for (item, result) in zip(chunk.items, answer.results) {
            switch result {
            case .success(let sent):
                tally.add(sent)
                if format.json { try Output.line(sent.reply.text) }
            case .failure(let error):
                tally.add(.server(error), lines: 1)
                tally.progress.finish()
                Output.note("line \(item.number):")
                try report(.server(error))
            }
        }
    }

    /// Counts a request that failed as a whole.
    ///
    /// - Returns: Whether no more requests may be sent.
    private func fail(
        _ error: ClientError, _ chunk: BatchChunk, _ tally: inout BatchTally
    ) throws -> Bool {
        tally.add(error, lines: chunk.items.count)
        // One line of JSON per line of the file, as for lines with a result.
        if format.json { for _ in chunk.items { try Output.line(Failures.json(error)) } }
        // The error of an atomic request names the item; other requests continue.
        if case .server(let error) = error, let index = error.data?["index"]?.integer, index >= 0,
            let item = chunk.items.dropFirst(Int(index)).first
        {
            tally.progress.finish()
            Output.note("\(chunk.name): nothing was done, because of line \(item.number):")
            Output.note(Failures.text(.server(error), format.noteStyle))
            return false
        }
        return true
    }

    /// Prints the requests that failed as a whole.
    private func report(_ group: BatchFailures.Group) {
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
