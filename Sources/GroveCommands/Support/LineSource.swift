import ArgumentParser
import Glibc

/// Lines of a file or of standard input that can be read more than once: a file is opened again,
/// standard input is kept in memory.
final class LineSource {
    private let path: String
    private let format: FormatFlags
    private var kept: [[UInt8]]?

    /// The lines of a path; `-` is standard input. Errors are also shown as `format` says.
    init(_ path: String, _ format: FormatFlags) {
        self.path = path
        self.format = format
    }

    /// A function that returns the next line without its newline; `nil` at the end.
    ///
    /// - Throws: `.noInput` when there is no such file; the function, `.inputOutput` when the file
    ///   can't be read.
    func reader() throws -> () throws -> [UInt8]? {
        guard path == "-" else {
            guard let file = fopen(path, "r") else {
                throw ExitCode.systemError(path, .noInput, format)
            }
            return OpenFile(file, path, format).next
        }
        if kept == nil {
            let open = try OpenFile.standardInput(format)
            var lines: [[UInt8]] = []
            while let line = try open.next() { lines.append(line) }
            kept = lines
        }
        var rest = (kept ?? [])[...]
        return { rest.popFirst() }
    }

    /// A function that returns the next line of standard input without its newline, when it is
    /// there; `nil` at the end. Nothing is kept.
    ///
    /// - Throws: `.inputOutput`, as the function.
    static func standardInput() throws -> () throws -> [UInt8]? {
        try OpenFile.standardInput(nil).next
    }

    private final class OpenFile {
        private let file: UnsafeMutablePointer<FILE>
        private let name: String
        private let format: FormatFlags?
        private var buffer: UnsafeMutablePointer<CChar>?
        private var capacity = 0

        init(_ file: UnsafeMutablePointer<FILE>, _ name: String, _ format: FormatFlags?) {
            self.file = file
            self.name = name
            self.format = format
        }

        static func standardInput(_ format: FormatFlags?) throws -> OpenFile {
            let name = "standard input"
            guard let file = fdopen(dup(STDIN_FILENO), "r") else {
                throw ExitCode.systemError(name, .inputOutput, format)
            }
            return OpenFile(file, name, format)
        }

        deinit {
            free(buffer)
            fclose(file)
        }

        func next() throws -> [UInt8]? {
            let count = getline(&buffer, &capacity, file)
            guard count >= 0, let buffer else {
                if ferror(file) != 0 { throw ExitCode.systemError(name, .inputOutput, format) }
                return nil
            }
            var line = UnsafeRawBufferPointer(start: buffer, count: count).map { $0 }
            if line.last == 0x0A { line.removeLast() }
            return line
        }
    }
}
