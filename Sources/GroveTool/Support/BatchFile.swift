import ArgumentParser
import OrderedJSON

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The events of a file: each line one, or the reason why it is none.
struct BatchFile {
    /// An event and the number of its line, from 1.
    struct Item {
        let number: Int
        /// The fields of a send as one JSON object without newlines.
        let text: [UInt8]
    }

    private(set) var items: [Item] = []
    private(set) var broken: [(number: Int, reason: String)] = []

    /// Reads lines, without their newlines.
    ///
    /// - Parameter dedup: What every line's key begins with; lines that have one of their own
    ///   keep it.
    init(lines: [[UInt8]], dedup: String? = nil) {
        for (place, line) in lines.enumerated() {
            let number = place + 1
            let text = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard let first = text.first, first != UInt8(ascii: "#"), text != [0x0D] else {
                continue
            }
            let key = dedup.map { "\($0)-\(number)" }
            do throws(ValidationError) {
                let item =
                    first == UInt8(ascii: "{")
                    ? try Self.object(Array(text), key) : try Self.words(text, key)
                items.append(Item(number: number, text: item))
            } catch {
                broken.append((number, error.message))
            }
        }
    }

    /// A line that is the fields of a send.
    private static func object(
        _ line: [UInt8], _ key: String?
    ) throws(ValidationError) -> [UInt8] {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: line)
        } catch {
            throw ValidationError("it is no valid JSON: \(error)")
        }
        for name in ["to", "event"] as [StaticString]
        where document.member(name, of: document.root) == nil {
            throw ValidationError("it has no \"\(name)\"")
        }
        var text = document.text(document.root).map { $0 < 0x20 ? 0x20 : $0 }
        if let key, document.member("dedup", of: document.root) == nil {
            text.removeLast()
            text += Array(",\"dedup\":".utf8) + JSONValue.string(key).serialized() + [0x7D]
        }
        return text
    }

    /// A line of an instance's name, white space, and an event.
    private static func words(
        _ line: ArraySlice<UInt8>, _ key: String?
    ) throws(ValidationError) -> [UInt8] {
        guard let line = String(validating: line, as: UTF8.self) else {
            throw ValidationError("it is no UTF-8")
        }
        guard let end = line.firstIndex(where: \.isWhitespace) else {
            throw ValidationError("it has an instance and no event")
        }
        let name = String(line[..<end])
        guard name.contains("/") else {
            throw ValidationError("it doesn't begin with MACHINE/INSTANCE")
        }
        var event = line[end...].drop(while: \.isWhitespace)
        while event.last?.isWhitespace == true { event.removeLast() }
        var writer = JSONWriter()
        writer.literal("{\"to\":")
        writer.string(name)
        writer.literal(",\"event\":")
        writer.raw(try EventText(String(event)).bytes)
        if let key {
            writer.literal(",\"dedup\":")
            writer.string(key)
        }
        writer.literal("}")
        return writer.bytes
    }

    /// The lines of a file, or of standard input for `-`.
    ///
    /// - Throws: `EX_NOINPUT` when it can't be read, after saying so.
    static func read(_ path: String) throws(ExitCode) -> [[UInt8]] {
        let fd = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw unreadable(path) }
        defer { if fd != STDIN_FILENO { close(fd) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = piece.withUnsafeMutableBytes {
                #if canImport(Glibc)
                    Glibc.read(fd, $0.baseAddress, $0.count)
                #else
                    Darwin.read(fd, $0.baseAddress, $0.count)
                #endif
            }
            if count > 0 {
                bytes += piece[..<count]
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw unreadable(path)
            }
        }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func unreadable(_ path: String) -> ExitCode {
        Output.note("error: \(path) can't be read: \(String(cString: strerror(errno)))")
        return ExitCode(EX_NOINPUT)
    }
}
