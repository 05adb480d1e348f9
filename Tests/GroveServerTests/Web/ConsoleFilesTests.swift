import Foundation
import GroveTestSupport
import Testing

@testable import GroveHTTP
@testable import GroveServer

@Suite("Files of the console")
struct ConsoleFilesTests {
    /// The folder of the files.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/CConsole/web")

    private func asset(_ path: Substring) throws -> HTTPAssets.Asset {
        try #require(ConsoleFiles.assets[Array(path.utf8)], "\(path)")
    }

    @Test func `the binary has each file as it is written, scripts without comments`() throws {
        let embedded = Dictionary(
            uniqueKeysWithValues: ConsoleFiles.read().map { ($0.name, $0.bytes) })
        let written = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(embedded.keys.sorted() == written.sorted())
        for name in written {
            let file = Self.folder.appendingPathComponent(name).resolvingSymlinksInPath()
            let bytes = Array(try Data(contentsOf: file))
            guard name.hasSuffix(".js") else {
                #expect(embedded[name] == bytes, "\(name)")
                continue
            }
            let script = String(decoding: bytes, as: UTF8.self)
                .replacing(/(?m)^ *\/\*\*(?:[^*]|\*[^\/])*\*\/\n/, with: "")
                .replacing(/(?m)^ *\/\/.*\n/, with: "").replacing(/\n{2,}/, with: "\n")
            let text = String(decoding: try #require(embedded[name]), as: UTF8.self)
            #expect(text.drop { $0 == "\n" } == script.drop { $0 == "\n" }, "\(name)")
        }
    }

    @Test func `what the page names is there, below a folder named after all contents`() throws {
        let page = String(decoding: try asset("/").bytes, as: UTF8.self)
        let names = page.matches(of: /(?:href|src)="(assets\/[^"]+)"/).map(\.output.1)
        #expect(names.count > 5)
        #expect(Set(names.map { $0.split(separator: "/")[1] }).count == 1)
        for name in names { _ = try asset("/" + name) }
    }

    @Test func `a script imports files that are beside it`() throws {
        let files = ConsoleFiles.read()
        let names = Set(files.map(\.name))
        for file in files where file.name.hasSuffix(".js") && file.name != "grove.js" {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for match in text.matches(of: /(?:from |import\()'\.\/([^']+)'/) {
                #expect(names.contains(String(match.output.1)), "\(file.name)")
            }
        }
    }

    @Test func `all files are small enough to be read over a slow line`() {
        let files = ConsoleFiles.read()
        #expect(files.reduce(0) { $0 + $1.bytes.count } <= 150_000)
        #expect(files.reduce(0) { $0 + Gzip.compress($1.bytes).count } <= 50_000)
    }
}
