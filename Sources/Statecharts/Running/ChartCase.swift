import CEL
public import OrderedJSON

/// A behavior test of a chart as JSON: the definition, and the active states that it must reach.
///
/// `machine` is the definition, `machines` are others that it can invoke, by name or as a list of
/// definitions with `id`. `initial` are the active states without children after the start, and
/// `steps` those after each step, in any order: `{"after_ms":100,"event":"t","expect":["a"]}`. An
/// event is a type, or an object with `type`. With `expect_final` instead, the machine runs by
/// itself and must end in this state; time moves only when nothing else can happen. Requests and
/// handlers fail at once. `not_w3c` has
/// the `initial` and `steps` of another reading of statecharts, which must not be met.
public struct ChartCase: Sendable {
    private let json: JSONValue

    /// A test.
    public init(_ json: JSONValue) { self.json = json }

    /// The name; `?` for a test without one.
    public var name: String { json["name"]?.string ?? "?" }

    /// Runs the test.
    ///
    /// - Returns: What is wrong, in a sentence; nil if the test passes.
    public func problem() -> String? {
        guard let definition = json["machine"] else { return "there is no 'machine'" }
        if let fault = Self.fault(of: json, Self.words) { return fault }
        for step in json["steps"]?.array ?? [] {
            if let fault = Self.fault(of: step, Self.stepWords) { return fault }
        }
        do {
            let chart = try Chart(definition)
            let machines = try machines()
            guard let start = CELTimestamp(seconds: 1_700_000_000) else { return "no time" }
            let run = ChartRun(
                chart, machines: machines, start: start, answersInvocations: false)
            if let wrong = try difference(run, from: json) { return wrong }
            guard json["expect_final"] != nil || json["initial"] != nil || json["steps"] != nil
            else { return "nothing is expected: a case has 'initial', 'steps' or 'expect_final'" }
            guard let other = json["not_w3c"] else { return nil }
            return try difference(run, from: other) == nil
                ? "this is another reading of statecharts than the W3C's" : nil
        } catch let error as ChartProblems {
            return error.errors.first?.description ?? "the definition can't be used"
        } catch {
            return "the run was given up: \(error)"
        }
    }

    /// The members of a case that count, and of a step. Others are notes.
    private static let words: Set<String> = [
        "machine", "machines", "initial", "steps", "expect_final", "not_w3c",
    ]
    private static let stepWords: Set<String> = ["after_ms", "event", "expect"]

    /// A member whose name is nearly one that counts: it would be passed over in silence.
    private static func fault(of json: JSONValue, _ words: Set<String>) -> String? {
        for member in json.object ?? JSONObject() where !words.contains(member.name) {
            let hint = NearName.hint(member.name, among: words)
            if !hint.isEmpty { return "'\(member.name)' is unknown here\(hint)" }
        }
        return nil
    }

    private func machines() throws -> [String: Chart] {
        var machines: [String: Chart] = [:]
        for member in json["machines"]?.object ?? JSONObject() {
            machines[member.name] = try Chart(member.value)
        }
        for definition in json["machines"]?.array ?? [] {
            let chart = try Chart(definition)
            if let name = chart.name { machines[name] = chart }
        }
        return machines
    }

    /// The first difference from the expected states; nil if there is none.
    private func difference(
        _ prepared: ChartRun, from expected: JSONValue
    ) throws(ChartRunError) -> String? {
        var run = prepared
        try run.start()
        if let final = expected["expect_final"]?.string {
            try run.runToEnd()
            return run.isFinished && run.activeStates == [final]
                ? nil : "it ends in \(Self.list(run.activeStates)) instead of \(final)"
        }
        if let wrong = compare(run, expected["initial"], "after the start") { return wrong }
        for (index, step) in (expected["steps"]?.array ?? []).enumerated() {
            try run.advance(milliseconds: step["after_ms"]?.integer ?? 0)
            run.records = []
            guard let event = Self.event(step["event"]) else {
                return "step \(index + 1) has an event that is none"
            }
            if let event { try run.send(event) }
            if let wrong = compare(run, step["expect"], "after step \(index + 1)") { return wrong }
        }
        return nil
    }

    /// The event of a step: nil within for a step that only waits, and nil for a fault.
    private static func event(_ json: JSONValue?) -> ChartEvent?? {
        switch json {
        case nil, .null?: return .some(nil)
        case .string(let type)?: return ChartEvent(type)
        case .object(let object)?:
            guard let type = object["type"]?.string,
                case .map(let members) = CELValue(.object(object))
            else { return nil }
            return ChartEvent(type, members)
        default: return nil
        }
    }

    private func compare(_ run: ChartRun, _ names: JSONValue?, _ place: String) -> String? {
        guard let names = names?.array?.compactMap(\.string) else { return nil }
        let failure = run.records.lazy.compactMap { record -> ChartFailure? in
            if case .failure(let failure) = record.entry { failure } else { nil }
        }.first
        guard Set(run.activeStates) != Set(names) else { return nil }
        let reason = failure.map { "; \($0.code.rawValue): \($0.message)" } ?? ""
        return "\(place): \(Self.list(run.activeStates)) instead of \(Self.list(names))\(reason)"
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "no state" : names.sorted().joined(separator: ", ")
    }
}
