import Transducers

enum InferredProxy: Transducer {
    struct State: NonTerminal {}
    enum Event { case event }
    static func update(_ state: inout State, event: Event) -> Int { 1 }
}

enum InferredOutput: Transducer {
    struct State: NonTerminal {}
    enum Event { case event }
    static func update(_ state: inout State, event: Event) throws -> Int { 1 }
}

enum InferredEnv: Transducer {
    struct State: NonTerminal {}
    enum Event { case event }
    static func update(_ state: inout State, event: Event) {}
}

enum InferredEffectProxy: EffectTransducer {
    struct State: NonTerminal {}
    enum Event { case event }
    static func update(_ state: inout State, event: Event) -> Effect? { nil }
}

enum InferredEffect: EffectTransducer {
    struct State: NonTerminal {}
    enum Event { case event }
    typealias Output = Int
    static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) { (nil, 1) }
}
