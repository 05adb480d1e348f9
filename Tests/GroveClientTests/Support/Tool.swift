import Dispatch
import Foundation
import GroveClient
import GroveTestSupport
import Synchronization

/// Runs the executable `grove` that was built together with the tests.
enum Tool {
    /// The output of a run, and its end.
    struct Outcome {
        let code: Int32
        let output: String
        let notes: String

        /// The lines of standard output.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The executable, in the folder of the test bundle.
    static let path: String = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
        let beside = URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appendingPathComponent("grove").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        return FileManager.default.currentDirectoryPath + "/.build/debug/grove"
    }()

    /// Runs a command to its end, with `server` in the environment.
    static func run(
        _ arguments: String..., server: ServerAddress? = nil, input: String = ""
    ) async throws -> Outcome {
        try await run(arguments, server: server, input: input)
    }

    /// Runs a command to its end, with `server` in the environment.
    static func run(
        _ arguments: [String], server: ServerAddress? = nil, input: String = "",
        environment: [String: String] = [:], in directory: String? = nil
    ) async throws -> Outcome {
        let process = try ToolProcess(
            arguments, server: server, environment: environment, in: directory)
        return await onOwnThread {
            process.write(input)
            process.endInput()
            return process.outcome()
        }
    }
}

/// A running `grove`. Killed when the test releases it.
final class ToolProcess: Sendable {
    private let process: Process
    private let standardInput = Pipe()
    private let standardOutput = Pipe()
    private let standardError = Pipe()

    /// Starts a command, with these variables besides those of the tests; in their directory, or
    /// in another one.
    init(
        _ arguments: [String], server: ServerAddress? = nil,
        environment added: [String: String] = [:], in directory: String? = nil
    ) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["GROVE_SERVER"] = server?.description
        environment.merge(added) { $1 }
        process.environment = environment
        if let directory {
            process.currentDirectoryURL = URL(filePath: directory, directoryHint: .isDirectory)
        }
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardError
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Writes to standard input.
    func write(_ text: String) {
        guard !text.isEmpty else { return }
        standardInput.fileHandleForWriting.write(Data(text.utf8))
    }

    /// Ends standard input, if it isn't ended already.
    func endInput() { try? standardInput.fileHandleForWriting.close() }

    /// Ends the reading of standard output, as a program that has read enough.
    func closeOutput() { try? standardOutput.fileHandleForReading.close() }

    /// Waits for the end; the exit code.
    func end() async -> Int32 {
        await onOwnThread {
            self.process.waitUntilExit()
            return self.process.terminationStatus
        }
    }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The next line of standard output; `nil` at its end.
    func line() -> String? { ToolProcess.line(standardOutput) }

    /// The next line of standard error; `nil` at its end.
    func note() -> String? { ToolProcess.line(standardError) }

    private static func line(_ pipe: Pipe) -> String? {
        var bytes = Data()
        // A pipe that can't be read has ended.
        while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), let first = byte.first {
            if first == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(first)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Reads everything and waits for the end.
    func outcome() -> Tool.Outcome {
        let group = DispatchGroup()
        let error = standardError.fileHandleForReading
        let collected = Collected()
        group.enter()
        Thread.detachNewThread {
            collected.set(error.readDataToEndOfFile())
            group.leave()
        }
        let output = standardOutput.fileHandleForReading.readDataToEndOfFile()
        group.wait()
        process.waitUntilExit()
        return Tool.Outcome(
            code: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            notes: String(decoding: collected.get(), as: UTF8.self))
    }
}

/// Bytes that one thread passes to another.
private final class Collected: Sendable {
    private let data = Mutex(Data())

    func set(_ data: Data) { self.data.withLock { $0 = data } }
    func get() -> Data { data.withLock { $0 } }
}
