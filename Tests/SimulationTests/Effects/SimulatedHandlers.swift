import GroveEngine
import GroveTestSupport
import OrderedJSON

/// What runs handlers, without handlers: every try that is handed out ends as the seed wants. It
/// answers late, fails, answers twice, answers what was cancelled; a crash loses all of it.
struct SimulatedHandlers {
    /// One try that is under way.
    private struct Try {
        let issue: EffectDispatch
        let tag: String
        let stream: Int
        /// The number of its results, and of those known to be applied.
        var given: Int
        var applied: Int
        var isCancelled = false
    }

    /// A report and what it says, to be held against what the engine makes of it.
    struct Told: Sendable {
        let id: Int
        let report: EffectReport
        let tag: String
        let number: Int
    }

    /// How many tries may be under way; of one with shares, also of each.
    static let traits = [
        "work": HandlerTraits(concurrencyMax: 8, perShareMax: 3) { argument in
            // Three shares, and some that belong to none.
            let sum = argument.serialized().reduce(0) { $0 + Int($1) }
            return sum % 4 == 0 ? nil : "share \(sum % 4)"
        },
        "scarce": HandlerTraits(concurrencyMax: 1),
        "undo": HandlerTraits(concurrencyMax: 2),
    ]

    private var atWork: [Try] = []
    /// Reports of tries that are over, to be made again.
    private var past: [Told] = []
    private var keys: [EffectRef: String] = [:]
    private var owners: [String: EffectRef] = [:]
    private var attempts: [EffectRef: Int] = [:]
    /// The tags of what was handed out, by effect.
    private(set) var tags: [EffectRef: String] = [:]
    /// The handler of each effect that was handed out.
    private(set) var names: [EffectRef: String] = [:]
    private var reports = 0
    /// Whether what is reported again is reported as another effect's: a planted bug.
    var isConfused = false

    var isIdle: Bool { atWork.isEmpty }

    // MARK: What the engine says

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

    /// The engine has said whether a report counts. What doesn't isn't said again, but for what
    /// was to go on: that gives its result again.
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

    /// The process is gone, and all handlers with it.
    mutating func crash() {
        atWork = []
        past = []
    }

    // MARK: What handlers say

    /// The next report of one of them, if there is one.
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
        // The same in one breath, as a nervous handler does.
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
        // A handler that restarted after a crash may report all of it again.
        let number = one.given > 0 && random.chance(100) ? 1 : one.given + 1
        if number > one.given { atWork[place].given = number }
        return told(one, .emitted(value(one.tag, number - 1), number: number), number - 1)
    }

    private mutating func end(_ one: Try, _ random: inout SeededRandom, isCalm: Bool) -> Told {
        if one.isCancelled, random.chance(700) { return told(one, .cancelled, 0) }
        // What undoes is never given up here.
        let bound = isCalm ? 60 : one.issue.handler == "undo" ? 92 : 100
        switch random.below(bound) {
        case 0..<60:
            // Nobody waits for an event of what undoes.
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
