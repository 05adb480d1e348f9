import Testing

@testable import GroveHTTP

@Suite("RequestCorpus")
struct RequestCorpusTests {
    private static func verdicts(
        _ entry: RequestCorpus.Entry, pieceLength: (Int) -> Int
    ) -> [RequestVerdict] {
        RequestVerdict.all(
            of: entry.bytes, bodyBytesMax: RequestCorpus.bodyBytesMax, pieceLength: pieceLength)
    }

    @Test func `every file can be read, and no two are alike`() throws {
        let entries = try RequestCorpus.load()
        #expect(entries.count >= 300)
        #expect(Set(entries.map(\.bytes)).count == entries.count)
    }

    @Test func `every status of the parser is there`() {
        let statuses = RequestCorpus.entries.flatMap(\.verdicts).compactMap { verdict in
            if case .refused(let status) = verdict { status } else { nil }
        }
        #expect(Set(statuses) == [400, 413, 414, 417, 431, 501, 505])
    }

    @Test(arguments: RequestCorpus.entries)
    func `a request has the verdict beside it`(entry: RequestCorpus.Entry) {
        #expect(Self.verdicts(entry) { _ in entry.bytes.count } == entry.verdicts)
    }

    @Test(arguments: RequestCorpus.entries)
    func `single bytes have the same verdict`(entry: RequestCorpus.Entry) {
        #expect(Self.verdicts(entry) { _ in 1 } == entry.verdicts)
    }

    /// Of long files, every byte near the ends, and some of the repeated ones between.
    @Test(arguments: RequestCorpus.entries)
    func `a request that is cut anywhere has the same verdict`(entry: RequestCorpus.Entry) {
        let count = entry.bytes.count
        for cut in 1..<max(count, 2) where cut < 500 || cut > count - 100 || cut % 97 == 0 {
            let verdicts = Self.verdicts(entry) { $0 < cut ? cut : count }
            guard verdicts == entry.verdicts else {
                Issue.record("\(entry.name), cut at \(cut): \(verdicts), not \(entry.verdicts)")
                return
            }
        }
    }
}
