import OrderedJSON
import Testing
import Transducers

/// Small machines that the tests of this folder put together.
enum Parts {
    /// Counts up to its limit, at which it ends.
    enum Count: Transducer, InitialState {
        struct State: Terminable, Codable, Hashable {
            var count = 0
            var limit = 3
            var isTerminal: Bool { count >= limit }
        }
        enum Event: Codable, Hashable { case add(Int), fail }
        struct Broken: Error {}

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) throws -> Int {
            switch event {
            case .add(let number):
                state.count += number
                guard number > 0 else { throw Rejection("counts up only", accepts: ["add"]) }
            case .fail: throw Broken()
            }
            return state.count
        }
    }

    /// Opens and shuts, until it is removed or breaks. A Moore machine.
    enum Door: Transducer, InitialState {
        enum State: String, FailableState, Codable, Hashable {
            case shut, open, removed, broken
            var isTerminal: Bool { self == .removed || self == .broken }
            var isFailure: Bool { self == .broken }
        }
        enum Event: String, Codable, Hashable { case open, shut, remove, smash, knock }

        static var initialState: State { .shut }

        static func initialOutput(initialState: State) -> String?? { .some("is \(initialState)") }

        static func update(_ state: inout State, event: Event) -> String? {
            switch event {
            case .open: state = .open
            case .shut: state = .shut
            case .remove: state = .removed
            case .smash: state = .broken
            case .knock: return nil
            }
            return "is \(state)"
        }
    }

    /// Begins effects and notes what it hears.
    enum Worker: EffectTransducer, InitialState {
        struct State: Terminable, Equatable {
            var log: [String] = []
            var isTerminal: Bool { log.last == "stop" }
        }
        enum Event: Sendable, Equatable {
            /// Starts an effect that runs until it is cancelled.
            case begin(String)
            case cancel(String)
            /// Begins an effect that fails; the machine wants to hear of `heard`.
            case fail(String)
            case failUnnamed
            case note(String)
            case notes([String])
            /// Ends the machine. The effect of this step sends a note.
            case stop
        }
        typealias Output = String
        struct Oops: Error {}

        static var initialState: State { State() }

        static func effectFailed(_ failure: EffectFailure) -> Event? {
            failure.id == EffectKey("heard") ? .note("heard of it") : nil
        }

        static func update(_ state: inout State, event: Event) -> (Effect?, String) {
            switch event {
            case .begin(let id):
                return (Effect(id: id) { _, _ in try await Parts.untilCancelled() }, "begun")
            case .cancel(let id): return (.cancel(id: id), "cancelled")
            case .fail(let id):
                return (Effect(id: id, operation: { _, _ in throw Oops() }), "failing")
            case .failUnnamed: return (Effect(operation: { _, _ in throw Oops() }), "failing")
            case .note(let text):
                state.log.append(text)
                return (nil, text)
            case .notes(let texts): return (.events(texts.map(Event.note)), "notes")
            case .stop:
                state.log.append("stop")
                let last = Effect(id: "last") { _, input in try input.send(.note("late")) }
                return (.parallel(.event(.note("never")), last), "stop")
            }
        }
    }

    static func untilCancelled() async throws {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
        try Task.checkCancellation()
    }
}

extension Parts {
    /// The log of a run, as lines.
    final class Log<Machine: BaseTransducer> {
        var lines: [String] = []
        /// Called with each line.
        var onLine: ((String) -> Void)?

        var options: RunOptions<Machine> {
            RunOptions(trace: { self.add($0) })
        }

        private func add(_ record: TraceRecord<Machine>) {
            let line: String? =
                switch record {
                case .effectStarted(_, let key): "+ \(key)"
                case .effectEnded(_, let key): "- \(key)"
                case .effectCancelled(_, let key): "x \(key)"
                case .effectFailed(_, let failure): "! \(failure.id.map { "\($0)" } ?? "?")"
                case .refused(_, _, let error): "refused: \((error as? Rejection)?.reason ?? "?")"
                case .applied, .staleEvent: nil
                }
            guard let line else { return }
            lines.append(line)
            onLine?(line)
        }
    }

    /// A machine as a host sees it: JSON in, JSON out.
    struct Hosted {
        let definition: Definition
        var instance: any HostedInstance

        static let limits = StepLimits(
            immediateEvents: 1_000, outputs: 64, outputBytes: 1 << 20, stateBytes: 1 << 20)

        init(_ definition: Definition) throws {
            self.definition = definition
            instance = try definition.machine.makeInstance()
        }

        func initial() throws -> (state: String, outputs: [String]) {
            var step = StepBuffer()
            try instance.describeInitial(into: &step)
            return (Self.text(step.state.bytes), step.outputs.map { Self.text($0.data) })
        }

        mutating func apply(_ event: String) throws -> (state: String, outputs: [String]) {
            let document = try JSONDocument(parsing: Array(event.utf8))
            let decoded = try definition.machine.decodeEvent(document, at: document.root)
            var step = StepBuffer()
            try instance.apply(decoded, in: StepContext(limits: Self.limits), into: &step)
            return (Self.text(step.state.bytes), step.outputs.map { Self.text($0.data) })
        }

        static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    }
}
