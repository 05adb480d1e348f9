import Glibc

/// The keys of an interactive shell, and what happens beside them.
struct ShellInput: Sendable {
    /// What the prompt waited for.
    enum Event: Equatable {
        case character(Unicode.Scalar)
        /// No more keys.
        case end
        case signal(Int32)
        /// There may be lines of a watch.
        case wake
    }

    /// The reading end of ``ShellSignals``.
    let signals: Int32

    /// Waits for the next event; signals come before keys.
    func next() -> Event {
        while true {
            var waits = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return .end
            }
            if waits[0].revents != 0, let byte = ShellInput.byte(of: signals) {
                return byte == ShellSignals.wakeByte ? .wake : .signal(Int32(byte))
            }
            if waits[1].revents != 0 { return key() }
        }
    }

    /// Forgets signals that came while a command ran, which got them too.
    func forgetSignals() {
        while ShellInput.byte(of: signals) != nil {}
    }

    /// The next character. One that isn't UTF-8 is the character for unreadable ones.
    private func key() -> Event {
        guard let first = ShellInput.byte(of: STDIN_FILENO) else { return .end }
        let count =
            switch first {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        var bytes = [first]
        while bytes.count < count, let byte = ShellInput.byte(of: STDIN_FILENO) {
            bytes.append(byte)
        }
        return .character(String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}")
    }

    private static func byte(of descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}
