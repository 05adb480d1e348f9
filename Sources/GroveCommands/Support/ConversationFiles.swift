import ArgumentParser
import ChartSimulation
import Glibc
import OrderedJSON

/// Conversations as tests: files `NAME.conversation` or `NAME.WHAT.conversation` beside the
/// definition `NAME.json`.
struct ConversationFiles {
    private static let suffix = ".conversation"

    let format: FormatFlags
    /// Whether files are rewritten to what the charts show now.
    let updates: Bool
    private var passed = 0
    private var total = 0

    init(_ format: FormatFlags, updates: Bool) {
        self.format = format
        self.updates = updates
    }

    /// Runs all conversations of files and folders. Prints a line for each that differs, then
    /// `passed/total`.
    ///
    /// - Throws: `.refused` if one differs, `.noInput` and `.dataError` for files that can't be
    ///   used.
    mutating func run(_ paths: [String]) throws {
        for path in try paths.flatMap(conversations) { try run(conversation: path) }
        if format.json {
            let object: JSONObject = [
                "passed": .integer(Int64(passed)), "total": .integer(Int64(total)),
            ]
            try Output.line(JSONValue.object(object).serialized())
        } else {
            try Output.line("\(passed)/\(total)")
        }
        if passed < total { throw ExitCode.refused }
    }

    // MARK: Finding

    /// The conversations of a folder, of a definition, or the path itself.
    private func conversations(_ path: String) throws -> [String] {
        if path.hasSuffix(Self.suffix) { return [path] }
        let isFolder = FolderListing.isFolder(path)
        let folder = isFolder ? path : ChartFile.folder(of: path)
        var names = FolderListing.names(in: folder).filter { $0.hasSuffix(Self.suffix) }
        if !isFolder {
            guard access(path, F_OK) == 0 else {
                throw ExitCode.systemError(path, .noInput, format)
            }
            let stem = Self.stem(of: ChartFile.name(of: path))
            names = names.filter { Self.definition(of: $0, in: folder) == stem + ".json" }
        }
        guard !names.isEmpty else {
            let missing =
                isFolder ? "no file *\(Self.suffix)" : "no conversation beside this file"
            Output.note(
                format.noteStyle.safe("error: \(path): \(missing); make one with:")
                    + "\n  grove simulate NAME.json < SCRIPT > NAME\(Self.suffix)")
            format.showFailure(.noInput, "\(path): \(missing)")
            throw ExitCode.noInput
        }
        let prefix = folder == "." && !path.hasPrefix("./") && !isFolder ? "" : folder + "/"
        return names.map { prefix + $0 }
    }

    private static func stem(of name: String) -> String {
        name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    }

    /// The name of the definition of a conversation: that of the longest part of its name that is
    /// one. Nil if there is none.
    private static func definition(of conversation: String, in folder: String) -> String? {
        var stem = conversation.dropLast(suffix.count)
        while true {
            let name = "\(stem).json"
            if access("\(folder)/\(name)", F_OK) == 0 { return name }
            guard let dot = stem.lastIndex(of: ".") else { return nil }
            stem = stem[..<dot]
        }
    }

    // MARK: Running

    private mutating func run(conversation path: String) throws {
        total += 1
        let bytes = try InputFile.read(path, bytesMax: Self.bytesMax, format)
        let folder = ChartFile.folder(of: path)
        let text = String(decoding: bytes, as: UTF8.self)
        guard let name = Self.definition(of: ChartFile.name(of: path), in: folder) else {
            throw format.failure(.noInput, "\(path): no definition beside it")
        }
        let file = try ChartFile("\(folder)/\(name)", format)
        let conversation: Conversation
        do throws(Conversation.Fault) {
            conversation = try Conversation(text)
        } catch {
            return try report(path, error.line, error.message)
        }
        let outcome = conversation.run(Simulation(file.chart, machines: file.machines()))
        if let fault = outcome.fault { return try report(path, fault.line, fault.message) }
        guard outcome.text != text else {
            passed += 1
            return
        }
        if updates {
            try write(outcome.text, to: path)
            passed += 1
            return
        }
        // Blanks at the ends of lines needn't be as they would be written.
        guard let difference = outcome.difference else {
            passed += 1
            return
        }
        let shown = difference.shown?.dropFirst(2) ?? "nothing more"
        let expected = difference.expected?.dropFirst(2) ?? "nothing more"
        try report(path, difference.line, "\(shown) instead of \(expected)")
    }

    private func report(_ path: String, _ line: Int, _ problem: String) throws {
        if format.json {
            let object: JSONObject = [
                "file": .string(path), "line": .integer(Int64(line)),
                "problem": .string(problem),
            ]
            return try Output.line(JSONValue.object(object).serialized())
        }
        try Output.line(format.style.safe("\(path):\(line): \(problem)"))
    }

    /// Replaces the text of a file that exists, which keeps its owner and mode.
    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExitCode.systemError(path, .cannotCreate, format) }
        defer { close(descriptor) }
        let number = Output.write(Array(text.utf8), to: descriptor)
        guard number == 0 else {
            errno = number
            throw ExitCode.systemError(path, .inputOutput, format)
        }
        Output.note(format.noteStyle.safe("updated \(path)"))
    }
}
