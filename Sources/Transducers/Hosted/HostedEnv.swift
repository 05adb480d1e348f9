/// The environment of closures of a hosted machine.
@usableFromInline
struct HostedEnv<Env>: Sendable {
    /// Makes the environment of one run.
    @usableFromInline let make: @Sendable () -> Env

    @usableFromInline
    init(_ make: @escaping @Sendable () -> Env) { self.make = make }

    /// The environment of a definition; `Void` needs none. `nil` if it is missing.
    @usableFromInline
    init?(orVoid make: (@Sendable () -> Env)?) {
        if let make {
            self.init(make)
        } else if Env.self == Void.self {
            self.init {
                guard let nothing = () as? Env else {
                    preconditionFailure("Void is Void")
                }
                return nothing
            }
        } else {
            return nil
        }
    }
}
