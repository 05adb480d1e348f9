import Testing

@testable import GroveAccess

@Suite("AuditEntry")
struct AuditEntryTests {
    private func entry(_ number: Int64, after hash: [UInt8]) -> AuditEntry {
        AuditEntry(
            number: number, after: hash, time: 1_000 * number, by: "owner", from: "unix",
            changes: ["+ principal shop", "    + grant read \"a\"/*"])
    }

    @Test func `each entry is linked to the one before`() {
        let first = entry(1, after: AuditEntry.noHash)
        let second = entry(2, after: first.hash)
        #expect(first.isLinked(to: AuditEntry.noHash))
        #expect(second.isLinked(to: first.hash))
        #expect(!second.isLinked(to: AuditEntry.noHash))
        #expect(first.hash.count == 32)
    }

    @Test func `a stored entry is read as it was`() {
        let first = entry(1, after: AuditEntry.noHash)
        #expect(AuditEntry(body: first.body, hash: first.hash) == first)
        #expect(AuditEntry(body: first.body, hash: []) == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"n":1,"time":2,"by":"a","from":"b"}"#,
        #"{"n":1,"time":2,"by":"a","from":"b","changes":[1]}"#,
        #"{"n":1,"time":2,"by":"a","from":"b","changes":{}}"#,
        #"{"n":1, "time":2,"by":"a","from":"b","changes":[]}"#,
        #"{"time":2,"n":1,"by":"a","from":"b","changes":[]}"#,
    ])
    func `other bytes are no entry`(text: String) {
        #expect(AuditEntry(body: Array(text.utf8), hash: AuditEntry.noHash) == nil)
    }
}
