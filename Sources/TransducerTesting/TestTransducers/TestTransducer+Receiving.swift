import Testing
import Transducers

extension TestTransducer where Machine.Event: Equatable {
    /// States which event comes next, of those that effects send and those that steps cause at
    /// once, and how it changes the state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: Makes the state before into the state after; without it, nothing may change.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func receive(
        _ event: Machine.Event, _ change: ((inout Machine.State) throws -> Void)? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let wanted = Wanted(event, difference: { self.difference(event, $0) })
        await receive(wanted, change, at: place)
    }

    /// States that the event that comes next is refused, by a ``Transducers/Rejection``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - reason: The rejection's reason; without it, any will do.
    ///   - accepts: The rejection's list of what would do instead; without it, any will do.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func receiveRejected(
        _ event: Machine.Event, reason: String? = nil, accepts: [String]? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let wanted = Wanted(event, difference: { self.difference(event, $0) })
        guard let next = await take(wanted, at: place) else { return }
        let name = ValueText.all(next.event)
        switch next.result {
        case .applied(let after, let output):
            take(output)
            reportUnrefused(name, after: after, at: place)
        case .refused(let error):
            check(error, of: name, reason: reason, accepts: accepts, at: place)
        }
    }
}

extension TestTransducer {
    /// What `receive` waits for.
    struct Wanted {
        let name: String
        let includes: (Machine.Event) -> Bool
        /// How another event differs.
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

    /// States what is so of the event that comes next, and how it changes the state.
    ///
    /// - Parameters:
    ///   - isExpected: Whether it is the right event.
    ///   - change: Makes the state before into the state after; without it, nothing may change.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func receive(
        where isExpected: @escaping (Machine.Event) -> Bool,
        _ change: ((inout Machine.State) throws -> Void)? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let wanted = Wanted("an event for which the predicate holds", includes: isExpected)
        await receive(wanted, change, at: place)
    }

    /// Drops the events that have been received and aren't stated yet, with their outputs. The
    /// state is the one after them.
    public nonisolated(nonsending) func skipReceivedEvents(
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        await settle(
            at: place)
        // Their outputs go with them; those of events that were stated stay.
        let kept = outputs
        skipHappenings(through: happenings.count)
        outputs = kept
    }

    private nonisolated(nonsending) func receive(
        _ wanted: Wanted, _ change: ((inout Machine.State) throws -> Void)?,
        at place: SourceLocation
    ) async {
        guard let next = await take(wanted, at: place) else { return }
        let name = ValueText.all(next.event)
        switch next.result {
        case .applied(let after, let output):
            take(output)
            check(after, change, of: "receiving", name, at: place)
        case .refused(let error):
            fail("\(quote(name)) was received and refused: \(text(of: error))", at: place)
        }
    }

    /// Waits for the next event and takes it, if it is the right one. A wrong one is reported,
    /// and taken too, so that the test can go on with the one behind it.
    private nonisolated(nonsending) func take(
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
            // Where everything is skipped that isn't stated, nothing is lost by leaving it.
            if exhaustivity == .on { skipHappenings(through: 1) }
            return nil
        }
        return happenings.removeFirst()
    }

    /// Takes events as if they had been stated.
    func skipHappenings(through count: Int) {
        for happening in happenings.prefix(count) {
            guard case .applied(let after, let output) = happening.result else { continue }
            state = after
            take(output)
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
