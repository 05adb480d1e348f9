import Testing
import Transducers

/// Every way in which Oak's users make an effect. Each test's machine gets `start`, and ends
/// when the effect's events have come back.
@Suite("Forms of effects", .timeLimit(.minutes(1)))
struct OakEffectFormsTests {
    /// A machine that begins with the effect `Form.effect` and ends after `Form.expected` letters.
    protocol Form: EffectTransducer
    where
        State == Letters, Event == LetterEvent, Env == Tools, Output == String,
        TransducerOutput == (TransducerEffect<Self>?, String), Proxy == Transducers.Proxy<Event>
    {
        static var effect: Self.Effect { get }
        static var count: Int { get }
    }

    struct Letters: Terminable {
        var text = ""
        var count: Int
        var isTerminal: Bool { text.count == count }
    }
    enum LetterEvent: Sendable { case start, letter(Character) }
    struct Tools: Sendable { var letter: Character = "e" }

    static func run<F: Form>(_ form: F.Type) async throws -> String {
        try await F.run(
            initialState: Letters(count: F.count), proxy: F.Proxy(initialEvent: .start),
            env: Tools())
    }
}

extension OakEffectFormsTests.Form {
    static var count: Int { 1 }

    static func update(
        _ state: inout State, event: Event
    ) -> (TransducerEffect<Self>?, String) {
        switch event {
        case .start:
            return (effect, "")
        case .letter(let letter):
            state.text.append(letter)
            return (nil, state.text)
        }
    }
}

