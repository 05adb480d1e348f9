import Testing
import Transducers

extension TestTransducer where Machine.Event: Equatable {
    /// States the next event from an effect or a step, and how it changes the state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: Changes the state before into the state after; without it, nothing may change.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func receive(
        _ event: Machine.Event, _ change: ((inout Machine.State) throws -> Void)? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let wanted = Wanted(event, difference: { self.difference(event, $0) })
        await receive(wanted, change, at: place)
    }

    /// States that the next event is refused, by a ``Transducers/Rejection``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - reason: The rejection's reason; `nil` for any.
    ///   - accepts: The rejection's list of accepted events; `nil` for any.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func receiveRejected(
        _ event: Machine.Event, reason: String? = nil, accepts: [String]? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let wanted = Wanted(event, difference: { self.difference(event, $0) })
        guard let next = await next(wanted, at: place) else { return }
        let name = ValueText.all(next.event)
        checkRefusal(next.result, of: name, at: place) {
            check($0, of: name, reason: reason, accepts: accepts, at: place)
        }
    }
}

extension TestTransducer {
    /// The event that `receive` waits for.
    struct Wanted {
        let name: String
        let includes: (Machine.Event) -> Bool
        /// The difference of another event.
        let difference: (Machine.Event) -> String?

        init(_ event: Machine.Event, difference: @escaping (Machine.Event) -> String?)
        where Machine.Event: Equatable {
            self.name = ValueText.all(event)
            self.includes = { $0 == event }
            self.difference = difference
        }

        init(_ name: String, includes: @escaping (Machine.Event) -> Bool) {
            self.name = name
            self.includes = includes
            self.difference = { _ in nil }
        }
    }

    /// States that a predicate holds for the next event, and how it changes the state.
    ///
    /// - Parameters:
    ///   - isExpected: Whether it is the right event.
    ///   - change: Changes the state before into the state after; without it, nothing may change.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func receive(
        where isExpected: @escaping (Machine.Event) -> Bool,
        _ change: ((inout Machine.State) throws -> Void)? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let wanted = Wanted("an event for which the predicate holds", includes: isExpected)
        await receive(wanted, change, at: place)
    }

    /// Drops the received events that aren't stated yet, with their outputs. ``state`` becomes the
    /// one after them.
    public nonisolated(nonsending) func skipReceivedEvents(
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        await waitUntilIdle(at: place)
        // Keeps the outputs of events that were stated.
        let kept = outputs
        skipHappenings(through: happenings.count)
        outputs = kept
    }

    private nonisolated(nonsending) func receive(
        _ wanted: Wanted, _ change: ((inout Machine.State) throws -> Void)?,
        at place: SourceLocation
    ) async {
        guard let next = await next(wanted, at: place) else { return }
        let name = ValueText.all(next.event)
        check(next.result, change, of: "receiving", "received", name, at: place)
    }

    /// Waits for the next event and removes it, if it is the right one. A wrong one is reported
    /// and removed too, so that the test can continue with the one after it.
    private nonisolated(nonsending) func next(
        _ wanted: Wanted, at place: SourceLocation
    ) async -> Happening? {
        if exhaustivity == .off {
            await wait(at: place) { happenings.contains { wanted.includes($0.event) } }
            if let index = happenings.firstIndex(where: { wanted.includes($0.event) }) {
                skipHappenings(through: index)
                return happenings.removeFirst()
            }
        } else {
            await wait(at: place) { !happenings.isEmpty }
        }
        guard let next = happenings.first else {
            reportNothing(insteadOf: wanted.name, at: place)
            return nil
        }
        guard wanted.includes(next.event) else {
            reportAnother(next.event, insteadOf: wanted, at: place)
            // Without exhaustivity the next statement skips it anyway.
            if exhaustivity == .on { skipHappenings(through: 1) }
            return nil
        }
        return happenings.removeFirst()
    }

    /// Removes events as if they had been stated.
    func skipHappenings(through count: Int) {
        for happening in happenings.prefix(count) {
            guard case .applied(let after, let output) = happening.result else { continue }
            state = after
            keep(output)
        }
        happenings.removeFirst(count)
    }

    private func reportNothing(insteadOf name: String, at place: SourceLocation) {
        var lines = ["Expected to receive \(quote(name)), and nothing was received."]
        if let endError { lines.append("The machine's run has ended: \(text(of: endError))") }
        if isBusy { lines.append("The machine awaits an action, which hasn't ended.") }
        if live.isEmpty {
            if !isBusy { lines.append("No effect is live that could send an event.") }
        } else {
            lines.append("Live for longer than \(timeout):\n\(list(live))")
            if let deadline = clock.nextDeadline {
                let left = clock.now.duration(to: deadline)
                lines.append(
                    "By the virtual clock, the next sleep ends in \(left): advance(by:) to it.")
            }
        }
        fail(lines.joined(separator: "\n"), at: place)
    }

    private func reportAnother(
        _ event: Machine.Event, insteadOf wanted: Wanted, at place: SourceLocation
    ) {
        let name = ValueText.all(event)
        var text = "Expected to receive \(quote(wanted.name)), and \(quote(name)) was received."
        if let index = happenings.firstIndex(where: { wanted.includes($0.event) }) {
            text += "\nThe expected event comes later: \(events(index)) before it."
        } else if let difference = wanted.difference(event) {
            text += "\n\n\(difference)"
        }
        fail(text, at: place)
    }

    private func events(_ count: Int) -> String {
        count == 1 ? "one event comes" : "\(count) events come"
    }
}
