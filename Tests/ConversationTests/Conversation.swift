import Foundation
import GroveTestSupport
import GroveWire

/// A conversation as it stands in a golden file.
///
/// `> …` is a line of the client, `< …` a line it gets, `= …` what else it sees (the end of the
/// connection), `! …` something that happens, `# …` a word to the reader. With several clients
/// each has a letter: `a> …`, `a< …`, `a= …`. Lines of clients that follow each other without
/// anything between are sent before anything is committed.
struct Conversation {
    /// One line of a client.
    struct Line: Equatable {
        var client: String
        var bytes: [UInt8]
    }

    /// The entries in their order.
    enum Step: Equatable {
        case prose(String)
        case lines([Line])
        case directive([String])
    }

    let name: String
    let text: String
    private(set) var steps: [Step] = []

    init(name: String, text: String) throws {
        self.name = name
        self.text = text
        // By bytes: a line over HTTP ends with a carriage return, which is one character with the
        // newline.
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            try read(String(Substring(line)))
        }
    }

    private mutating func read(_ line: String) throws {
        if line.isEmpty || line.hasPrefix("#") {
            steps.append(.prose(line))
        } else if line.hasPrefix("! ") {
            steps.append(.directive(line.dropFirst(2).split(separator: " ").map(String.init)))
        } else {
            let bytes = Array(line.utf8)
            let isNamed = bytes.count > 1 && (97...122).contains(bytes[0])
            let client = isNamed ? String(line.prefix(1)) : ""
            let rest = line.dropFirst(client.count)
            if rest.hasPrefix("> ") {
                add(Line(client: client, bytes: Array(rest.dropFirst(2).utf8) + [10]))
            } else if rest.hasPrefix("< ") || rest.hasPrefix("= ") {
                // What is expected; it also ends what is sent together.
                isAnswered = true
                return
            } else {
                throw TestProblem("\(name): what is this line? \(line)")
            }
        }
        isAnswered = false
    }

    private var isAnswered = false

    private mutating func add(_ line: Line) {
        if !isAnswered, case .lines(let lines) = steps.last {
            steps[steps.count - 1] = .lines(lines + [line])
        } else {
            steps.append(.lines([line]))
        }
    }
}

/// The golden files.
enum GoldenFolder {
    private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    /// The names of all files, such as `ops/send`, sorted.
    static func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
    }

    /// The end of the message of `UNKNOWN_OP`, and its form in the files: a new op changes none of
    /// them, and the server must still list exactly the ops there are.
    private static let knownOps =
        "known ops are " + Op.allCases.map(\.rawValue).joined(separator: ", ")
    private static let placeholder = "known ops are {ops}"

    static func read(_ name: String) throws -> Conversation {
        let file = url.appendingPathComponent("\(name).txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        return try Conversation(
            name: name, text: text.replacingOccurrences(of: placeholder, with: knownOps))
    }

    static func write(_ text: String, to name: String) throws {
        let file = url.appendingPathComponent("\(name).txt")
        try text.replacingOccurrences(of: knownOps, with: placeholder)
            .write(to: file, atomically: true, encoding: .utf8)
    }

    /// Whether the files are to be rewritten.
    static var isUpdating: Bool { ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" }
}
