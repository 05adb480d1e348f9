import Testing
import Transducers

extension TestTransducer {
    /// Sends an event and states how it changes the state.
    ///
    /// It fails and sends nothing while received events aren't stated.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: Changes the state before into the state after; without it, nothing may change.
    ///     A closure that changes nothing is a failure too.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func send(
        _ event: sending Machine.Event, _ change: ((inout Machine.State) throws -> Void)? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let name = ValueText.all(event)
        guard let result = await dispatch(event, at: place) else { return }
        check(result, change, of: "sending", "sent", name, at: place)
    }

    /// Sends an event and states that the machine refuses it, by a ``Transducers/Rejection``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - reason: The rejection's reason; `nil` for any.
    ///   - accepts: The rejection's list of accepted events; `nil` for any.
    ///   - place: The place of the call.
    public nonisolated(nonsending) func sendRejected(
        _ event: sending Machine.Event, reason: String? = nil, accepts: [String]? = nil,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        let name = ValueText.all(event)
        guard let result = await dispatch(event, at: place) else { return }
        checkRefusal(result, of: name, at: place) {
            check($0, of: name, reason: reason, accepts: accepts, at: place)
        }
    }

    /// Sends an event and states that the machine fails with it: `update` throws, or the event
    /// causes too many immediate events.
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
        checkRefusal(result, of: name, at: place) { error in
            guard !isExpected(error) else { return }
            fail("\(quote(name)) failed with another error: \(text(of: error))", at: place)
        }
    }

    /// Sends an event and waits for its result.
    ///
    /// - Returns: The result, or `nil` if the event wasn't sent or not applied, which has been
    ///   reported.
    private nonisolated(nonsending) func dispatch(
        _ event: sending Machine.Event, at place: SourceLocation
    ) async -> Happening.Result? {
        let name = ValueText.all(event)
        guard !isFinished else {
            fail("\(quote(name)) was not sent: the test has called finish().", at: place)
            return nil
        }
        await waitUntilIdle(at: place)
        if exhaustivity == .off {
            skipHappenings(through: happenings.count)
        } else if !happenings.isEmpty {
            fail(
                "\(quote(name)) was not sent: first state the events that were received, with "
                    + "receive.\n\n\(list(happenings))", at: place)
            return nil
        }
        do {
            try enqueue(event)
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

    /// States that an event was applied, and compares the state after it.
    func check(
        _ result: Happening.Result, _ change: ((inout Machine.State) throws -> Void)?,
        of verb: String, _ participle: String, _ name: String, at place: SourceLocation
    ) {
        switch result {
        case .applied(let after, let output):
            keep(output)
            check(after, change, of: verb, name, at: place)
        case .refused(let error):
            fail("\(quote(name)) was \(participle) and refused: \(text(of: error))", at: place)
        }
    }

    /// States that an event was refused, and calls `check` with the error.
    func checkRefusal(
        _ result: Happening.Result, of name: String, at place: SourceLocation,
        check: (any Error) -> Void
    ) {
        switch result {
        case .refused(let error): check(error)
        case .applied(let after, let output):
            keep(output)
            let change = difference(state, after, legend: "Before: -, After: +")
            state = after
            fail(
                "\(quote(name)) was not refused, but applied."
                    + (change.map { "\n\n\($0)" } ?? " The state is as before."), at: place)
        }
    }

    /// Compares the state after an event with the stated one.
    private func check(
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

    /// Compares a refusal with the stated one.
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
}
