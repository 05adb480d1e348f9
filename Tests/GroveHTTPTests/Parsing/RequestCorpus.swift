import Foundation
import Testing

/// The requests in `Corpus`, each a text file with its verdicts beside it:
///
///     # Why, if the name doesn't say it.
///     = POST /path?query the body
///     = 400
///
///     POST /path?query HTTP/1.1\r\n
///     …
///
/// A verdict is a method, a target and the body; or a status; or `unfinished`. After the empty line
/// come the bytes. The ends of the file's lines mean nothing; `\r`, `\n`, `\t`, `\0`, `\\` and
/// `\xHH` stand for bytes, and `\{TEXT*COUNT}` for a text that is repeated.
enum RequestCorpus {
    struct Entry: Sendable, CustomTestStringConvertible {
        /// The folder and the name of the file.
        let name: String
        let bytes: [UInt8]
        let verdicts: [RequestVerdict]

        var testDescription: String { name }
    }

    /// Bytes of the longest body in the corpus.
    static let bodyBytesMax = 100

    /// All requests, in the order of their names. Files that can't be read are reported by a test.
    static let entries = (try? load()) ?? []

    static func load() throws -> [Entry] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Corpus").resolvingSymlinksInPath()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try paths.filter { $0.hasSuffix(".txt") }.sorted().map { path in
            let text = try String(
                contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            return try entry(String(path.dropLast(".txt".count)), text)
        }
    }

    private static func entry(_ name: String, _ text: String) throws -> Entry {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var verdicts: [RequestVerdict] = []
        while let line = lines.popFirst(), !line.isEmpty {
            if line.hasPrefix("= ") {
                verdicts.append(try verdict(line.dropFirst(2)))
            } else if !line.hasPrefix("# ") {
                throw Malformed(text: "\(name): \(line)")
            }
        }
        return Entry(name: name, bytes: try bytes(lines.joined()), verdicts: verdicts)
    }

    private static func verdict(_ text: Substring) throws -> RequestVerdict {
        if text == "unfinished" { return .unfinished }
        if let status = Int(text) { return .refused(status) }
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { throw Malformed(text: String(text)) }
        return .accepted(
            method: String(parts[0]), target: String(decoding: try bytes(parts[1]), as: UTF8.self),
            body: try bytes(parts.count > 2 ? parts[2] : ""))
    }

    /// The bytes that a text stands for.
    private static func bytes(_ text: some StringProtocol) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(text)
        while let character = rest.popFirst() {
            guard character == "\\" else {
                bytes += String(character).utf8
                continue
            }
            switch rest.popFirst() {
            case "r": bytes.append(0x0D)
            case "n": bytes.append(0x0A)
            case "t": bytes.append(0x09)
            case "0": bytes.append(0x00)
            case "\\": bytes.append(UInt8(ascii: "\\"))
            case "x":
                guard let byte = UInt8(rest.prefix(2), radix: 16) else {
                    throw Malformed(text: String(text))
                }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            case "{":
                let parts = rest.prefix { $0 != "}" }.split(separator: "*")
                guard parts.count == 2, let count = Int(parts[1]) else {
                    throw Malformed(text: String(text))
                }
                bytes += String(repeating: String(parts[0]), count: count).utf8
                rest = rest.drop { $0 != "}" }.dropFirst()
            default: throw Malformed(text: String(text))
            }
        }
        return bytes
    }

    struct Malformed: Error { let text: String }
}
