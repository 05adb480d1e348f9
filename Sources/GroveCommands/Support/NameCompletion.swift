import ArgumentParser
import GroveClient

/// Completes words in a shell with names from a server.
enum NameCompletion {
    /// The longest time for a list of names: a person waits for it.
    private static let patience = Duration.milliseconds(700)

    /// `MACHINE/INSTANCE`: machines first, then the instances of the machine that was typed.
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

    static let machines = CompletionKind.custom { words, _, _ async in
        await names(words) { client throws(ClientError) in
            try await client.definitions(timeout: patience).map(\.name)
        }
    }

    /// An event for the instance before it: the names in the reply to `describe`.
    static let events = CompletionKind.custom { words, _, _ async in
        await names(words) { client throws(ClientError) in
            let instance = words.dropFirst(2).first { $0.contains("/") && !$0.hasPrefix("-") }
            guard let machine = instance?.split(separator: "/").first else { return [] }
            let answer = try await client.describe(String(machine), timeout: patience)
            return answer.events
        }
    }

    /// A state of the machine or instance before it, if the machine's states have names; `--until`
    /// also has `done`.
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

    /// Names from the server of `--server`, or of the environment; none when it doesn't answer.
    private static func names(
        _ words: [String], _ ask: (Client) async throws(ClientError) -> [String]
    ) async -> [String] {
        // A completion can't report errors.
        guard let options = try? clientOptions(words) else { return [] }
        let client = Client(options: options)
        return ((try? await ask(client)) ?? []).filter(isName)
    }

    /// The options of a client for the server that the words name, else of the environment.
    private static func clientOptions(_ words: [String]) throws -> ClientOptions {
        var arguments: [String] = []
        let names = [
            "--server", "--token-file", "--tls-ca", "--tls-pin", "--tls-certificate", "--tls-key",
        ]
        for name in names {
            guard let value = value(of: name, in: words) else { continue }
            arguments += [name, value]
        }
        var options = try ConnectionFlags.parse(arguments).clientOptions()
        options.connectTimeout = patience
        options.requestTimeout = patience
        return options
    }

    /// The last value of an option, whose words may be incomplete.
    private static func value(of name: String, in words: [String]) -> String? {
        var value: String?
        for (index, word) in words.enumerated() {
            if word == name, index + 1 < words.count {
                value = words[index + 1]
            } else if word.hasPrefix(name + "=") {
                value = String(word.dropFirst(name.count + 1))
            }
        }
        return value
    }

    /// Whether the text is safe in a shell: other texts could run commands.
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
