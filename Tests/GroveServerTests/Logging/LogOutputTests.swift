import Glibc
import Testing

@testable import GroveServer

@Suite("LogOutput", .timeLimit(.minutes(1)))
struct LogOutputTests {
    private func pipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        let status = Glibc.pipe(&ends)
        precondition(status == 0, "no pipe: errno \(errno)")
        return (ends[0], ends[1])
    }

    /// Reads the available bytes without waiting.
    private func read(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 0) == 1 else { break }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `lines without room are dropped, counted and reported`() throws {
        let (reader, writer) = pipe()
        defer { [reader, writer].forEach { close($0) } }
        let output = LogOutput(descriptor: writer)
        let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
        func write() { output.write(line) { Array("\($0) dropped\n".utf8) } }
        for _ in 0..<1_000 { write() }
        let kept = read(reader).split(separator: "\n")
        #expect(!kept.isEmpty && kept.count < 1_000)
        #expect(kept.allSatisfy { $0.count == 999 })
        write()
        write()
        let later = read(reader).split(separator: "\n").map(String.init)
        let text = String(repeating: "x", count: 999)
        #expect(later == ["\(1_000 - kept.count) dropped", text, text])
    }

    @Test func `a closed descriptor does no harm`() {
        let (reader, writer) = pipe()
        close(reader)
        SignalWatch.ignoreFatal()
        let output = LogOutput(descriptor: writer)
        output.write([10]) { _ in [10] }
        close(writer)
        output.write([10]) { _ in [10] }
    }
}
