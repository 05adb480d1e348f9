import Foundation
import GroveTestSupport
import Testing

@testable import GroveServer

@Suite("Gzip")
struct GzipTests {
    @Test(arguments: ["", "x", String(repeating: "a line of a file\n", count: 10_000)])
    func `gunzip gives the bytes back`(text: String) throws {
        let folder = try TemporaryFolder()
        let packed = Gzip.compress(Array(text.utf8))
        try Data(packed).write(to: URL(fileURLWithPath: folder.path("text.gz")))
        let outcome = try Command.run("gunzip", ["--stdout", folder.path("text.gz")])
        #expect(outcome.status == 0 && outcome.output == text)
        #expect(packed.count < text.utf8.count / 100 + 32)
    }

    @Test func `bytes without any order take hardly more`() {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(Gzip.compress(noise).count < 100_100)
    }
}
