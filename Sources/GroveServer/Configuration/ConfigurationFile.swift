import Glibc
import OrderedJSON

/// Reads configuration files strictly: an unknown key is an error.
///
/// A file is one JSON object. Each member is a key with its value, or with an object that has the
/// value as `value` and may explain it with ``explanations``.
struct ConfigurationFile {
    /// The members that an object may have besides its value.
    static let explanations: Set<String> = ["default", "origin", "reload", "unit", "reason"]

    /// The file's valid settings.
    private(set) var settings: [ConfigurationSetting] = []
    /// The errors of the file.
    private(set) var problems: [ConfigurationProblem] = []

    private let name: String
    private var document = JSONDocument()
    private var newlines: [Int] = []

    /// Reads the file at `path`.
    init(path: String) {
        self.init(name: path) { () throws(ConfigurationProblem) in try Self.bytes(path) }
    }

    /// Reads the bytes of a file; `name` is for messages.
    init(_ bytes: [UInt8], name: String) { self.init(name: name) { bytes } }

    private init(name: String, _ bytes: () throws(ConfigurationProblem) -> [UInt8]) {
        self.name = name
        do throws(ConfigurationProblem) {
            try parse(try bytes())
        } catch {
            problems.append(error)
        }
    }

    private mutating func parse(_ bytes: [UInt8]) throws(ConfigurationProblem) {
        newlines = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
        do {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw ConfigurationProblem(
                "this is no JSON: \(error.message)\(Self.hint(error, in: bytes))",
                place(error.offset))
        }
        guard document.kind(document.root) == .object else {
            throw ConfigurationProblem(
                "a configuration is an object, with keys for members", place(0))
        }
        for (nameNode, node) in document.members(of: document.root) {
            let line = line(document.range(nameNode).lowerBound)
            let name = document.string(nameNode) ?? ""
            do throws(ConfigurationProblem) {
                let key = try ConfigurationKey.known(name, at: "\(self.name), line \(line)")
                settings.append(
                    ConfigurationSetting(
                        key: key.name, value: try value(node, of: key),
                        origin: .file(self.name, line: line)))
            } catch {
                problems.append(error)
            }
        }
    }

    /// The way out for a number such as 0660; empty for other errors.
    private static func hint(_ error: JSONError, in bytes: [UInt8]) -> String {
        let zero = UInt8(ascii: "0")
        guard error.reason == .invalidNumber, error.offset > 0, bytes[error.offset - 1] == zero
        else { return "" }
        let digits = bytes[(error.offset - 1)...].prefix { $0 &- zero < 10 }
        guard digits.count > 1 else { return "" }
        return "; a number doesn't begin with 0: a mode is a text in quotes, "
            + "\"\(String(decoding: digits, as: UTF8.self))\""
    }

    /// The line of the byte at `offset`, from 1.
    private func line(_ offset: Int) -> Int {
        newlines.prefix { $0 < offset }.count + 1
    }

    private func place(_ offset: Int) -> String { "\(name), line \(line(offset))" }

    private func value(
        _ node: JSONDocument.Node, of key: ConfigurationKey
    ) throws(ConfigurationProblem) -> JSONValue {
        guard document.kind(node) == .object else {
            return try plain(node, as: key.name, of: key)
        }
        for (nameNode, _) in document.members(of: node) {
            let member = document.string(nameNode) ?? ""
            if member == "value" || Self.explanations.contains(member) { continue }
            let known = ["value"] + Self.explanations.sorted()
            throw ConfigurationProblem(
                key: key.name,
                "its object may have \(known.joined(separator: ", ")), not \(member)",
                place(document.range(nameNode).lowerBound))
        }
        guard let value = document.member("value", of: node) else {
            throw ConfigurationProblem(
                key: key.name, "its object has no value", place(document.range(node).lowerBound))
        }
        return try plain(value, as: "value", of: key)
    }

    /// Reads a value without explanations; `member` is its name in the file.
    private func plain(
        _ node: JSONDocument.Node, as member: String, of key: ConfigurationKey
    ) throws(ConfigurationProblem) -> JSONValue {
        var value = document.value(node)
        // One text is a list of one.
        if key.kind == .texts, value.string != nil { value = [value] }
        if key.kind.allows(value) { return value }
        let text = document.text(node)
        if [.integer, .double].contains(document.kind(node)),
            let meant = key.kind.text(meantBy: String(decoding: text, as: UTF8.self))
        {
            throw ConfigurationProblem(
                key: key.name, "must be in quotes: \"\(member)\": \"\(meant)\"",
                place(document.range(node).lowerBound))
        }
        let shown =
            text.count > Self.shownBytesMax
            ? String(decoding: text.prefix(Self.shownBytesMax), as: UTF8.self) + "…"
            : String(decoding: text, as: UTF8.self)
        throw key.problem(value: shown, at: place(document.range(node).lowerBound))
    }

    private static func bytes(_ path: String) throws(ConfigurationProblem) -> [UInt8] {
        func problem() -> ConfigurationProblem {
            ConfigurationProblem("\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw problem() }
        defer { close(fd) }
        var (status, system) = (stat(), statvfs())
        guard fstat(fd, &status) == 0, fstatvfs(fd, &system) == 0 else { throw problem() }
        // Of what was opened, so that nobody can exchange it in between. A device, such as
        // /dev/null, isn't changed by those who write to it, and what is mounted to be read only
        // by nobody: some systems show such files of a host as open to all.
        let isFixed =
            status.st_mode & S_IFMT == S_IFCHR || system.f_flag & UInt(ST_RDONLY) != 0
        if status.st_mode & S_IWOTH != 0, !isFixed {
            throw ConfigurationProblem(
                "\(path): every user can change this file; allow it to its owner only (chmod o-w)")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= bytesMax {
            let count = Glibc.read(fd, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else { throw problem() }
            bytes += buffer[..<count]
        }
        throw ConfigurationProblem("\(path) has more than \(bytesMax) bytes")
    }
}
