import ArgumentParser
import GroveClient

/// What a shell may put behind the words typed so far: names that a server knows.
enum NameCompletion {
    /// How long a person waits for a list of names.
    private static let patience = Duration.milliseconds(700)

    /// `MACHINE/INSTANCE`, for `to` arguments: machines first, then the instances of the one typed.
    static let instances = CompletionKind.custom { words, _, prefix async in
        await names(words) { client throws(ClientError) in
            guard let slash = prefix.firstIndex(of: "/") else {
                return try await client.definitions(timeout: patience).map { $0.name + "/" }
            }
            let filter = ListFilter(
                machine: String(prefix[..<slash]),
                prefix: String(prefix[prefix.index(after: slash)...]))
            return try await client.list(filter, limit: 100, timeout: patience).items.map(\.name)
        }
    }

    /// `MACHINE`.
    static let machines = CompletionKind.custom { words, _, _ async in
        await names(words) { client throws(ClientError) in
            try await client.definitions(timeout: patience).map(\.name)
        }
    }

    /// An event, for the instance that stands before it: the names that `describe` knows.
    static let events = CompletionKind.custom { words, _, _ async in
        await names(words) { client throws(ClientError) in
            let instance = words.dropFirst(2).first { $0.contains("/") && !$0.hasPrefix("-") }
            guard let machine = instance?.split(separator: "/").first else { return [] }
            let answer = try await client.describe(String(machine), timeout: patience)
            return answer.events
        }
    }

    /// A state of the machine that stands before it, or whose instance does: those that have names,
    /// and for `--until` that it is done.
    static let states = CompletionKind.custom { words, _, _ async in
        let done = words.contains { $0.hasPrefix("--until") } ? [AwaitCondition.done.text] : []
        return await done
            + names(words) { client throws(ClientError) in
                guard
                    let machine = words.dropFirst(2).first(where: { !$0.hasPrefix("-") })?
                        .split(separator: "/").first
                else { return [] }
                return try await client.describe(String(machine), timeout: patience).states
            }
    }

    /// Names from the server that the words typed so far, or the environment, lead to; none when
    /// it can't be asked.
    private static func names(
        _ words: [String], _ ask: (Client) async throws(ClientError) -> [String]
    ) async -> [String] {
        var server: ServerAddress?
        for (word, value) in zip(words, words.dropFirst()) where word == "--server" {
            server = ServerAddress(value)
        }
        for word in words where word.hasPrefix("--server=") {
            server = ServerAddress(String(word.dropFirst("--server=".count)))
        }
        // A completion has nobody to tell what went wrong.
        guard let address = try? server ?? ConnectionFlags.standardAddress() else { return [] }
        let client = Client(
            options: ClientOptions(
                server: address, connectTimeout: patience, requestTimeout: patience,
                name: "grove/\(ToolVersion.current)"))
        return ((try? await ask(client)) ?? []).filter(isName)
    }

    /// Whether a shell may have it: what isn't a name could be anything.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/._:@~+=,-".utf8.contains(byte)
                }
            }
    }
}
