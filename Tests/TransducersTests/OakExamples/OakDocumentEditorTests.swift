import Testing
import Transducers

/// Public events come from anywhere; private ones only from the machine itself, within a step.
@Suite("A document editor", .timeLimit(.minutes(1)))
struct OakDocumentEditorTests {
    struct Document: Equatable, Sendable { var title: String }

    enum Editor: EffectTransducer {
        enum State: Terminable, Equatable {
            case start
            case ready(Document)
            case saving(Document)
            case saved(Document)
            var isTerminal: Bool { if case .saved = self { true } else { false } }
        }

        enum Event: Equatable {
            case create, save
            case created(Document), validated(Document), written
        }

        struct Env: Sendable { var write: @Sendable (Document) async throws -> Void }
        typealias Output = [Event]

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
            (apply(&state, event), [event])
        }

        private static func apply(_ state: inout State, _ event: Event) -> Effect? {
            switch (state, event) {
            case (.start, .create):
                return .event(.created(Document(title: "Untitled")))
            case (.start, .created(let document)):
                state = .ready(document)
                return .event(.validated(document))
            case (.ready(let document), .save):
                state = .saving(document)
                return write(document)
            case (.saving(let document), .written):
                state = .saved(document)
                return nil
            default:
                return nil
            }
        }

        private static func write(_ document: Document) -> Effect {
            Effect(id: document.title) { env, input in
                try await env.write(document)
                try input.send(.written)
            }
        }
    }

    @Test func `private events come before the public ones that wait`() async throws {
        let proxy = Editor.Proxy()
        try proxy.send(.create)
        try proxy.send(.create)
        try proxy.send(.save)
        try proxy.send(.save)
        let order = Notes<Editor.Event>()
        let written = Notes<Document>()
        try await Editor.run(
            initialState: .start, proxy: proxy, env: .init { written.add($0) },
            output: Callback { for event in $0 { order.add(event) } })
        let document = Document(title: "Untitled")
        #expect(
            Array(order.values.prefix(3)) == [.create, .created(document), .validated(document)])
        #expect(order.values.filter { $0 == .save }.count == 2)
        #expect(order.values.last == .written)
        #expect(written.values == [document])
    }

    /// A workflow of immediate events is one step: nothing comes between.
    enum Workflow: EffectTransducer {
        enum State: Terminable, Equatable {
            case start, validating, processing, complete
            var isTerminal: Bool { self == .complete }
        }
        enum Event { case begin, validate, execute, interfere }
        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (state, event) {
            case (.start, .begin):
                state = .validating
                return .event(.validate)
            case (.validating, .validate):
                state = .processing
                return .event(.execute)
            case (.processing, .execute):
                state = .complete
                return nil
            default:
                Issue.record("\(event) came in between, in \(state)")
                return nil
            }
        }
    }

    @Test func `a chain of immediate events can't be interrupted`() async throws {
        let proxy = Workflow.Proxy()
        try proxy.send(.begin)
        for _ in 1...3 { try proxy.send(.interfere) }
        try await Workflow.run(initialState: .start, proxy: proxy, env: ())
    }
}
