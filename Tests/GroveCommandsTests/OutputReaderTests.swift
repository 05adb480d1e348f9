import Glibc
import Testing

@testable import GroveCommands

@Suite("What reads an output", .timeLimit(.minutes(1)))
struct OutputReaderTests {
    @Test(arguments: [false, true])
    func `its end is noticed while nothing is written`(isSocket: Bool) async {
        var ends: [Int32] = [-1, -1]
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #expect((isSocket ? socketpair(AF_UNIX, stream, 0, &ends) : pipe(&ends)) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        let (gone, note) = AsyncStream.makeStream(of: Bool.self)
        OutputReader.whenGone(ends[1]) {
            note.yield(true)
            note.finish()
        }
        close(ends[0])
        #expect(await gone.first { $0 } == true)
    }

    @Test func `a file has none`() {
        let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        OutputReader.whenGone(file) { Issue.record("nothing reads a file") }
    }
}
