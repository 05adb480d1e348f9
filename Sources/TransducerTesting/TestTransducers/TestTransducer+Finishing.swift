import Testing
import Transducers

extension TestTransducer {
    /// Advances ``clock``: wakes sleeping effects in order, and waits until the machine is idle
    /// before it wakes the next one.
    ///
    /// - Precondition: `duration` isn't negative.
    public nonisolated(nonsending) func advance(
        by duration: Duration, sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        precondition(duration >= .zero, "time doesn't go back")
        // Effects that are about to sleep do so before the deadline is computed.
        await waitUntilIdle(at: place)
        await clock.advance(to: clock.now.advanced(by: duration)) { _ in
            await self.waitUntilIdle(at: place)
        }
    }

    /// Ends the test of the machine. Fails for everything that wasn't stated: received events,
    /// outputs, starts and failures of effects, and effects that still run. It waits for those
    /// that are about to end. Then it stops the machine.
    ///
    /// Without it, the deallocation of the test transducer reports the same, but without a wait.
    /// Finishing again does nothing.
    public nonisolated(nonsending) func finish(
        sourceLocation place: SourceLocation = #_sourceLocation
    ) async {
        if isFinished { return }
        if exhaustivity == .on { await wait(at: place) { live.isEmpty && !isBusy } }
        isFinished = true
        let leftovers = leftovers
        proxy.cancel()
        if !leftovers.isEmpty, exhaustivity == .on {
            fail("These things were not stated:\n\n\(leftovers)", at: place)
        }
    }

    /// The text of everything that hasn't been stated; empty if nothing is left.
    var leftovers: String {
        var parts: [String] = []
        func add(_ title: String, _ lines: String) {
            if !lines.isEmpty { parts.append("\(title)\n\(lines)") }
        }
        add("Events received (receive):", list(happenings))
        if unnamedRefusals > 0 {
            parts.append("Refused events that an action or a sequence gave: \(unnamedRefusals)")
        }
        add("Outputs (expect(output:)):", quoted(outputs.map { ValueText.all($0) }))
        add("Effects begun (expectEffect):", list(starts))
        add("Effects live (cancel them, or let them end):", list(live))
        add("Effects failed (expectFailure):", quoted(failures.map(\.description)))
        if lostFailures > 0 { parts.append("Failures of effects, more: \(lostFailures)") }
        if isBusy { parts.append("An action that the machine awaits.") }
        if let endError { parts.append("The end of the machine's run: \(text(of: endError))") }
        return parts.joined(separator: "\n\n")
    }

    // MARK: Text

    /// A value within a sentence if it has one line, else on separate lines.
    func quote(_ text: String) -> String {
        text.contains("\n") ? "\n\(ValueText.indented(text))\n" : text
    }

    func text(of error: any Error) -> String {
        guard let rejection = error as? Rejection else { return "\(error)" }
        if rejection.accepts.isEmpty { return rejection.reason }
        return "\(rejection.reason) (accepts \(rejection.accepts.joined(separator: ", ")))"
    }

    func list(_ happenings: [Happening]) -> String {
        quoted(
            happenings.map { happening in
                let name = ValueText.all(happening.event)
                guard case .refused(let error) = happening.result else { return name }
                return "\(name), refused: \(text(of: error))"
            })
    }

    func list(_ runs: [EffectRun]) -> String {
        quoted(
            runs.map { run in
                run.key.id == nil ? "an effect without id" : run.key.description
            })
    }

    private func quoted(_ lines: [String]) -> String {
        lines.map { ValueText.indented($0) }.joined(separator: "\n")
    }

    /// The difference of two values, or `nil` if they are equal.
    func difference<Value: Equatable>(
        _ expected: Value, _ actual: Value, legend: String = "Expected: -, Actual: +"
    ) -> String? {
        if expected == actual { return nil }
        let text =
            ValueText.difference(expected, actual)
            ?? "They are not equal, but nothing that can be seen differs."
        return "\(ValueText.indented(text))\n\n(\(legend))"
    }
}
