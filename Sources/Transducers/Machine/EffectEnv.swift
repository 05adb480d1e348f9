/// The environment of a machine's effects, which need not be sendable.
@usableFromInline
struct EffectEnv<Env>: @unchecked Sendable {
    // Sendable, because a closure gets the environment in two ways alone: where it is sendable, or
    // to run on the actor of the machine, as everything else does that uses it.
    private let value: Env

    /// Called on the actor of the machine.
    init(_ value: Env) { self.value = value }

    /// The environment, for a closure that runs anywhere.
    func get() -> Env where Env: Sendable { value }

    /// The environment, to be given to a closure that runs on the actor of the machine.
    func forMachineActor() -> sending Env { value }

    /// The part of it that the effects of a part of the machine are given.
    func map<Part>(_ project: (Env) -> Part) -> EffectEnv<Part> { EffectEnv<Part>(project(value)) }
}
