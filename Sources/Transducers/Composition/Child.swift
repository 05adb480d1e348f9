/// A machine inside a larger one, with the place of its state, its events there, and the scope of
/// its effects.
///
///     enum Shop: EffectTransducer {
///         struct State: NonTerminal {
///             var cart = Cart.State()
///             var chat: Chat.State?
///         }
///         enum Event { case cart(Cart.Event), chat(Chat.Event), openChat, closeChat }
///
///         static let cart = Child(Cart.self, of: Shop.self, scope: "cart", state: .at(\.cart)) {
///             .cart($0)
///         }
///         static let chat = Child(
///             Chat.self, of: Shop.self, scope: "chat", state: .optional(\.chat)
///         ) { .chat($0) }
///
///         static func update(_ state: inout State, event: Event) throws -> Effect? {
///             switch event {
///             case .cart(let event): try cart.step(&state, event).effect
///             case .chat(let event): try chat.step(&state, event).effect
///             …
///             }
///         }
///
///         static func effectFailed(_ failure: EffectFailure) -> Event? {
///             cart.effectFailed(failure) ?? chat.effectFailed(failure)
///         }
///     }
public struct Child<Whole: BaseTransducer, Part: RunnableTransducer & SendableMetatype>:
    Sendable
{
    @usableFromInline let scope: AnyKey
    @usableFromInline let state: StatePath<Whole.State, Part.State>
    @usableFromInline let mapping: PartMapping<Part, Whole>

    /// A part with its own environment.
    ///
    /// - Parameters:
    ///   - part: The inner machine.
    ///   - whole: The containing machine.
    ///   - scope: The prefix of all ids and queues of the part's effects, and the part's name in
    ///     refusals; different for each part of a whole.
    ///   - state: The place of the part's state.
    ///   - env: Returns the part's environment.
    ///   - embed: Returns the whole's event for one of the part's.
    public init(
        _ part: Part.Type = Part.self, of whole: Whole.Type = Whole.self,
        scope: some Hashable & Sendable, state: StatePath<Whole.State, Part.State>,
        env: @escaping @Sendable (Whole.Env) -> Part.Env,
        event embed: @escaping @Sendable (Part.Event) -> Whole.Event
    ) {
        self.scope = AnyKey(scope)
        self.state = state
        mapping = PartMapping(scope: AnyKey(scope), embed: embed, project: env)
    }

    /// As `init(_:of:scope:state:env:event:)`, for a part without environment.
    public init(
        _ part: Part.Type = Part.self, of whole: Whole.Type = Whole.self,
        scope: some Hashable & Sendable, state: StatePath<Whole.State, Part.State>,
        event embed: @escaping @Sendable (Part.Event) -> Whole.Event
    ) where Part.Env == Void {
        self.init(part, of: whole, scope: scope, state: state, env: { _ in () }, event: embed)
    }

    /// Applies an event of the part within the whole's step.
    ///
    /// When that ends the part, its effects end as if it had run alone: live ones are canceled,
    /// those of its last step run, and their events are dropped.
    ///
    /// - Returns: The whole's effect, to be returned from its step, and the part's output.
    /// - Throws: The errors of the part; ``Rejection`` when the part is absent, or has ended.
    @inlinable
    public func step(
        _ whole: inout Whole.State, _ event: Part.Event
    ) throws -> (effect: TransducerEffect<Whole>?, output: Part.Output) {
        var effect: TransducerEffect<Whole>?
        let output = try state.modify(&whole) { part in
            guard !part.isTerminal else { throw mapping.hasEnded }
            let (inner, output) = try Part.step(&part, event)
            let ended = part.isTerminal
            if inner != nil || ended { effect = mapping.embed(inner, ended: ended) }
            return output
        }
        guard let output else { throw isAbsent }
        return (effect, output)
    }

    @usableFromInline var isAbsent: Rejection {
        Rejection("\(scope) isn't there now, and takes no events")
    }

    /// The whole's event for the failure of an effect of the part; `nil` for other effects, or when
    /// the part has no event for it.
    public func effectFailed(_ failure: EffectFailure) -> Whole.Event? {
        mapping.failure(failure).flatMap(Part.effectFailed).map(mapping.embed)
    }

    /// The name of an event of the part that only effects may send, after the scope: `cart.paid`.
    /// `nil` for others. For ``BaseTransducer/internalName(of:)`` of the whole.
    ///
    ///     static func internalName(of event: Event) -> String? {
    ///         if case .cart(let event) = event { cart.internalName(of: event) } else { nil }
    ///     }
    public func internalName(of event: Part.Event) -> String? {
        Part.refusedName(of: event).map { "\(scope).\($0)" }
    }

    /// The whole's event for the result of an effect of the part; `nil` for other effects, or when
    /// the part has no event for it.
    ///
    /// - Throws: The part's error for a result that isn't one of its events.
    public func effectResult(_ result: EffectResult) throws -> Whole.Event? {
        try mapping.result(result).flatMap(Part.effectResult).map(mapping.embed)
    }

    /// The part's effect of ``RunnableTransducer/resume(_:)``, as the whole's; `nil` when the part
    /// is absent, has ended, or resumes nothing.
    public func resume(_ whole: Whole.State) -> TransducerEffect<Whole>? {
        var whole = whole
        var effect: TransducerEffect<Part>?
        do {
            _ = try state.modify(&whole) { part in
                if !part.isTerminal { effect = Part.resume(part) }
            }
        } catch {
            preconditionFailure("reading the part throws nothing: \(error)")
        }
        return mapping.embed(effect, ended: false)
    }

    /// Cancels all effects of the part: for a step that removes the part.
    public var cancelEffects: TransducerEffect<Whole> {
        .cancelAll.scoped(scope.value)
    }

    /// An input for the part's events, of a whole that runs with `proxy`.
    public func input<P: TransducerProxy>(
        of proxy: P
    ) -> Proxy<Part.Event>.Input where P.Event == Whole.Event {
        Proxy.makeInput(MappedSink(proxy.channel, embed: mapping.embed))
    }
}
