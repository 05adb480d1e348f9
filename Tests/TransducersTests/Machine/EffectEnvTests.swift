import Testing

@testable import Transducers

@Suite("EffectEnv")
struct EffectEnvTests {
    private final class Till {
        var sum = 5
    }

    @Test func `a part of a machine gets its part of the environment`() {
        #expect(EffectEnv(Till()).map { $0.sum }.get() == 5)
    }

    @MainActor
    @Test func `the actor of the machine gets the environment itself`() {
        let till = Till()
        let env = EffectEnv(till)
        env.forMachineActor().sum += 1
        #expect(till.sum == 6)
    }
}
