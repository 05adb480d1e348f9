import Transducers

/// The closures of effects that live: what their rows can't hold. Gone with the process; a row
/// whose closure isn't here belonged to another one.
struct ClosureTable {
    private var bodies: [InstanceNumber: [Int64: EffectHandler]] = [:]
    /// Those that belong to a batch which is not committed yet.
    private var fresh: [(number: InstanceNumber, token: Int64)] = []
    /// How many there are.
    private(set) var count = 0

    /// The closure of an instance that has this token.
    subscript(number: InstanceNumber, token: Int64) -> EffectHandler? {
        bodies[number]?[token]
    }

    /// Whether the effect's closure was one of another process.
    func hasLost(_ row: StoredEffect) -> Bool {
        guard let token = row.closureToken else { return false }
        return bodies[row.ref.number]?[token] == nil
    }

    /// Takes the closures of a step.
    mutating func adopt(_ closures: HostedClosures, of number: InstanceNumber) {
        for (token, body) in closures.bodies {
            bodies[number, default: [:]][token] = body
            fresh.append((number, token))
        }
        count += closures.bodies.count
    }

    /// Forgets a closure.
    mutating func remove(_ token: Int64, of number: InstanceNumber) {
        guard bodies[number]?.removeValue(forKey: token) != nil else { return }
        count -= 1
        if bodies[number]?.isEmpty == true { bodies[number] = nil }
    }

    /// Forgets all closures of an instance that has no effects any more.
    mutating func removeAll(of number: InstanceNumber) {
        guard count > 0, let removed = bodies.removeValue(forKey: number) else { return }
        count -= removed.count
    }

    /// What the batch brought stays.
    mutating func keepFresh() {
        if !fresh.isEmpty { fresh.removeAll() }
    }

    /// The batch didn't happen.
    mutating func dropFresh() {
        for (number, token) in fresh { remove(token, of: number) }
        fresh.removeAll()
    }
}
