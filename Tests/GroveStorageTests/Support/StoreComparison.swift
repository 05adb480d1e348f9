import GroveEngine
import GroveTestSupport
import Testing

/// The first thing in which a store differs from a model, or `nil`. Throws what the store throws.
///
/// `isPurged`: whether everything deleted must be gone; else it may be there or not.
func difference(
    _ store: any Store, _ model: StoreModel, isPurged: Bool, _ random: inout SeededRandom
) throws -> String? {
    guard store.head == model.head else { return "head \(store.head), not \(model.head)" }
    guard store.first == model.floor else { return "first \(store.first), not \(model.floor)" }
    guard store.lastInstanceNumber.value == model.lastNumber else { return "last number" }
    if let found = try instanceDifference(store, model, isPurged: isPurged, &random) {
        return found
    }
    if let found = try journalDifference(store, model, isPurged: isPurged, &random) {
        return found
    }
    if let found = try effectDifference(store, model, &random) { return found }
    guard store.machineCounts == model.machineCounts else { return "the counts of machines" }
    if let found = try attentionDifference(store, model, &random) { return found }
    for (number, keys) in model.dedups {
        for (key, entry) in keys where try store.dedup(number, key: key) != entry {
            return "dedup \(key) of \(number)"
        }
        if try store.dedup(number, key: Array("no such key".utf8)) != nil { return "a key" }
    }
    return nil
}

private func instanceDifference(
    _ store: any Store, _ model: StoreModel, isPurged: Bool, _ random: inout SeededRandom
) throws -> String? {
    for text in StoreModel.names + ["nobody/here"] {
        let name = try #require(InstanceName(text))
        if try store.instance(named: name) != model.instances[text] { return "instance \(text)" }
    }
    for number in 0...(model.lastNumber + 1) {
        let isDeleted = model.deleted.contains(InstanceNumber(number))
        let found = try store.isDeleted(InstanceNumber(number))
        // What was deleted may be swept or not.
        if found, isPurged || !isDeleted { return "isDeleted \(number)" }
    }
    for prefix in ["", "a", "a/", "a/a", "b/1", "c/instance-1", "é", "zz"] {
        let expected = model.sortedInstances.filter { $0.name.text.utf8.starts(with: prefix.utf8) }
        let limit = Int.random(in: 1...8, using: &random)
        var found: [StoredInstance] = []
        while true {
            let page = try store.instances(
                prefix: prefix, after: found.last?.name.text, limit: limit)
            found += page
            if page.count < limit { break }
        }
        if found != expected { return "the pages of '\(prefix)'" }
    }
    return nil
}

private func effectDifference(
    _ store: any Store, _ model: StoreModel, _ random: inout SeededRandom
) throws -> String? {
    let rows = model.effects.values.sorted { $0.ref < $1.ref }
    for number in 0...(model.lastNumber + 1) {
        let own = rows.filter { $0.ref.instance.value == number }
        if try store.effects(of: InstanceNumber(number)) != own { return "effects of \(number)" }
        for run in 0...((own.last?.ref.number ?? 0) + 1) {
            let ref = EffectRef(instance: InstanceNumber(number), number: run)
            if try store.effect(ref) != model.effects[ref] { return "effect \(number).\(run)" }
        }
    }
    let limit = Int.random(in: 1...8, using: &random)
    var found: [StoredEffect] = []
    while true {
        let page = try store.effects(after: found.last?.ref, limit: limit)
        found += page
        if page.count < limit { break }
    }
    if found != rows { return "the pages of effects" }
    if let found = try dueDifference(store, rows, &random) { return found }
    return try laneDifference(store, rows, limit: limit)
}

