public import OrderedJSON

/// The erased face of a Swift transducer.
@usableFromInline
final class TypedMachine<Machine: InitialState & SendableMetatype>: HostedMachine
where
    Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
    Machine.Output: Sendable
{
    /// One update in the common form: the output and the immediate events in order.
    @usableFromInline let update:
        @Sendable (inout Machine.State, Machine.Event) throws -> (Machine.Output, [Machine.Event])

    /// Appends an output's JSON; `nil` for machines without outputs.
    @usableFromInline let encodeOutput:
        (@Sendable (Machine.Output, inout JSONWriter) throws(JSONEncodingError) -> Void)?

    /// Whether the output's type knows silent values, and whether it is an enum: asked once,
    /// because asking a type takes longer than a step.
    @usableFromInline let mayBeSilent = Machine.Output.self is any SilenceableOutput.Type
    @usableFromInline let outputHasName = JSONCoding.isEnum(Machine.Output.self)

    @inlinable
    init(
        update:
            @escaping @Sendable (inout Machine.State, Machine.Event) throws -> (
                Machine.Output, [Machine.Event]
            ),
        encodeOutput: (
            @Sendable (Machine.Output, inout JSONWriter) throws(JSONEncodingError) ->
                Void
        )?
    ) {
        self.update = update
        self.encodeOutput = encodeOutput
    }

    @inlinable
    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent {
        do {
            return TypedEvent(
                event: try JSONCoding.decode(Machine.Event.self, from: document, at: node))
        } catch {
            throw EventError(path: error.path, message: error.message, expected: error.expected)
        }
    }

    @inlinable
    func makeInstance() throws(StepFailure) -> any HostedInstance {
        TypedInstance(machine: self, state: Machine.initialState)
    }

    @inlinable
    func restoreInstance(state: [UInt8]) throws(StepFailure) -> any HostedInstance {
        do {
            let document = try JSONDocument(parsing: state)
            let state = try JSONCoding.decode(
                Machine.State.self, from: document, at: document.root)
            return TypedInstance(machine: self, state: state)
        } catch let error as JSONDecodingError {
            throw .evaluation("the stored state doesn't fit: \(error.message) at \(error.path)")
        } catch {
            throw .evaluation("the stored state is no JSON: \(error)")
        }
    }
}

@usableFromInline
struct TypedEvent<Event: Codable & Sendable>: HostedEvent {
    @usableFromInline let event: Event

    @usableFromInline
    init(event: Event) { self.event = event }

    @inlinable
    func canonicalText() throws(StepFailure) -> [UInt8] {
        var writer = JSONWriter()
        do {
            try JSONCoding.encode(event, into: &writer)
        } catch {
            throw .evaluation("the event can't be written: \(error.message)")
        }
        return writer.bytes
    }
}

/// An instance of a Swift transducer: its typed state.
@usableFromInline
struct TypedInstance<Machine: InitialState & SendableMetatype>: HostedInstance
where
    Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
    Machine.Output: Sendable
{
    @usableFromInline let machine: TypedMachine<Machine>
    @usableFromInline var state: Machine.State

    @usableFromInline
    init(machine: TypedMachine<Machine>, state: Machine.State) {
        self.machine = machine
        self.state = state
    }

    @inlinable var isTerminal: Bool { state.isTerminal }

    @inlinable
    func describeInitial(into step: inout StepBuffer) throws(StepFailure) {
        if let output = Machine.initialOutput(initialState: state) {
            try append(output, to: &step)
        }
        try write(state, limit: .max, to: &step)
    }

    @inlinable
    mutating func apply(
        _ event: any HostedEvent, limits: StepLimits, into step: inout StepBuffer
    ) throws(StepFailure) {
        guard let first = event as? TypedEvent<Machine.Event> else {
            preconditionFailure("an event is applied only to the machine that decoded it")
        }
        var candidate = state
        var waiting: [Machine.Event] = []
        var next: Machine.Event? = first.event
        var applied = 0
        var outputBytes = 0
        while let event = next {
            applied += 1
            guard applied <= limits.events else { throw .eventLimit(limits.events) }
            let (output, immediate) = try update(&candidate, event)
            try append(output, to: &step)
            outputBytes += step.outputs.last?.data.count ?? 0
            guard step.outputs.count <= limits.outputs, outputBytes <= limits.outputBytes else {
                throw .outputLimit(
                    "a step may have \(limits.outputs) outputs of \(limits.outputBytes) bytes")
            }
            if candidate.isTerminal { break }
            // Depth-first and in order: what this event caused comes before what was waiting.
            waiting.append(contentsOf: immediate.reversed())
            next = waiting.popLast()
        }
        try write(candidate, limit: limits.stateBytes, to: &step)
        state = candidate
    }

    @inlinable
    func update(
        _ candidate: inout Machine.State, _ event: Machine.Event
    ) throws(StepFailure) -> (Machine.Output, [Machine.Event]) {
        do {
            return try machine.update(&candidate, event)
        } catch let rejection as Rejection {
            throw .rejected(rejection)
        } catch {
            throw .evaluation(String(describing: error))
        }
    }

    @inlinable
    func append(_ output: Machine.Output, to step: inout StepBuffer) throws(StepFailure) {
        guard let encode = machine.encodeOutput else { return }
        if machine.mayBeSilent, (output as? any SilenceableOutput)?.isSilent == true { return }
        var writer = JSONWriter()
        do {
            try encode(output, &writer)
        } catch {
            throw .evaluation("an output can't be written: \(error.message)")
        }
        let type = machine.outputHasName ? OutputName.read(writer.bytes) : nil
        step.outputs.append(StepBuffer.Output(type: type, data: writer.bytes))
    }

    @inlinable
    func write(
        _ state: Machine.State, limit: Int, to step: inout StepBuffer
    ) throws(StepFailure) {
        do {
            try JSONCoding.encode(state, into: &step.state)
        } catch {
            throw .evaluation("the state can't be written: \(error.message)")
        }
        guard step.state.bytes.count <= limit else {
            throw .stateTooLarge(step.state.bytes.count)
        }
    }
}

/// Reads the case's name from the JSON of an enum: the string itself, or member `type`.
@usableFromInline
enum OutputName {
    @usableFromInline
    static func read(_ bytes: [UInt8]) -> String? {
        guard let document = try? JSONDocument(parsing: bytes) else {
            // The writer's own bytes always parse; without a name the record still says all.
            return nil
        }
        if let name = document.string(document.root) { return name }
        return document.member("type", of: document.root).flatMap { document.string($0) }
    }
}
