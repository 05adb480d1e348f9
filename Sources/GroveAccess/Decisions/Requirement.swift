/// What an op takes.
package enum Requirement: Hashable, Sendable {
    /// Nothing, not even to say who one is.
    case nothing
    /// A principal, and no verb: it is about one's own connection.
    case ownConnection
    /// As ``ownConnection``; with the server's health, a local connection or `admin`.
    case probe
    /// `send` for the named instance, and for the event's type.
    case event
    /// The verb for the named instance, or for all instances of the named machine. `send` must not
    /// be narrowed to event types: there is no event.
    case target(Verb)
    /// The verb for the named machine, whatever its instances.
    case machine(Verb)
    /// `read` for the named instance, and `send` for the event on it: who may not send an event
    /// isn't told what it would do.
    case trial
    /// The verb for the whole server.
    case server(Verb)
    /// Nothing; what the verb doesn't allow is left out of the reply (``ReadFilter``).
    case filtered(Verb)
    /// Some grant of the verb; the selection is cut to what is granted (``Narrowing``).
    case selection(Verb)
    /// Each item alone, as the op `send`.
    case items
    /// The verb for the instance that asks for the answer, which only the engine knows. There,
    /// `allows` without an event type decides, and a refusal looks like an unknown token.
    case askingInstance(Verb)
}
