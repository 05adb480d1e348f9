import Transducers

/// The closures of live effects, which rows can't hold. They are lost with the process: a row
/// whose closure isn't here is from an earlier process.
struct ClosureTable {
    private var bodies: [InstanceNumber: [Int64: EffectHandler]] = [:]
    /// Closures of the batch under way.
    private var fresh: [(number: InstanceNumber, token: Int64)] = []
    /// Committed closures that the batch under way has removed.
    private var removed: [(number: InstanceNumber, token: Int64, body: EffectHandler)] = []
    private(set) var count = 0

    subscript(number: InstanceNumber, token: Int64) -> EffectHandler? {
        bodies[number]?[token]
    }

    /// Whether the effect has a closure of an earlier process.
    func hasLost(_ row: StoredEffect) -> Bool {
        guard let token = row.closureToken else { return false }
        return bodies[row.ref.instance]?[token] == nil
    }

    mutating func insert(_ closures: HostedClosures, of number: InstanceNumber) {
        for (token, body) in closures.bodies {
            bodies[number, default: [:]][token] = body
            fresh.append((number, token))
        }
        count += closures.bodies.count
    }

    mutating func remove(_ token: Int64, of number: InstanceNumber) {
        guard let body = bodies[number]?.removeValue(forKey: token) else { return }
        removed.append((number, token, body))
        count -= 1
        if bodies[number]?.isEmpty == true { bodies[number] = nil }
    }

    /// Removes all closures of an instance that has no effects left.
    mutating func removeAll(of number: InstanceNumber) {
        guard count > 0, let all = bodies.removeValue(forKey: number) else { return }
        for (token, body) in all { removed.append((number, token, body)) }
        count -= all.count
    }

    mutating func endBatch() {
        if !fresh.isEmpty { fresh.removeAll() }
        if !removed.isEmpty { removed.removeAll() }
    }

    mutating func undoBatch() {
        for (number, token, body) in removed {
            bodies[number, default: [:]][token] = body
            count += 1
        }
        for (number, token) in fresh { remove(token, of: number) }
        endBatch()
    }
}
