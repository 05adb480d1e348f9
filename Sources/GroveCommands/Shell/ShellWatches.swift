import Dispatch
import Glibc
import Synchronization

/// The commands `watch … &` of a shell: their lines wait here until the prompt can show them.
///
/// A watch whose lines aren't taken is read no more, and the server then sends it no more: nothing
/// is dropped and nothing grows. A watch ends when nothing reads its output (``OutputReader``), so
/// also when the shell is killed.
final class ShellWatches: Sendable {
    private struct State {
        var lines: [String] = []
        var running: [pid_t] = []
        /// Readers that wait for room.
        var blocked = 0
    }

    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)

    /// Whether there is one.
    var isRunning: Bool { state.withLock { !$0.running.isEmpty } }

    /// Starts one; its number of processes is bounded.
    ///
    /// - Throws: A sentence that says why not.
    func start(_ arguments: [String]) throws(Refusal) {
        guard state.withLock({ $0.running.count }) < ShellWatches.runningMax else {
            throw Refusal("\(ShellWatches.runningMax) watches run already: 'unwatch' ends them")
        }
        guard let pipe = ShellPipe() else {
            throw Refusal("no room for a pipe: \(String(cString: strerror(errno)))")
        }
        let process: ShellProcess
        do throws(ShellProcess.Failure) {
            process = try ShellProcess.background(arguments, output: pipe.writing)
        } catch {
            close(pipe.reading)
            close(pipe.writing)
            throw Refusal("no process begins: \(String(cString: strerror(error.number)))")
        }
        close(pipe.writing)
        state.withLock { $0.running.append(process.id) }
        let input = pipe.reading
        DispatchQueue(label: "grove.shell.watch").async {
            self.read(input)
            close(input)
            // Before the number can be that of another process.
            self.state.withLock { $0.running.removeAll { $0 == process.id } }
            let code = process.wait()
            if code != 0, code != 128 + SIGTERM { self.add("the watch ended with code \(code)") }
        }
    }

    /// Why a watch doesn't begin.
    struct Refusal: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The lines since the last call.
    func take() -> [String] {
        let (lines, blocked) = state.withLock { state in
            defer { (state.lines, state.blocked) = ([], 0) }
            return (state.lines, state.blocked)
        }
        for _ in 0..<blocked { room.signal() }
        return lines
    }

    /// Ends all of them. Their last lines are still to be taken.
    func stop() {
        state.withLock { state in
            for process in state.running { kill(process, SIGTERM) }
        }
    }

    private func read(_ input: Int32) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                add(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
    }

    private func add(_ line: String) {
        let waits = state.withLock { state in
            state.lines.append(line)
            guard state.lines.count >= ShellWatches.linesMax else { return false }
            state.blocked += 1
            return true
        }
        ShellSignals.wake()
        if waits { room.wait() }
    }
}
