/// What closures of a hosted machine are given to work with.
@usableFromInline
struct HostedEnv<Env>: Sendable {
    /// Makes the environment of one run.
    @usableFromInline let make: @Sendable () -> Env

    @usableFromInline
    init(_ make: @escaping @Sendable () -> Env) { self.make = make }

    /// What a definition says, or nothing where there is nothing to say.
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
