import Foundation
import Glibc
import GroveTestSupport
import Testing

/// A core file would have secrets, keys and the data of all clients.
@Suite("Core files", .timeLimit(.minutes(1)))
struct CoreFileTests {
    @Test func `a server that crashes leaves no core file, whatever its limit was`() throws {
        let folder = try TemporaryFolder()
        let script = folder.path("start")
        let text = """
            #!/bin/sh
            cd '\(folder.url.path)'
            ulimit -c unlimited || ulimit -S -c "$(ulimit -H -c)"
            exec '\(try GroveBinary.find().path)' "$@"

            """
        try Data(text.utf8).write(to: URL(filePath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let server = try ServerProcess(data: ":memory:", binary: URL(filePath: script))
        let limits = try String(
            contentsOfFile: "/proc/\(server.processID)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core") })
        // Soft and hard: of one byte no file is made, and no program gets it. Where it was 0 for
        // good, only root can change that.
        let words = line.split(separator: " ")
        let allowed = geteuid() == 0 ? ["1"] : ["0", "1"]
        #expect(words[4...5].allSatisfy { allowed.contains(String($0)) }, "\(line)")
        #expect(server.stop(SIGSEGV) != 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.allSatisfy { !$0.hasPrefix("core") }, "\(files)")
    }
}
