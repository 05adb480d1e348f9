import Foundation
import Testing

/// One file of the repository.
struct SourceFile: Sendable, CustomTestStringConvertible {
    /// Its path from the repository's root, with forward slashes.
    let path: String
    /// Its text.
    let text: String
    /// Its lines, without their ends.
    let lines: [Substring]
    /// The text as Swift, for Swift files; read once, because many rules use it.
    let swift: SwiftText

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        swift = SwiftText(path.hasSuffix(".swift") ? text : "")
    }

    /// The last part of its path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    var testDescription: String { path }
}

/// Something that a rule found.
struct Problem: Equatable, CustomStringConvertible {
    let path: String
    /// From 1; 0 stands for the whole file.
    let line: Int
    let message: String

    var description: String { line == 0 ? "\(path): \(message)" : "\(path):\(line): \(message)" }
}

/// The repository this file stands in.
enum SourceTree {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The Swift files of all targets, in the order of their paths.
    static let swift = files(under: ["Sources", "Tests"], named: { $0.hasSuffix(".swift") })

    /// The Markdown files of the repository, in the order of their paths.
    static let markdown =
        files(under: ["docs"], named: { $0.hasSuffix(".md") })
        + ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].compactMap(file(at:))

    /// One file by its path; `nil` where there is none.
    static func file(at path: String) -> SourceFile? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
        else {
            // Absence is an answer here; each rule says itself what it makes of it.
            return nil
        }
        return SourceFile(path: path, text: text)
    }

    /// Whether there is a file or folder of that path.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// All files below `folders` whose names fit, hidden ones and build folders left out.
    static func files(under folders: [String], named fits: (String) -> Bool) -> [SourceFile] {
        var paths: [String] = []
        for folder in folders {
            let below = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            while let path = below?.nextObject() as? String {
                let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
                if !isHidden && fits(path) { paths.append("\(folder)/\(path)") }
            }
        }
        return paths.sorted().compactMap(file(at:))
    }
}
