import Testing
import Transducers

// The machines stand in another file, and the first thing that is asked of each here is another
// one of its types: whichever the compiler looks at first, it has to find them all.
@Suite("Inferred types")
struct InferenceTests {
    @Test func `a pure machine's proxy asked for first`() throws {
        let proxy = InferredProxy.Proxy(bufferSize: 2)
        try proxy.send(.event)
        #expect(proxy.waitingCount == 1)
    }

    @Test func `a pure machine's output asked for first`() {
        let output: InferredOutput.Output = 1
        #expect(output == 1)
    }

    @Test func `a pure machine's environment asked for first`() {
        #expect(InferredEnv.Env.self == Void.self)
        #expect(InferredEnv.Effect.self == Never.self)
    }

    @Test func `an effect machine's proxy asked for first`() throws {
        let proxy = InferredEffectProxy.Proxy(bufferSize: 2)
        try proxy.send(.event)
        #expect(InferredEffectProxy.Output.self == Void.self)
    }

    @Test func `an effect machine's effect asked for first`() {
        let effect: InferredEffect.Effect = .event(.event)
        #expect(type(of: effect) == TransducerEffect<InferredEffect>.self)
        #expect(InferredEffect.Env.self == Void.self)
    }
}