private func dueDifference(
    _ store: any Store, _ rows: [StoredEffect], _ random: inout SeededRandom
) throws -> String? {
    let dated = rows.compactMap { row in row.due.map { (due: $0, ref: row.ref) } }
        .sorted { ($0.due, $0.ref) < ($1.due, $1.ref) }
    if try store.nextDue() != dated.first?.due { return "the next time" }
    let times: [Int64] = [.min, 1_700_000_000_000, 1_700_000_000_011, .max]
    for now in times.map({ Timestamp(milliseconds: $0) }) {
        let due = dated.filter { $0.due <= now }.map(\.ref)
        for limit in [Int.random(in: 0...9, using: &random), 10_000] {
            let found = try store.effectsDue(at: now, limit: limit)
            if found != Array(due.prefix(limit)) { return "what is due at \(now)" }
        }
    }
    return nil
}

private func laneDifference(
    _ store: any Store, _ rows: [StoredEffect], limit: Int
) throws -> String? {
    let lanes = Set(rows.compactMap(\.handlerQueue)).sorted()
    if try store.handlerQueues() != lanes { return "the handlers" }
    for lane in lanes + ["", "nobody", "paym"] {
        var found: [EffectRef] = []
        while true {
            let page = try store.effects(inHandlerQueue: lane, after: found.last, limit: limit)
            found += page
            if page.count < limit { break }
        }
        if found != rows.filter({ $0.handlerQueue == lane }).map(\.ref) { return "handler \(lane)" }
    }
    return nil
}

private func attentionDifference(
    _ store: any Store, _ model: StoreModel, _ random: inout SeededRandom
) throws -> String? {
    let rows = model.effects.values.sorted { $0.ref < $1.ref }
    for machine in ["A", "Z", "a", "a.b", "ab", "b", "c", "nobody"] {
        for attention in EffectAttention.allCases {
            let phase = attention == .failed ? StoredEffect.Phase.failed : .asking
            let expected = rows.filter {
                $0.body.phase == phase && $0.body.owner.hasPrefix(machine + "/")
            }
            let limit = Int.random(in: 1...4, using: &random)
            var found: [EffectRef] = []
            while true {
                let page = try store.effects(
                    attention, of: machine, after: found.last, limit: limit)
                found += page
                if page.count < limit { break }
            }
            if found != expected.map(\.ref) { return "the \(attention) effects of \(machine)" }
        }
    }
    return nil
}

private func journalDifference(
    _ store: any Store, _ model: StoreModel, isPurged: Bool, _ random: inout SeededRandom
) throws -> String? {
    let swept = model.sweptRecords
    func fits(_ record: JournalRecord?, _ sequence: JournalPosition) -> Bool {
        let place = Int(sequence) - 1
        return record == swept[place] || (!isPurged && record == model.records[place])
    }
    var after: JournalPosition = model.floor - 1
    while after < model.head {
        let limit = Int.random(in: 1...50, using: &random)
        let page = try store.records(
            after: after, limit: limit, bytes: Int.random(in: 0...10_000, using: &random))
        guard !page.isEmpty, page.count <= limit else { return "a page of \(page.count)" }
        for record in page {
            after += 1
            if !fits(record, after) { return "journal step \(after) of a page" }
        }
    }
    guard try store.records(after: after, limit: 10, bytes: 10).isEmpty else { return "a tail" }
    for _ in 0..<min(20, model.head) {
        let sequence = JournalPosition.random(in: model.floor...model.head, using: &random)
        if !fits(try store.record(at: sequence), sequence) { return "journal step \(sequence)" }
    }
    let below = try store.records(after: 0, limit: 1, bytes: 1).first
    guard below?.sequence == (model.head == 0 ? nil : model.floor) else { return "a beginning" }
    guard try store.record(at: model.floor - 1) == nil, try store.record(at: model.head + 1) == nil
    else {
        return "a step outside of the journal"
    }
    return nil
}

/// Sweeps until nothing is left.
func purgeAll(_ store: any Store) throws {
    var turns = 0
    while try store.purge() {
        turns += 1
        try #require(turns < 100_000, "sweeping does not end")
    }
}
