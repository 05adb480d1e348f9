import GroveEngine
import OrderedJSON
import Transducers

/// A machine to try effects with: each event asks for one kind of work.
enum Errands: EffectTransducer, InitialState {
    enum State: Terminable, Codable, Sendable {
        case idle
        case busy(String)
        case over

        var isTerminal: Bool { if case .over = self { true } else { false } }
    }

    indirect enum Event: Codable, Sendable {
        /// A timer, whose event is `rang`.
        case remind(id: String?, milliseconds: Int)
        case rang
        /// A handler, whose result is `worked`.
        case work(id: String, tries: Int)
        case worked(sum: Int)
        /// Two handlers, one at a time.
        case line
        /// A handler whose result asks for another.
        case relay
        case passed(baton: Int)
        /// A question to people, whose answer is `answered`.
        case ask(id: String, milliseconds: Int?)
        case answered(String)
        /// An instance of another machine, whose result is `returned`.
        case delegate(id: String)
        case returned(String)
        /// An event to another instance, which counts.
        case tell(to: String)
        /// Work that can be undone, and undoing it.
        case book
        case booked(Int)
        case undo
        /// Several effects at once.
        case all([Event])
        case cancel(id: String)
        case finish
    }

    /// `nil` says nothing.
    typealias Output = String?

    /// One at a time; the others wait.
    struct Desk: EffectQueue {
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
    }

    static let initialState = State.idle

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        switch event {
        case .rang: state = .busy("rang")
        case .worked(let sum):
            guard sum >= 0 else { throw Rejection("a sum is not negative") }
            state = .busy("worked \(sum)")
        case .answered(let answer):
            state = .busy(answer)
            return (nil, "thanks")
        case .returned(let word): state = .busy(word)
        case .booked(let number): state = .busy("booked \(number)")
        case .passed(let baton):
            state = .busy("passed \(baton)")
            return (work("b", tries: 1), nil)
        case .finish: state = .over
        default: return (effect(event), nil)
        }
        return (nil, nil)
    }

    private static func effect(_ event: Event) -> Self.Effect? {
        switch event {
        case .remind(let id, let milliseconds):
            .after(.milliseconds(milliseconds), id: id, .rang)
        case .work(let id, let tries): work(id, tries: tries)
        case .line:
            .parallel(
                ["first", "second"].map { name in
                    .perform(
                        "work", id: name, queue: Desk(), argument: name, then: "worked",
                        retry: .never)
                })
        case .relay: .perform("work", id: "a", argument: 1, then: "passed", retry: .never)
        case .ask(let id, let milliseconds):
            .ask(id: id, expires: milliseconds.map { .milliseconds($0) }, then: "answered")
        case .delegate(let id): .start("countdown", id: id, then: "returned")
        case .tell(let target): .send("increment", to: target, id: "tell")
        case .book:
            .perform(
                "work", id: "book", argument: "room", then: "booked", retry: .never,
                undo: EffectUndo("undo", argument: "room"))
        case .undo: .compensate(id: "undo")
        case .all(let events): .parallel(events.compactMap(effect))
        case .cancel(let id): .cancel(id: id)
        default: nil
        }
    }

    private static func work(_ id: String, tries: Int) -> Self.Effect {
        .perform(
            "work", id: id, argument: id, then: "worked",
            retry: RetryPolicy(
                attemptsMax: tries, interval: .seconds(1), factor: 2, jitter: 0))
    }
}

extension EngineOptions {
    /// Handlers that the conversation itself plays.
    static var forConversations: EngineOptions {
        var options = EngineOptions()
        for name in ["work", "undo", "http"] {
            options.handlers[name] = HandlerTraits(concurrencyMax: 8)
        }
        return options
    }
}
