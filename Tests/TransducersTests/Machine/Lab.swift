import Transducers

/// Doors that effects wait at until the test opens them. Waiting at one ignores cancellation.
actor Doors {
    private var open: Set<String> = []
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]
    private(set) var passed: [String] = []
    private var arrived: [String] = []
    private var watchers: [(name: String, continuation: CheckedContinuation<Void, Never>)] = []

    /// Waits until the door is opened.
    func pass(_ name: String) async {
        arrived.append(name)
        for watcher in watchers where watcher.name == name { watcher.continuation.resume() }
        watchers.removeAll { $0.name == name }
        if !open.contains(name) {
            await withCheckedContinuation { waiting[name, default: []].append($0) }
        }
        passed.append(name)
    }

    /// Lets everybody through, from now on.
    func open(_ names: String...) {
        for name in names {
            open.insert(name)
            for continuation in waiting.removeValue(forKey: name) ?? [] { continuation.resume() }
        }
    }

    /// Waits until somebody stands at the door, or has passed.
    func visit(_ name: String) async {
        if arrived.contains(name) { return }
        await withCheckedContinuation { watchers.append((name, $0)) }
    }
}

/// A machine that notes every event and does what it says.
enum Lab: EffectTransducer {
    struct State: Terminable, Equatable, Sendable {
        var notes: [String] = []
        var isTerminal: Bool { notes.last?.hasPrefix("end") == true }
    }
    struct Oops: Error, Hashable { let name: String }
    typealias Env = Doors
    typealias Output = String

    indirect enum Event: Sendable {
        /// Just noted.
        case note(String)
        /// Noted, and the effect is asked for.
        case does(String, Lab.Effect)
    }

    static func update(_ state: inout State, event: Event) -> (Effect?, String) {
        switch event {
        case .note(let text):
            state.notes.append(text)
            return (nil, text)
        case .does(let text, let effect):
            state.notes.append(text)
            return (effect, text)
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        guard failure.id != nil else { return nil }
        return .note("failed \(failure.id.map(\.description) ?? "")")
    }

    /// Waits at the door of its name, then notes it.
    static func task(
        _ name: String, id: String? = nil, policy: EffectPolicy = .replace,
        queue: (any EffectQueue)? = nil, then event: Event? = nil
    ) -> Effect {
        .run(id: id, policy: policy, queue: queue) { doors, _ in
            await doors.pass(name)
            return event ?? .note(name)
        }
    }

    /// Waits at the door of its name, then fails.
    static func failing(_ name: String, id: String? = nil) -> Effect {
        .fireAndForget(id: id) { doors, _ in
            await doors.pass(name)
            throw Oops(name: name)
        }
    }
}

extension Duration {
    /// Enough for anything that doesn't hang.
    static let patience = Duration.seconds(20)
}
