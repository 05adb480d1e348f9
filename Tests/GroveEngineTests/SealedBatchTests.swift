import GroveEngine
import GroveTestSupport
import Testing

/// The two halves of a commit, for a store that doesn't return the outcome at once.
@Suite("SealedBatch")
struct SealedBatchTests {
    private func summaries(_ ready: Ready) -> [String] { ready.replies.map(\.reply.summary) }

    /// Seals an increment and a read, and settles them with an outcome, without a store.
    private func settled(
        _ harness: EngineHarness, as outcome: CommitOutcome
    ) throws -> [String] {
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        try harness.receive(.get(Get(to: harness.instance("counter/a"), at: nil)))
        let sealed = try harness.engine.seal(at: harness.now, store: harness.store)
        let ready = try harness.engine.settle(
            sealed, as: outcome, at: harness.now, store: harness.store)
        return summaries(ready)
    }

    @Test func `a durable batch releases its answers`() throws {
        let harness = try EngineHarness()
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        let sealed = try harness.engine.seal(at: harness.now, store: harness.store)
        let isEmpty = sealed.isEmpty
        let outcome = try sealed.commit(to: harness.store)
        #expect(!isEmpty && outcome == .durable && harness.store.head == 2)
        let ready = try harness.engine.settle(
            sealed, as: outcome, at: harness.now, store: harness.store)
        #expect(summaries(ready) == ["v1 changed"])
        #expect(try harness.get("counter/a") == #"v1 {"count":1}"#)
    }

    @Test func `a lost batch refuses its writes, and answers reads again`()
        throws
    {
        let harness = try EngineHarness()
        let absent = "noSuchInstance(counter/a)"
        #expect(try settled(harness, as: .full) == ["storageFull", absent])
        var isFull = harness.engine.isDiskFull
        #expect(isFull)
        let refused = try settled(harness, as: .refused("a state"))
        #expect(refused.first?.contains("refused as a whole: a state") == true)
        #expect(refused.last == absent)
        #expect(try harness.send("counter/a", #""increment""#) == "v1 changed")
        isFull = harness.engine.isDiskFull
        #expect(!isFull && harness.store.head == 2)
    }

    @Test func `a batch without writes needs no store`() throws {
        let store = FaultyStore()
        store.commitError = .inputOutput("nobody asked")
        let harness = try EngineHarness()
        try harness.receive(.get(Get(to: harness.instance("counter/a"), at: nil)))
        let sealed = try harness.engine.seal(at: harness.now, store: harness.store)
        let isEmpty = sealed.isEmpty
        let outcome = try sealed.commit(to: store)
        #expect(isEmpty && outcome == .durable)
        let ready = try harness.engine.settle(
            sealed, as: outcome, at: harness.now, store: harness.store)
        #expect(summaries(ready) == ["noSuchInstance(counter/a)"])
    }
}
