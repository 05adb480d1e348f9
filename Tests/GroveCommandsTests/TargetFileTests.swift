import ArgumentParser
import Foundation
import GroveTestSupport
import Testing

@testable import GroveCommands

@Suite("TargetFile")
struct TargetFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("backup.db") }

    init() throws { folder = try TemporaryFolder() }

    private func content() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    /// Returns a link call that fails, as on a file system without links.
    private static func noLink(_ number: Int32) -> TargetFile.Link {
        { _, _ in
            errno = number
            return -1
        }
    }

    private func write(_ text: String, _ link: TargetFile.Link?, replaces: Bool = false) throws {
        let file =
            if let link { try TargetFile(path, replaces: replaces, link: link) } else {
                try TargetFile(path, replaces: replaces)
            }
        try file.write(Array(text.utf8))
        #expect(try names.contains("backup.db.part"))
        try file.finish()
    }

    @Test func `appears under its name when it is whole, mode 0600`() throws {
        try write("whole", nil)
        #expect(try content() == "whole" && names == ["backup.db"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(throws: ExitCode(73)) { try write("again", nil) }
        try write("forced", nil, replaces: true)
        #expect(try content() == "forced" && names == ["backup.db"])
    }

    @Test(arguments: [EPERM, EOPNOTSUPP, ENOSYS, EXDEV])
    func `a file system without hard links does as well`(number: Int32) throws {
        try write("whole", Self.noLink(number))
        #expect(try content() == "whole" && names == ["backup.db"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(throws: ExitCode(73)) { try write("again", Self.noLink(number)) }
        #expect(try content() == "whole")
    }

    @Test(arguments: [nil, EPERM])
    func `a name that is used meanwhile stays`(number: Int32?) throws {
        let file =
            if let number { try TargetFile(path, replaces: false, link: Self.noLink(number)) } else
            {
                try TargetFile(path, replaces: false)
            }
        try file.write(Array("mine".utf8))
        try Data("somebody else's".utf8).write(to: URL(filePath: path))
        #expect(throws: ExitCode(73)) { try file.finish() }
        #expect(try content() == "somebody else's")
        file.abandon()
        #expect(try names == ["backup.db"])
    }

    @Test func `another failure is reported, and no file has the name`() throws {
        #expect(throws: ExitCode(73)) { try write("x", Self.noLink(EROFS)) }
        #expect(try names.isEmpty)
    }

    @Test func `a pipe of its name is refused, and nobody waits for its reader`() throws {
        mkfifo(path + ".part", 0o600)
        #expect(throws: ExitCode(73)) { try TargetFile(path, replaces: true) }
        let reader = open(path + ".part", O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(throws: ExitCode(73)) { try TargetFile(path, replaces: true) }
        #expect(try names == ["backup.db.part"])
    }

    @Test func `two can't write one file`() throws {
        let first = try TargetFile(path, replaces: false)
        #expect(throws: ExitCode(73)) { try TargetFile(path, replaces: false) }
        try first.write(Array("first".utf8))
        try first.finish()
        #expect(try content() == "first")
    }
}
