import CConsole
import GroveHTTP
import GroveWire

/// The files of the console, which are part of the binary.
enum ConsoleFiles {
    /// The files by their paths: the page at `/`, the others below a folder that is named after
    /// their contents, so that browsers may keep them for ever.
    static let assets: HTTPAssets = {
        let files = read()
        var hash: UInt64 = 0
        for file in files {
            hash = hash &* 31 &+ file.bytes.withUnsafeBytes { ByteHash.of($0) }
        }
        let folder = "/assets/\(String(hash, radix: 16))/"
        var assets = HTTPAssets()
        for file in files {
            if file.name == "index.html" {
                let page = String(decoding: file.bytes, as: UTF8.self)
                let bytes = Array(page.replacing("assets/hash/", with: folder.dropFirst()).utf8)
                assets[Array("/".utf8)] = asset(file.name, bytes)
            } else {
                assets[Array((folder + file.name).utf8)] = asset(file.name, file.bytes)
            }
        }
        return assets
    }()

    /// The files as they are written, but scripts without the comments between their lines.
    static func read() -> [(name: String, bytes: [UInt8])] {
        var count = 0
        guard let files = console_files(&count) else { return [] }
        return UnsafeBufferPointer(start: files, count: count).map { file in
            let name = String(cString: file.name)
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
            return (name, name.hasSuffix(".js") ? withoutComments(bytes) : Array(bytes))
        }
    }

    /// A script without the lines that are comments. Each such line begins with `//`, `/**` or,
    /// within a comment of several lines, ` *`, after blanks; no other line of our scripts does.
    private static func withoutComments(_ script: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(script.count)
        for line in script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let isComment = ["//", "/**", "* ", "*/"].contains { text.starts(with: $0.utf8) }
            if isComment || text.isEmpty { continue }
            kept += line
            kept.append(UInt8(ascii: "\n"))
        }
        return kept
    }

    private static func asset(_ name: String, _ bytes: [UInt8]) -> HTTPAssets.Asset {
        HTTPAssets.Asset(type: type(of: name), bytes: bytes, packed: Gzip.compress(bytes))
    }

    private static func type(of name: String) -> StaticString {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