extension OakEffectFormsTests {
    @Test func `an operation as a trailing closure`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                Effect { env, input in try input.send(.letter(env.letter)) }
            }
        }
        #expect(try await Self.run(F.self) == "e")
    }

    @Test func `an operation with an id, trailing`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                Effect(id: "one") { env, input in try input.send(.letter(env.letter)) }
            }
        }
        #expect(try await Self.run(F.self) == "e")
    }

    @Test func `an operation with an id and a label`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                Effect(id: 7, operation: { env, input in try input.send(.letter(env.letter)) })
            }
        }
        #expect(try await Self.run(F.self) == "e")
    }

    @Test func `an operation without id, on the main actor`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                Effect(operation: { @MainActor env, input in
                    MainActor.shared.assertIsolated()
                    try input.send(.letter(env.letter))
                })
            }
        }
        #expect(try await Self.run(F.self) == "e")
    }

    @Test func `an isolated operation with and without id`() async throws {
        enum F: Form {
            static var count: Int { 2 }
            static var effect: Self.Effect {
                .combine(
                    Effect(isolatedOperation: { env, input, isolated in
                        isolated.assertIsolated()
                        try input.send(.letter(env.letter))
                    }),
                    Effect(
                        id: "x",
                        isolatedOperation: { _, input, isolated in
                            isolated.preconditionIsolated()
                            try input.send(.letter("e"))
                        }))
            }
        }
        #expect(try await Self.run(F.self) == "ee")
    }

    @Test func `an action that gives one event`() async throws {
        enum F: Form {
            static var effect: Self.Effect { Effect(action: { env in .letter(env.letter) }) }
        }
        #expect(try await Self.run(F.self) == "e")
    }

    @Test func `an action that gives several events, in order`() async throws {
        enum F: Form {
            static var count: Int { 3 }
            static var effect: Self.Effect {
                Effect(action: { env in [.letter("a"), .letter("b"), .letter(env.letter)] })
            }
        }
        #expect(try await Self.run(F.self) == "abe")
    }

    @Test func `an action that waits, on the main actor, of several statements`() async throws {
        enum F: Form {
            static var count: Int { 2 }
            static var effect: Self.Effect {
                Effect(action: { @MainActor env in
                    await Task.yield()
                    MainActor.shared.assertIsolated()
                    let letter = LetterEvent.letter(env.letter)
                    return [letter, letter]
                })
            }
        }
        #expect(try await Self.run(F.self) == "ee")
    }

    @Test func `an isolated action that gives one event, labelled`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                Effect(isolatedAction: { env, isolated in
                    isolated.assertIsolated()
                    return .letter(env.letter)
                })
            }
        }
        #expect(try await Self.run(F.self) == "e")
    }

    @Test func `an isolated action that gives several events`() async throws {
        enum F: Form {
            static var count: Int { 2 }
            static var effect: Self.Effect {
                Effect(isolatedAction: { env, isolated in [.letter("x"), .letter("y")] })
            }
        }
        #expect(try await Self.run(F.self) == "xy")
    }

    @Test func `an isolated action as a trailing closure is known by its result`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                Effect { env, isolated in
                    try await Task.sleep(for: .zero)
                    return .letter("t")
                }
            }
        }
        #expect(try await Self.run(F.self) == "t")
    }

    @Test func `an operation after a while, with and without its details`() async throws {
        enum F: Form {
            static var count: Int { 2 }
            static var effect: Self.Effect {
                .combine(
                    Effect(
                        id: "soon",
                        operation: { env, input in try input.send(.letter(env.letter)) },
                        after: .milliseconds(1)),
                    Effect(
                        operation: { env, input in try input.send(.letter(env.letter)) },
                        after: .milliseconds(1), tolerance: .milliseconds(1),
                        clock: SuspendingClock()))
            }
        }
        #expect(try await Self.run(F.self) == "ee")
    }

    @Test func `an isolated operation after a while, with and without its details`()
        async throws
    {
        enum F: Form {
            static var count: Int { 2 }
            static var effect: Self.Effect {
                .combine(
                    Effect(
                        isolatedOperation: { env, input, isolated in
                            isolated.assertIsolated()
                            try input.send(.letter(env.letter))
                        }, after: .milliseconds(1)),
                    Effect(
                        id: 2,
                        isolatedOperation: { env, input, isolated in
                            try input.send(.letter(env.letter))
                        }, after: .milliseconds(1), tolerance: nil, clock: ContinuousClock()))
            }
        }
        #expect(try await Self.run(F.self) == "ee")
    }

    @Test func `events at once`() async throws {
        enum F: Form {
            static var count: Int { 3 }
            static var effect: Self.Effect {
                .sequence(.event(.letter("1")), .events([.letter("2"), .letter("3")]))
            }
        }
        #expect(try await Self.run(F.self) == "123")
    }

    @Test func `sequences and combinations of two to five effects`() async throws {
        enum F: Form {
            static var count: Int { 14 }
            static func say(_ letter: Character) -> Self.Effect { .event(.letter(letter)) }
            static var effect: Self.Effect {
                .sequence(
                    .combine(say("a"), say("b")),
                    .sequence(say("c"), say("d"), say("e")),
                    .combine(say("f"), say("g"), say("h"), say("i")),
                    .sequence(say("j"), say("k"), say("l"), say("m"), say("n")))
            }
        }
        #expect(try await Self.run(F.self) == "abcdefghijklmn")
    }

    @Test func `a cancelled task sends nothing, and an unknown id is no error`() async throws {
        enum F: Form {
            static var effect: Self.Effect {
                .combine(
                    Effect(id: "x") { _, input in try input.send(.letter("x")) },
                    .cancelTask("x"), .cancelTask("unknown"), .cancelTask(12),
                    Effect(id: "y") { _, input in try input.send(.letter("y")) })
            }
        }
        #expect(try await Self.run(F.self) == "y")
    }

    @Test func `a trailing closure of two parameters and several statements is an operation`()
        async throws
    {
        enum F: Form {
            static var effect: Self.Effect {
                .sequence(
                    Effect { env, _ in
                        await Task.yield()
                        try Task.checkCancellation()
                    }, .event(.letter("o")))
            }
        }
        #expect(try await Self.run(F.self) == "o")
    }
}
