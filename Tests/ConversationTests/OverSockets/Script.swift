import Foundation

/// A golden file as what happens in turn, with what must come back: the other reading of
/// ``Conversation``, for servers whose clock can't be set.
struct Script {
    enum Step {
        /// A client sends lines together.
        case send(Conversation.Line)
        case directive([String])
        /// A client gets a line.
        case expect(client: String, line: String)
        /// A client's connection is closed by the server.
        case end(client: String)
    }

    private(set) var steps: [Step] = []

    /// Reads a file.
    init(_ conversation: Conversation) {
        for line in conversation.text.utf8.split(separator: 10).map(Substring.init)
        where !line.hasPrefix("#") {
            if line.hasPrefix("! ") {
                steps.append(
                    .directive(line.dropFirst(2).split(separator: " ").map(String.init)))
                continue
            }
            let client = line.first?.isLetter == true ? String(line.prefix(1)) : ""
            let rest = line.dropFirst(client.count)
            let text = String(rest.dropFirst(2))
            switch rest.first {
            case ">": send(Array(text.utf8) + [10], client)
            case "<": steps.append(.expect(client: client, line: text))
            default: steps.append(.end(client: client))
            }
        }
    }

    private mutating func send(_ bytes: [UInt8], _ client: String) {
        if case .send(var line) = steps.last, line.client == client {
            line.bytes += bytes
            steps[steps.count - 1] = .send(line)
        } else {
            steps.append(.send(Conversation.Line(client: client, bytes: bytes)))
        }
    }

    /// Directives that need a clock that can be set, a handler that is played, or housekeeping
    /// that is done at a word.
    static let unplayable: Set<String> = [
        "data", "tick", "advance", "handler", "deaf", "copy", "disk forgets", "disk forgets-done",
        "disk forgets-machine", "set-aside",
    ]

    /// The first step that can't be played over sockets; the end where all can be.
    ///
    /// - Parameter isOwner: Whether every client is the server's owner, so that none can play
    ///   another one.
    func end(isOwner: Bool = false) -> Int {
        steps.firstIndex { step in
            guard case .directive(let words) = step else { return false }
            return (isOwner && words[0] == "owner") || Self.unplayable.contains(words[0])
                || Self.unplayable.contains(words.prefix(2).joined(separator: " "))
        } ?? steps.count
    }
}
