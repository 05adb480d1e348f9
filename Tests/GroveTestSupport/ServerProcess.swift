import Foundation
import Glibc

/// A separate `grove serve` process, on a port that the system chooses.
public final class ServerProcess {
    /// The port it listens on.
    public let port: UInt16
    /// Its process id.
    public let processID: pid_t
    private let process: Process
    private let errorFile: URL

    /// Starts a server on a data file and waits until it listens.
    ///
    /// - Throws: ``TestProblem`` with the server's messages if it ended or wrote nothing in 30 s.
    public init(
        data: String, binary: URL? = nil, arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        process = Process()
        process.executableURL = try binary ?? GroveBinary.find()
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--data", data] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        errorFile = FileManager.default.temporaryDirectory
            .appendingPathComponent("grove-stderr-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        processID = process.processIdentifier
        port = try ServerProcess.readPort(
            output.fileHandleForReading.fileDescriptor, process: process, errors: errorFile)
    }

    deinit {
        if process.isRunning { kill() }
        // A log file that remains harms no test.
        try? FileManager.default.removeItem(at: errorFile)
    }

    /// The server's standard error so far; empty if there is no file.
    public var log: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// Ends it with SIGKILL and waits for its end.
    public func kill() {
        Glibc.kill(processID, SIGKILL)
        process.waitUntilExit()
    }

    /// Sends a signal, waits for the end and returns the exit status.
    public func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        Glibc.kill(processID, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits for the end and returns the exit status.
    public func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Whether the process is still running.
    public var isRunning: Bool { process.isRunning }

    /// Reads the line `listening HOST:PORT …` that the server writes when it is ready.
    private static func readPort(
        _ descriptor: Int32, process: Process, errors: URL
    ) throws -> UInt16 {
        var line: [UInt8] = []
        let deadline = ContinuousClock.now + .seconds(30)
        while !line.contains(UInt8(ascii: "\n")) {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = Glibc.poll(&poll, 1, 100)
            if ready == 1 {
                var byte: UInt8 = 0
                guard read(descriptor, &byte, 1) == 1 else { break }
                line.append(byte)
            } else if ContinuousClock.now > deadline {
                break
            }
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, words[0] == "listening",
            let port = words[1].split(separator: ":").last
                .flatMap({ UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
        else {
            // If the log can't be read, the failure is reported without it.
            let log = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw TestProblem(
                "the server did not say `listening`: \(String(decoding: line, as: UTF8.self))\(log)"
            )
        }
        return port
    }
}

/// Runs commands.
public enum Command {
    /// The result of a command.
    public struct Outcome: Sendable {
        /// The exit status.
        public let status: Int32
        /// Standard output, followed by standard error.
        public let output: String
    }

    /// Runs a program with arguments and waits for its end.
    ///
    /// - Parameter input: Its standard input, less than the 64 KiB of a pipe.
    public static func run(
        _ program: String, _ arguments: [String], input: String? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let inputPipe = Pipe()
        process.standardInput = input == nil ? FileHandle.nullDevice : inputPipe
        if let input { inputPipe.fileHandleForWriting.write(Data(input.utf8)) }
        try inputPipe.fileHandleForWriting.close()
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }
}
