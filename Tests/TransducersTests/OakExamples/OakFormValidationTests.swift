import Testing
import Transducers

/// A form: pure, and with checks that take time, of which only the last one counts.
@Suite("A form", .timeLimit(.minutes(1)))
struct OakFormValidationTests {
    enum Field: Hashable, Sendable { case name, mail }

    enum Check: Transducer {
        enum State: NonTerminal, Equatable {
            case empty
            case invalid([Field: String], [Field])
            case valid([Field: String])
        }
        enum Event { case changed(Field, String), validate }
        enum Result: Equatable, Sendable {
            case updated(Field), failed([Field]), passed
        }

        static func update(_ state: inout State, event: Event) -> Result {
            switch (state, event) {
            case (.empty, .changed(let field, let text)):
                state = .invalid([field: text], [])
                return .updated(field)
            case (.invalid(var fields, _), .changed(let field, let text)),
                (.valid(var fields), .changed(let field, let text)):
                fields[field] = text
                state = .invalid(fields, [])
                return .updated(field)
            case (.invalid(let fields, _), .validate):
                let wrong = [Field.name, .mail].filter { !isGood(fields[$0], for: $0) }
                state = wrong.isEmpty ? .valid(fields) : .invalid(fields, wrong)
                return wrong.isEmpty ? .passed : .failed(wrong)
            case (.empty, .validate):
                return .failed([.name, .mail])
            case (.valid, .validate):
                return .passed
            }
        }

        static func isGood(_ text: String?, for field: Field) -> Bool {
            guard let text, !text.isEmpty else { return false }
            return field == .name || text.contains("@")
        }
    }

    @Test func `it is validated without running anything`() {
        var state = Check.State.empty
        #expect(Check.update(&state, event: .validate) == .failed([.name, .mail]))
        #expect(Check.update(&state, event: .changed(.mail, "ada")) == .updated(.mail))
        #expect(Check.update(&state, event: .validate) == .failed([.name, .mail]))
        #expect(Check.update(&state, event: .changed(.name, "Ada")) == .updated(.name))
        #expect(Check.update(&state, event: .validate) == .failed([.mail]))
        #expect(Check.update(&state, event: .changed(.mail, "a@b.example")) == .updated(.mail))
        #expect(Check.update(&state, event: .validate) == .passed)
        #expect(state == .valid([.name: "Ada", .mail: "a@b.example"]))
    }

    enum Registration: EffectTransducer {
        enum State: Terminable, Equatable {
            case editing(String, errors: [String]?)
            case submitting(String)
            case submitted(Int)
            case abandoned

            var isTerminal: Bool {
                switch self {
                case .submitted, .abandoned: true
                case .editing, .submitting: false
                }
            }
        }
        enum Event {
            case typed(String), checked([String]), submit, accepted(Int), abandon
        }
        struct Env: Sendable {
            var check: @Sendable (String) async -> [String]
            var submit: @Sendable (String) async throws -> Int
        }
        static var initialState: State { .editing("", errors: nil) }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (state, event) {
            case (.editing, .typed(let name)):
                state = .editing(name, errors: nil)
                return Effect(id: "check") { env, input in
                    try input.send(.checked(await env.check(name)))
                }
            case (.editing(let name, _), .checked(let errors)):
                state = .editing(name, errors: errors)
                return nil
            case (.editing(let name, let errors), .submit):
                guard errors == [] else { return nil }
                state = .submitting(name)
                return Effect { env, input in
                    try input.send(.accepted(try await env.submit(name)))
                }
            case (.submitting, .accepted(let number)):
                state = .submitted(number)
                return nil
            case (_, .abandon):
                state = .abandoned
                return nil
            default:
                return nil
            }
        }
    }

    final class Host { var form = Registration.initialState }

    @MainActor
    @Test func `only the check of the last text counts, even if an older one ends later`()
        async throws
    {
        let (host, proxy, slow, began) = (Host(), Registration.Proxy(), Signal(), Signal())
        let checked = Notes<String>()
        let env = Registration.Env(
            check: { name in
                if name == "a" {
                    began.fire()
                    await slow.wait()
                }
                checked.add(name)
                return name.count < 2 ? ["too short"] : []
            },
            submit: { $0.count })
        let task = Task {
            try await Registration.run(
                state: \.form, host: host, proxy: proxy, env: env)
        }
        try proxy.send(.typed("a"))
        try proxy.send(.submit)
        await began.wait()
        try proxy.send(.typed("ada"))
        await until { host.form == .editing("ada", errors: []) }
        slow.fire()
        await until { checked.values.contains("a") }
        try proxy.send(.submit)
        try await task.value
        #expect(host.form == .submitted(3))
    }

    @MainActor
    @Test func `abandoning it ends it, whatever runs`() async throws {
        let (host, proxy, interrupted) = (Host(), Registration.Proxy(), Signal())
        let env = Registration.Env(
            check: { _ in
                // Only the note counts, not that it throws.
                _ = try? await sleepUntilCancelled(then: interrupted)
                return []
            },
            submit: { _ in 0 })
        let task = Task {
            try await Registration.run(
                state: \.form, host: host, proxy: proxy, env: env)
        }
        try proxy.send(.typed("x"))
        await until { host.form == .editing("x", errors: nil) }
        try proxy.send(.abandon)
        try await task.value
        #expect(host.form == .abandoned)
    }
}
