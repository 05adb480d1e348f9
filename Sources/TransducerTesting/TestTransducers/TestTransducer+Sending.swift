import Testing
import Transducers

extension TestTransducer {
    /// Sends an event and states how it changes the state.
    ///
    /// While received events aren't stated, it fails and sends nothing.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: Makes the state before into the state after; without it, nothing may change.
    ///     When it changes nothing, that is a failure too: it states nothing.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func send(
        _ event: sending Machine.Event, _ change: ((inout Machine.State) throws -> Void)? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let name = ValueText.all(event)
        guard let result = await dispatch(event, at: place) else { return }
        switch result {
        case .applied(let after, let output):
            take(output)
            check(after, change, of: "sending", name, at: place)
        case .refused(let error):
            fail("\(quote(name)) was sent and refused: \(text(of: error))", at: place)
        }
    }

    /// Sends an event and states that the machine refuses it, by a ``Transducers/Rejection``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - reason: The rejection's reason; without it, any will do.
    ///   - accepts: The rejection's list of what would do instead; without it, any will do.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func sendRejected(
        _ event: sending Machine.Event, reason: String? = nil, accepts: [String]? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let name = ValueText.all(event)
        guard let result = await dispatch(event, at: place) else { return }
        switch result {
        case .applied(let after, let output):
            take(output)
            reportUnrefused(name, after: after, at: place)
        case .refused(let error):
            check(error, of: name, reason: reason, accepts: accepts, at: place)
        }
    }

    /// Sends an event and states that the machine fails at it: `update` throws something, or the
    /// event causes more immediate events than it may.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - isExpected: Whether it is the right error.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func sendFailing(
        _ event: sending Machine.Event, with isExpected: (any Error) -> Bool = { _ in true },
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let name = ValueText.all(event)
        guard let result = await dispatch(event, at: place) else { return }
        switch result {
        case .applied(let after, let output):
            take(output)
            reportUnrefused(name, after: after, at: place)
        case .refused(let error) where !isExpected(error):
            fail("\(quote(name)) failed with another error: \(text(of: error))", at: place)
        case .refused: break
        }
    }

    /// Sends an event and waits for what it comes to.
    ///
    /// - Returns: That, or `nil` if it wasn't sent or the machine didn't take it; then that has
    ///   been reported.
    private nonisolated(nonsending) func dispatch(
        _ event: sending Machine.Event, at place: SourceLocation
    ) async -> Happening.Result? {
        let name = ValueText.all(event)
        guard !isFinished else {
            fail("\(quote(name)) was not sent: the test has called finish().", at: place)
            return nil
        }
        await settle(at: place)
        if exhaustivity == .off {
            skipHappenings(through: happenings.count)
        } else if !happenings.isEmpty {
            fail(
                "\(quote(name)) was not sent: first state the events that were received, with "
                    + "receive.\n\n\(list(happenings))", at: place)
            return nil
        }
        do {
            try put(event)
        } catch {
            fail("\(quote(name)) was not sent: \(error.description).", at: place)
            return nil
        }
        await wait(at: place) { !happenings.isEmpty || verdict != nil || hasEnded }
        if !happenings.isEmpty { return happenings.removeFirst().result }
        fail("\(quote(name)) was not applied: \(reasonForNothing).", at: place)
        return nil
    }

    private var reasonForNothing: String {
        if case .notApplied(let error) = verdict { return error.description }
        if let endError { return "the machine's run has ended: \(text(of: endError))" }
        return "the machine still awaits an action of an earlier event"
    }

    // MARK: Comparing

    /// Compares the state after an event with what was stated.
    func check(
        _ after: Machine.State, _ change: ((inout Machine.State) throws -> Void)?,
        of verb: String, _ name: String, at place: SourceLocation
    ) {
        let before = state
        state = after
        var expected = exhaustivity == .on ? before : after
        do {
            try change?(&expected)
        } catch {
            fail("Stating the state after \(verb) \(quote(name)) threw: \(error)", at: place)
            return
        }
        if let difference = difference(expected, after) {
            let hint = change == nil ? " No change was stated." : ""
            fail(
                "The state after \(verb) \(quote(name)) is not as stated.\(hint)\n\n"
                    + difference, at: place)
        } else if change != nil, exhaustivity == .on, before == after {
            fail(
                "The state after \(verb) \(quote(name)) is as before, and the closure changes "
                    + "nothing: leave it out.", at: place)
        }
    }

    /// Compares what refused an event with what was stated.
    func check(
        _ error: any Error, of name: String, reason: String?, accepts: [String]?,
        at place: SourceLocation
    ) {
        guard let rejection = error as? Rejection else {
            fail("\(quote(name)) was not rejected, but failed: \(text(of: error))", at: place)
            return
        }
        let expected = Rejection(
            reason ?? rejection.reason, accepts: accepts ?? rejection.accepts)
        if let difference = difference(expected, rejection) {
            fail("\(quote(name)) was rejected otherwise than stated.\n\n\(difference)", at: place)
        }
    }

    func reportUnrefused(_ name: String, after: Machine.State, at place: SourceLocation) {
        let change = difference(state, after, legend: "Before: -, After: +")
        state = after
        fail(
            "\(quote(name)) was not refused, but applied."
                + (change.map { "\n\n\($0)" } ?? " The state is as before."), at: place)
    }
}
