import Testing
import Transducers

extension TestTransducer {
    /// States that an effect with this id has started. Each start must be stated once, in any
    /// order; an effect that waits in a queue hasn't started.
    ///
    /// Scopes don't count: in a machine with parts, an effect of any part matches.
    public func expectEffect(
        id: some Hashable & Sendable, sourceLocation place: SourceLocation = #_sourceLocation
    ) {
        expectStart("an effect with the id \(id)", at: place) { $0.isCalled(id) }
    }

    /// States that an effect without an id has started.
    public func expectEffect(sourceLocation place: SourceLocation = #_sourceLocation) {
        expectStart("an effect without id", at: place) { $0.id == nil }
    }

    private func expectStart(
        _ name: String, at place: SourceLocation, where isExpected: (EffectKey) -> Bool
    ) {
        readLog()
        if let index = starts.firstIndex(where: { isExpected($0.key) }) {
            starts.remove(at: index)
            return
        }
        let rest = starts.isEmpty ? "No start of an effect is left to be stated." : list(starts)
        fail("Expected \(name) to have begun, and it hasn't.\n\(rest)", at: place)
    }

    /// States that an effect with this id was canceled, or replaced. This is optional: a canceled
    /// effect just isn't live any more.
    public nonisolated(nonsending) func expectCancelled(
        id: some Hashable & Sendable, sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        await waitUntilIdle(at: place)
        if let index = cancelled.firstIndex(where: { $0.key.isCalled(id) }) {
            cancelled.remove(at: index)
            return
        }
        fail("Expected an effect with the id \(id) to be cancelled, and none was.", at: place)
    }

    /// States that no effect runs, and that the start of each one was stated. Waits for effects
    /// that are about to end.
    public nonisolated(nonsending) func expectNoEffects(
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        await wait(at: place) { live.isEmpty }
        if !live.isEmpty {
            fail("Expected no effect to run.\n\(list(live))", at: place)
        }
        let ended = starts.filter { start in !live.contains { $0.id == start.id } }
        if !ended.isEmpty, exhaustivity == .on {
            fail("Expected no effect, and these have run.\n\(list(ended))", at: place)
        }
        starts.removeAll { start in ended.contains { $0.id == start.id } }
    }

    /// States that an effect failed, and that the machine got no event for it (`effectFailed`).
    ///
    /// - Parameters:
    ///   - isExpected: Whether it is the right failure.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func expectFailure(
        where isExpected: (EffectFailure) -> Bool = { _ in true },
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        await wait(at: place) { !failures.isEmpty }
        if let index = failures.firstIndex(where: isExpected) {
            failures.remove(at: index)
            return
        }
        let rest = failures.map { "\n    \($0)" }.joined()
        fail(
            "Expected an effect to have failed, and "
                + (rest.isEmpty ? "none has." : "others have failed.\(rest)"), at: place)
    }

    /// The effects that run, in the order of their starts.
    public var liveEffects: [EffectKey] {
        readLog()
        return live.map(\.key)
    }

    /// Skips the starts of effects so far, and lets the running effects be live at the end.
    public nonisolated(nonsending) func skipEffects(
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        await waitUntilIdle(at: place)
        starts = []
        live = []
    }
}

extension EffectKey {
    /// Whether the effect's own id, without scopes, is this one.
    func isCalled<ID: Hashable & Sendable>(_ id: ID) -> Bool { (self.id as? ID) == id }
}
