import Glibc
import Synchronization

/// The signals of an interactive shell. They don't end it: each becomes a byte of a pipe, which the
/// prompt reads beside the keys.
enum ShellSignals {
    /// The byte of ``wake()``, which is no signal's number.
    static let wakeByte: UInt8 = 0

    private static let output = Atomic<Int32>(-1)
    private static let command = Atomic<pid_t>(0)
    private static let last = Atomic<Int32>(0)
    private static let interrupts = Atomic<Int>(0)
    private static let expected = Atomic<Int>(0)

    /// The signal that ends the shell, if one came.
    static var ending: Int32? {
        let number = last.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Catches the signals from now on; the pipe's end to read, or `nil` without room for one.
    static func begin() -> Int32? {
        guard let pipe = ShellPipe() else { return nil }
        pipe.neverWait()
        output.store(pipe.writing, ordering: .relaxed)
        // The handlers read these; so they exist before.
        _ = (command.load(ordering: .relaxed), last.load(ordering: .relaxed))
        expectLine()
        signal(SIGINT) { ShellSignals.interrupt($0) }
        signal(SIGWINCH) { ShellSignals.write(UInt8($0)) }
        for number in [SIGTERM, SIGHUP] { signal(number) { ShellSignals.end($0) } }
        // Nothing would continue a stopped command, and the keys of a stopped prompt would be lost.
        for number in [SIGTSTP, SIGTTIN, SIGTTOU, SIGQUIT] { signal(number, SIG_IGN) }
        return pipe.reading
    }

    /// Says that a line is read now: Ctrl-C from here to the start of its command is the command's.
    static func expectLine() {
        expected.store(interrupts.load(ordering: .relaxed), ordering: .relaxed)
    }

    /// The command that gets a signal which ends the shell, and one that came before it began; 0
    /// for none.
    static func forward(to process: pid_t) {
        command.store(process, ordering: .relaxed)
        let isLate = interrupts.load(ordering: .relaxed) != expected.load(ordering: .relaxed)
        if process > 0, isLate { kill(process, SIGINT) }
    }

    /// Ends the prompt's wait.
    static func wake() { write(wakeByte) }

    // Called by signal handlers: only what POSIX allows there.

    private static func write(_ byte: UInt8) {
        let before = errno
        var byte = byte
        _ = Glibc.write(output.load(ordering: .relaxed), &byte, 1)
        errno = before
    }

    private static func interrupt(_ number: Int32) {
        interrupts.wrappingAdd(1, ordering: .relaxed)
        write(UInt8(number))
    }

    private static func end(_ number: Int32) {
        last.store(number, ordering: .relaxed)
        let process = command.load(ordering: .relaxed)
        if process > 0 { kill(process, SIGTERM) }
        write(UInt8(number))
    }
}
