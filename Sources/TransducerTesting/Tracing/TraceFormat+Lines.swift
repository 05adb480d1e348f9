import Transducers

extension TraceFormat {
    /// The lines of a record; none when all of it is left out.
    public func lines<Machine>(for record: TraceRecord<Machine>) -> [String] {
        let prefix = name.map { "[\($0)] " } ?? ""
        return plainLines(for: record).map { prefix + $0 }
    }

    private func plainLines<Machine>(for record: TraceRecord<Machine>) -> [String] {
        switch record {
        case .applied(let event, let before, let after, let output):
            return part("event", text(event)) + part("state", text(before, after))
                + part("output", outputText(output))
        case .refused(let event, let state, let error):
            return part("refused", text(event))
                + (self.event == nil ? [] : part("reason", reason(error)))
                + (self.state == .diff ? [] : part("state", text(state, state)))
        case .staleEvent(let event, let run):
            return part("stale", text(event).map { "\($0), of run \(run.number)" })
        case .effectStarted(let run, let key): return effect(run, key, "started")
        case .effectEnded(let run, let key): return effect(run, key, "ended")
        case .effectCancelled(let run, let key): return effect(run, key, "cancelled")
        case .effectFailed(let run, let failure):
            return effect(run, failure.id, "failed: \(failure.error)")
        }
    }

    /// A title with its text: on the same line, or below it if the text has several lines.
    private func part(_ title: String, _ text: String?) -> [String] {
        guard let text else { return [] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1 else { return ["\(title): \(text)"] }
        return ["\(title):"] + lines.map { "    \($0)" }
    }

    private func effect(_ run: EffectRunID, _ key: EffectKey?, _ what: String) -> [String] {
        guard effects else { return [] }
        let name = key.flatMap { $0.id == nil ? nil : " \($0)" } ?? ""
        return part("effect\(name), run \(run.number)", what)
    }

    private func text(_ event: Any) -> String? { self.event.map { text(event, as: $0) } }

    private func outputText(_ output: Any) -> String? {
        guard let format = self.output, !NoOutput.isSilent(output) else { return nil }
        return text(output, as: format)
    }

    private func text(_ value: Any, as format: Value) -> String {
        switch format {
        case .simple: ValueText.name(value)
        case .all(let depth): text(value, depth: depth)
        }
    }

    private func text<Value>(_ before: Value, _ after: Value) -> String? {
        switch state {
        case nil: nil
        case .simple?: ValueText.line(before)
        case .all(let depth)?: text(before, depth: depth)
        case .diff?: ValueText.difference(before, after) ?? "(no diff)"
        }
    }

    private func text(_ value: Any, depth: Int?) -> String {
        depth.map { ValueText.all(value, depth: $0) } ?? ValueText.all(value)
    }

    private func reason(_ error: any Error) -> String {
        (error as? Rejection)?.reason ?? "\(error)"
    }
}
