// Forms of machines that don't work, so that the compiler says what to write instead. Each stands
// in where nothing else fits; marked unavailable, it ends the build with its message.

extension Transducer {
    /// Pure machines have no effects.
    public typealias Effect = Never

    /// Stands in for an `update` that isn't there, or that the protocol doesn't know.
    @available(
        *, unavailable,
        message: """
            a Transducer needs `static func update(_ state: inout State, event: Event) -> Output`, \
            which may throw; `event` without `sending`
            """
    )
    public static func update(_ state: inout State, event: Event) throws {
        fatalError("can't be called")
    }
}

extension Transducer where Output == Never? {
    /// Stands in for the step of a machine whose `update` returns `Effect?`.
    @available(
        *, unavailable,
        message: "a Transducer has no effects: make the machine an EffectTransducer"
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension Transducer where Output == TransducerEffect<Self>? {
    /// Stands in for the step of a machine whose `update` returns an effect as its output.
    @available(
        *, unavailable,
        message: "a Transducer has no effects: make the machine an EffectTransducer"
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension EffectTransducer {
    /// Stands in for an `update` that isn't there, or that the protocol doesn't know.
    @available(
        *, unavailable,
        message: """
            an EffectTransducer needs `static func update(_ state: inout State, event: Event)` \
            that returns `Effect?`, or `(Self.Effect?, Output)`, and may throw; `event` without \
            `sending`
            """
    )
    public static func update(
        _ state: inout State, event: Event
    ) throws -> TransducerEffect<Self>? {
        fatalError("can't be called")
    }

    /// Stands in for the step of a machine whose `update` returns something else.
    @available(
        *, unavailable,
        message: """
            `update` returns `Effect?`, or `(Self.Effect?, Output)` with an output that the \
            machine names: add `typealias Output = …`
            """
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension EffectTransducer where TransducerOutput == TransducerEffect<Self> {
    /// Stands in for the step of a machine whose `update` returns `Effect`.
    @available(
        *, unavailable,
        message: "`update` returns `Effect?`: write the question mark, and `nil` for no effect"
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension EffectTransducer where TransducerOutput == (TransducerEffect<Self>, Output) {
    /// Stands in for the step of a machine whose `update` returns `(Effect, Output)`.
    @available(
        *, unavailable,
        message: """
            `update` returns `(Self.Effect?, Output)`: write the question mark, and `nil` for \
            no effect
            """
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension EffectTransducer where TransducerOutput == (TransducerEffect<Self>?, Output?) {
    /// Stands in for the step of a machine whose `update` returns an optional output.
    @available(
        *, unavailable,
        message: """
            `update` returns `Output?`, and the machine's output is `Output`: give the type \
            another name, such as `Said`, and add `typealias Output = Said?`
            """
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension EffectTransducer where TransducerOutput == Output {
    /// Stands in for the step of a machine whose `update` returns no effect.
    @available(
        *, unavailable,
        message: """
            `update` of an EffectTransducer returns `Effect?`, or `(Self.Effect?, Output)`; a \
            machine without effects is a Transducer
            """
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}

extension EffectTransducer where TransducerOutput == Output? {
    /// Stands in for the step of a machine whose `update` returns an optional output alone.
    @available(
        *, unavailable,
        message: """
            `update` of an EffectTransducer returns `Effect?`, or `(Self.Effect?, Output)`; a \
            machine without effects is a Transducer
            """
    )
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        fatalError("can't be called")
    }
}
