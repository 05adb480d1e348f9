import Foundation
import GroveClient
import GroveTestSupport

/// A `grove shell` at a terminal that `script` (Debian's bsdutils) makes, with simulated typing.
final class TypedShell {
    private let process = Process()
    private let keys = Pipe()
    private let screen = Pipe()
    /// Everything that the terminal got, until a waiting test has seen it.
    private var unseen: [UInt8] = []
    /// What came before the first prompt.
    private(set) var greeting = ""

    /// Starts one for a server and waits for its prompt.
    init(
        _ arguments: [String] = [], server: ServerAddress, state: String,
        environment: [String: String] = [:]
    ) throws {
        let words = ([Tool.path, "shell"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        process.executableURL = URL(filePath: "/usr/bin/script")
        // Another shell between them would die of the Ctrl-C that is for this one.
        process.arguments = ["-qec", "exec " + words, "/dev/null"]
        process.environment = [
            "TERM": "xterm", "PATH": "/usr/bin:/bin", "GROVE_SERVER": server.description,
            "XDG_STATE_HOME": state, "HOME": state,
        ]
        .merging(environment) { $1 }
        process.standardInput = keys
        process.standardOutput = screen
        process.standardError = FileHandle.nullDevice
        try process.run()
        greeting = try wait(for: "grove \(server)> ")
    }

    // Its end hangs up the terminal, which ends the shell.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The process of the shell itself, which `script` became the parent of.
    var shell: pid_t { get throws { try TypedShell.child(of: process.processIdentifier) } }

    /// The only child of a process.
    static func child(of process: pid_t) throws -> pid_t {
        let path = "/proc/\(process)/task"
        let children = try FileManager.default.contentsOfDirectory(atPath: path)
            .flatMap { thread in
                try String(contentsOfFile: "\(path)/\(thread)/children", encoding: .utf8)
                    .split(separator: " ")
            }
        guard children.count == 1, let child = children.first.flatMap({ pid_t($0) }) else {
            throw TestProblem("process \(process) has the children \(children)")
        }
        return child
    }

    /// Waits until a process has ended, also when nobody has asked for its exit code.
    static func waitForEnd(of process: pid_t) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        // The state follows the name in brackets.
        while let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            !text.contains(") Z ")
        {
            guard .now < deadline else { throw TestProblem("process \(process) still runs") }
            usleep(10_000)
        }
    }

    /// Types keys.
    func type(_ text: String) throws {
        try keys.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Waits until the terminal shows a text, and forgets everything up to its end.
    ///
    /// - Returns: What came before the text.
    @discardableResult
    func wait(for text: String) throws -> String {
        let wanted = Array(text.utf8)
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            if let range = unseen.firstRange(of: wanted) {
                defer { unseen.removeSubrange(..<range.upperBound) }
                return String(decoding: unseen[..<range.lowerBound], as: UTF8.self)
            }
            guard let bytes = next(deadline) else {
                let shown = String(decoding: unseen, as: UTF8.self)
                throw TestProblem("the terminal never showed \(text): \(shown)")
            }
            unseen += bytes
        }
    }

    /// Waits until the shell edits lines itself, which is right after it has shown its prompt.
    /// Before that the terminal would show a line before anybody has read it, and Ctrl-C would
    /// take it back.
    func waitForEditing() throws {
        let terminal = open("/proc/\(try shell)/fd/0", O_RDONLY | O_NOCTTY)
        guard terminal >= 0 else { throw TestProblem("the shell has no terminal") }
        defer { close(terminal) }
        let deadline = ContinuousClock.now + .seconds(30)
        var modes = termios()
        while tcgetattr(terminal, &modes) != 0 || modes.c_lflag & tcflag_t(ICANON) != 0 {
            guard .now < deadline else { throw TestProblem("the shell edits no lines") }
            usleep(1_000)
        }
    }

    /// Waits for its end; its exit code.
    func end() throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(30)
        while let bytes = next(deadline) { unseen += bytes }
        while process.isRunning {
            guard .now < deadline else {
                let shown = String(decoding: unseen, as: UTF8.self)
                throw TestProblem("the shell doesn't end; the terminal shows: \(shown)")
            }
            usleep(10_000)
        }
        return process.terminationStatus
    }

    /// What comes next to the terminal; `nil` at its end, or at the deadline.
    private func next(_ deadline: ContinuousClock.Instant) -> [UInt8]? {
        let descriptor = screen.fileHandleForReading.fileDescriptor
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let left = (deadline - .now) / .milliseconds(1)
        guard poll(&wait, 1, Int32(max(0, left))) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
