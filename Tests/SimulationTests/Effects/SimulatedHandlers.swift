import GroveEngine
import GroveTestSupport
import OrderedJSON

/// A simulated runner of handlers: the seed decides the result of every dispatched attempt. It
/// reports late, fails, reports twice, and reports canceled attempts. A crash loses all attempts.
struct SimulatedHandlers {
    /// One attempt in progress.
    private struct Try {
        let issue: EffectDispatch
        let tag: String
        let stream: Int
        /// The number of its results. `applied` counts those that are known to be applied.
        var given: Int
        var applied: Int
        var isCancelled = false
    }

    /// A report and its content, to compare with the engine's reaction.
    struct Told: Sendable {
        let id: Int
        let report: EffectReport
        let tag: String
        let number: Int
    }

    /// The maximum number of attempts in progress, per handler and, where there are shares, per
    /// share.
    static let traits = [
        "work": HandlerTraits(concurrencyMax: 8, perShareMax: 3) { argument in
            // Three shares; some arguments belong to none.
            let sum = argument.serialized().reduce(0) { $0 + Int($1) }
            return sum % 4 == 0 ? nil : "share \(sum % 4)"
        },
        "scarce": HandlerTraits(concurrencyMax: 1),
        "undo": HandlerTraits(concurrencyMax: 2),
    ]

    private var atWork: [Try] = []
    /// Reports of ended attempts, to be sent again.
    private var past: [Told] = []
    private var keys: [EffectRef: String] = [:]
    private var owners: [String: EffectRef] = [:]
    private var attempts: [EffectRef: Int] = [:]
    /// The tags of dispatched effects.
    private(set) var tags: [EffectRef: String] = [:]
    /// The handler of each dispatched effect.
    private(set) var names: [EffectRef: String] = [:]
    private var reports = 0
    /// Whether a repeated report names another effect: a planted bug.
    var isConfused = false

    var isIdle: Bool { atWork.isEmpty }

    // MARK: Calls from the engine

    mutating func take(_ issue: EffectDispatch) throws {
        guard !atWork.contains(where: { $0.issue.ref == issue.ref }) else {
            throw Complaint("E1", "\(issue) was handed out twice at once")
        }
        guard keys[issue.ref] ?? issue.key == issue.key,
            owners[issue.key] ?? issue.ref == issue.ref
        else { throw Complaint("E1", "\(issue) has another key, or another effect's") }
        guard attempts[issue.ref] ?? 1 <= issue.attempt else {
            throw Complaint("E1", "\(issue) is an earlier try than the one before")
        }
        let document = try JSONDocument(parsing: issue.argument.serialized())
        let argument = try JSONCoding.decode(
            Robot.Argument.self, from: document, at: document.root)
        keys[issue.ref] = issue.key
        owners[issue.key] = issue.ref
        attempts[issue.ref] = issue.attempt
        tags[issue.ref] = argument.tag
        names[issue.ref] = issue.handler
        atWork.append(
            Try(
                issue: issue, tag: argument.tag, stream: argument.stream, given: issue.delivered,
                applied: issue.delivered))
        let busy = atWork.count { $0.issue.handler == issue.handler }
        guard busy <= Self.traits[issue.handler]?.concurrencyMax ?? 0 else {
            throw Complaint("E1", "\(busy) tries of \(issue.handler) are under way")
        }
        guard let traits = Self.traits[issue.handler], let share = traits.share?(issue.argument)
        else { return }
        let ofShare = atWork.count {
            $0.issue.handler == issue.handler && traits.share?($0.issue.argument) == share
        }
        guard ofShare <= traits.perShareMax else {
            throw Complaint("E1", "\(ofShare) tries of \(share) are under way")
        }
    }

    mutating func cancel(_ ref: EffectRef) {
        for place in atWork.indices where atWork[place].issue.ref == ref {
            atWork[place].isCancelled = true
        }
    }

    /// Stores whether the engine applied a report. A report that wasn't applied isn't repeated. If
    /// it was an emitted result, its attempt emits that result again.
    mutating func answered(_ told: Told, wasApplied: Bool) {
        if !wasApplied { past.removeAll { $0.id == told.id } }
        guard case .emitted(_, let number) = told.report.outcome else { return }
        for place in atWork.indices
        where atWork[place].issue.ref == told.report.ref
            && atWork[place].issue.attempt == told.report.attempt
        {
            if wasApplied {
                atWork[place].applied = max(atWork[place].applied, number)
            } else {
                atWork[place].given = atWork[place].applied
            }
        }
    }

    /// The process is gone, with all its handlers.
    mutating func crash() {
        atWork = []
        past = []
    }

    // MARK: Reports of handlers

    /// Returns the next reports of a random handler, if there are any.
    mutating func act(_ random: inout SeededRandom, isCalm: Bool) -> [Told] {
        if !isCalm, !past.isEmpty, random.chance(150) { return [repeated(&random)] }
        guard !atWork.isEmpty else { return [] }
        let place = random.below(atWork.count)
        if !isCalm, random.chance(200) { return [] }
        if atWork[place].given < atWork[place].stream, !atWork[place].isCancelled,
            isCalm || random.chance(800)
        {
            return [emit(place, &random)]
        }
        let one = atWork.remove(at: place)
        let told = end(one, &random, isCalm: isCalm)
        past.append(told)
        if past.count > 20 { past.removeFirst() }
        // Sends the report again at once, like a faulty handler.
        return !isCalm && random.chance(100) ? [told, told] : [told]
    }

    private mutating func repeated(_ random: inout SeededRandom) -> Told {
        let told = past[random.below(past.count)]
        guard isConfused, !atWork.isEmpty else { return told }
        let other = atWork.removeFirst()
        return Told(
            id: told.id, report: EffectReport(other.issue, told.report.outcome), tag: told.tag,
            number: told.number)
    }

    private mutating func emit(_ place: Int, _ random: inout SeededRandom) -> Told {
        let one = atWork[place]
        // A handler that restarted after a crash may report all results again.
        let number = one.given > 0 && random.chance(100) ? 1 : one.given + 1
        if number > one.given { atWork[place].given = number }
        return told(one, .emitted(value(one.tag, number - 1), number: number), number - 1)
    }

    private mutating func end(_ one: Try, _ random: inout SeededRandom, isCalm: Bool) -> Told {
        if one.isCancelled, random.chance(700) { return told(one, .cancelled, 0) }
        // An undo never fails permanently here.
        let bound = isCalm ? 60 : one.issue.handler == "undo" ? 92 : 100
        switch random.below(bound) {
        case 0..<60:
            // The result of an undo causes no event.
            let isUndo = one.issue.handler == "undo"
            return told(
                one, .completed(isUndo ? .null : value(one.tag, one.given)), one.given)
        case 60..<82:
            return told(one, .failed(reason: "transient", isPermanent: false), 0)
        case 82..<92:
            return told(one, .failed(reason: "timed out", isPermanent: false), 0)
        case 92..<97:
            return told(one, .failed(reason: "permanent", isPermanent: true), 0)
        default: return told(one, .completed("nonsense"), -1)
        }
    }

    private mutating func told(
        _ one: Try, _ outcome: EffectReport.Outcome, _ number: Int
    ) -> Told {
        reports += 1
        return Told(
            id: reports, report: EffectReport(one.issue, outcome), tag: one.tag, number: number)
    }

    private func value(_ tag: String, _ number: Int) -> JSONValue {
        ["tag": .string(tag), "number": .integer(Int64(number))]
    }
}
