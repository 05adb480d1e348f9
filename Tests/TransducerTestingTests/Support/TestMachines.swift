import Transducers

/// A counter without effects, with numbers as outputs, and with a limit that it doesn't exceed.
enum Counter: Transducer {
    struct State: NonTerminal, Equatable {
        var count = 0
        var name = "c"
    }
    enum Event: Equatable, Sendable { case increment, add(amount: Int), rename(String), fail }
    struct Broken: Error {}

    static func update(_ state: inout State, event: Event) throws -> Int {
        switch event {
        case .increment: state.count += 1
        case .add(let amount):
            if amount > 100 { throw Rejection("too much", accepts: ["increment", "add"]) }
            state.count += amount
        case .rename(let name): state.name = name
        case .fail: throw Broken()
        }
        return state.count
    }
}

/// A door that closes by itself. It uses each kind of effect that tests handle.
enum Door: EffectTransducer {
    enum State: Terminable, Equatable {
        case closed, opening, open, removed
        var isTerminal: Bool { self == .removed }
    }
    enum Event: Equatable, Sendable {
        case open, opened, close, remove, ring, jam, ask, answered(Int), alarm, bounce, bounced
        case hum
    }
    enum Output: Equatable, Sendable, SilenceableOutput {
        case none, creaks, bangs
        var isSilent: Bool { self == .none }
    }
    struct Jammed: Error, CustomStringConvertible {
        var description: String { "jammed" }
    }

    static func update(_ state: inout State, event: Event) throws -> (Effect?, Output) {
        switch (state, event) {
        case (.closed, .open):
            state = .opening
            return (.event(.opened), .creaks)
        case (.opening, .opened):
            state = .open
            return (.after(.seconds(3), id: "spring", .close), .none)
        case (.open, .close):
            state = .closed
            return (.cancel(id: "spring"), .bangs)
        case (_, .remove):
            state = .removed
            return (nil, .bangs)
        default: return (try besides(event), .none)
        }
    }

    /// Returns the effect of an event that doesn't change the state.
    private static func besides(_ event: Event) throws -> Effect? {
        switch event {
        case .ring: .fireAndForget { _, _ in }
        case .jam: .fireAndForget(id: "jam") { _, _ in throw Jammed() }
        case .ask: Effect(action: { _ in [Event.answered(1), .answered(2)] })
        case .alarm:
            .stream(id: "alarm", autoFinish: true) { _, input, _ in try input.send(.open) }
        case .bounce: .run { _, _ in await MainActor.run { Event.bounced } }
        case .hum: .stream(id: "hum") { _, _, _ in }
        case .answered, .bounced: nil
        default: throw Rejection("not now", accepts: ["open"])
        }
    }
}
