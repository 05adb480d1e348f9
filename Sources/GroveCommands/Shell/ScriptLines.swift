import Glibc

/// The lines of a script on standard input, each with those that continue it.
///
/// Nothing after a line's end is read before the next call, so that a command that reads standard
/// input gets the lines after it, as in other shells.
struct ScriptLines {
    /// Why there is no next line, and the exit code.
    struct Unreadable: Error {
        let number: Int
        let reason: String
        let code: Int32
    }

    /// Why a line isn't complete.
    static let openLine = "a quote isn't closed, or a backslash ends the last line"

    private var number = 0

    /// The next line and its number; `nil` at the end.
    mutating func next() throws(Unreadable) -> (number: Int, line: ShellWords)? {
        guard var text = try nextLine() else { return nil }
        let first = number
        var line = ShellWords(text)
        while line.whole == nil {
            guard let more = try nextLine() else {
                throw problem(Self.openLine, first)
            }
            text += "\n" + more
            guard text.utf8.count <= ShellSession.lineBytesMax else { throw tooLong(first) }
            line = ShellWords(text)
        }
        return (first, line)
    }

    private mutating func nextLine() throws(Unreadable) -> String? {
        number += 1
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                let reason = String(cString: strerror(errno))
                throw Unreadable(number: number, reason: reason, code: EX_IOERR)
            }
            if count == 0, bytes.isEmpty { return nil }
            if count == 0 || byte == UInt8(ascii: "\n") { break }
            guard bytes.count < ShellSession.lineBytesMax else { throw tooLong(number) }
            bytes.append(byte)
        }
        guard let line = String(validating: bytes, as: UTF8.self) else {
            throw problem("it isn't UTF-8", number)
        }
        return line
    }

    private func tooLong(_ number: Int) -> Unreadable {
        problem("more than \(ShellSession.lineBytesMax) bytes; 'batch' takes long events", number)
    }

    private func problem(_ reason: String, _ number: Int) -> Unreadable {
        Unreadable(number: number, reason: reason, code: EX_USAGE)
    }
}
