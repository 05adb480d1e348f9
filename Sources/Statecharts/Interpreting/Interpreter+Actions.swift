import CEL

/// Executable content (SCXML section 4) and the data of expressions (section 5).
extension Interpreter {
    // MARK: Blocks

    /// Runs a block of actions. Where failures are events, an action that fails ends the block and
    /// raises `error.execution` (SCXML 3.8 and 4.9).
    mutating func run(_ block: [Action]) throws(ChartFailure) {
        do throws(ChartFailure) {
            for action in block { try perform(action) }
        } catch {
            try absorb(error)
        }
    }

    /// Turns a failure into `error.execution`, where failures are events and it is one of an
    /// expression.
    mutating func absorb(_ failure: ChartFailure) throws(ChartFailure) {
        guard isLenient, failure.isRecoverable else { throw failure }
        var event = ChartEvent.error(
            "error.execution", code: failure.code.rawValue, message: failure.message)
        event.send = failure.sendID
        try raise(event)
    }

    private mutating func perform(_ action: Action) throws(ChartFailure) {
        try countAction(at: action.path)
        switch action.kind {
        case .assign(let assignments): try assign(assignments, at: action.path)
        case .raise(let template):
            var event = try event(template, at: action.path)
            event.kind = .internal
            try raise(event)
        case .send(let template): try send(template, at: action.path)
        case .cancel(let literal):
            requests.append(.cancel(id: try text(literal, "the id of a send", at: action.path)))
        case .emit(let template):
            let output = try event(template, at: action.path, isOutput: true)
            try request(
                .emit(type: output.type, output.members),
                carrying: ContextValue.measure(output.members))
        case .log(let label, let template):
            let label = try label.map { literal throws(ChartFailure) in
                try text(literal, "a label", at: action.path)
            }
            let value = try value(template)
            try request(
                .log(label: label, value), carrying: ContextValue.measure(value))
        case .choose(let branches): try choose(branches)
        case .foreach(let loop): try iterate(loop, at: action.path)
        }
    }

    private mutating func countAction(at path: String) throws(ChartFailure) {
        actionsLeft -= 1
        guard actionsLeft >= 0 else {
            throw ChartFailure(
                .stepLimit, "an event may cause \(ChartLimits.actionsMax) actions", at: path)
        }
    }

    /// SCXML 4.3: the first branch whose guard is true.
    private mutating func choose(_ branches: [Action.Branch]) throws(ChartFailure) {
        for branch in branches {
            if let condition = branch.condition, try !isTrue(condition) { continue }
            for action in branch.actions { try perform(action) }
            return
        }
    }

    /// SCXML 4.6: the list as it was at the start; the members stay afterwards.
    private mutating func iterate(
        _ loop: Action.Loop, at path: String
    ) throws(ChartFailure) {
        let value = try value(loop.list)
        guard case .list(let elements) = value else {
            throw ChartFailure(
                .evalError, "'in' must be a list, and is \(value.type.name)", at: path)
        }
        let item = try member(loop.item, at: path)
        let index = try loop.index.map { name throws(ChartFailure) in try member(name, at: path) }
        for (position, element) in elements.enumerated() {
            try countAction(at: path)
            setMember(item, element)
            if let index { setMember(index, .int(Int64(position))) }
            for action in loop.actions { try perform(action) }
        }
    }

    private func member(
        _ name: Action.LoopName, at path: String
    ) throws(ChartFailure) -> CELKey {
        switch name {
        case .member(let key): return key
        case .invalid(let message): throw ChartFailure(.evalError, message, at: path)
        }
    }

    private mutating func setMember(_ key: CELKey, _ value: CELValue) {
        variables[0] = .null
        state.context[key] = value
        isContextStale = true
        isChanged = true
        assignedBytes += 64
    }

    // MARK: Values

    /// Computes an expression.
    ///
    /// - Throws: ``ChartFailure`` `evalError`, or `evalLimit` if a bound was reached.
    mutating func evaluate(_ expression: ChartExpression) throws(ChartFailure) -> CELValue {
        guard let program = expression.program else {
            throw ChartFailure(.evalError, expression.fault, at: expression.path)
        }
        if isContextStale {
            variables[0] = .map(state.context)
            isContextStale = false
        }
        let host = expression.callsIn ? ActiveStates(chart, state.configuration) : nil
        do throws(CELError) {
            return try program.evaluate(variables, host: host, stepsLeft: &expressionSteps)
        } catch {
            throw ChartFailure(
                error.kind == .limit ? .evalLimit : .evalError, error.message,
                at: expression.path)
        }
    }

    /// Computes a template, as a value that can be kept.
    mutating func value(_ template: Template) throws(ChartFailure) -> CELValue {
        switch template {
        case .constant(let value): return value
        case .expression(let expression):
            return try kept(evaluate(expression), at: expression.path)
        case .list(let parts):
            var elements: [CELValue] = []
            for part in parts { elements.append(try value(part)) }
            return .list(elements)
        case .map(let members): return .map(try map(members))
        }
    }

    private mutating func map(_ members: [Template.Member]) throws(ChartFailure) -> CELMap {
        var map = CELMap(minimumCapacity: members.count)
        for member in members { map[member.key] = try value(member.value) }
        return map
    }

    /// Converts a value to what JSON can say.
    mutating func kept(_ value: CELValue, at path: String) throws(ChartFailure) -> CELValue {
        switch value {
        case .null, .bool, .string: return value
        default: break
        }
        let kept = try normalized(value, at: path)
        // To look at each part takes its time, however little the expression computed.
        expressionSteps -= kept.bytes / ChartLimits.keptBytesPerStep
        guard expressionSteps >= 0 else {
            throw ChartFailure(
                .evalLimit,
                "the expressions of an event may take \(ChartLimits.expressionStepsMax) steps, of "
                    + "which each \(ChartLimits.keptBytesPerStep) bytes that are kept are one",
                at: path)
        }
        return kept.value
    }

    /// A value as it is kept, and its bytes as JSON.
    func normalized(
        _ value: CELValue, at path: String
    ) throws(ChartFailure) -> (value: CELValue, bytes: Int) {
        do throws(ContextValue.Fault) {
            return try ContextValue.normalized(value)
        } catch {
            throw ChartFailure(.evalError, error.message, at: path)
        }
    }

    mutating func value(_ literal: Literal) throws(ChartFailure) -> CELValue {
        switch literal {
        case .constant(let value): return value
        case .computed(let expression): return try kept(evaluate(expression), at: expression.path)
        }
    }

    /// A text in a literal position.
    ///
    /// - Parameter noun: The value in words, for messages.
    mutating func text(
        _ literal: Literal, _ noun: String, at path: String
    ) throws(ChartFailure) -> String {
        let value = try value(literal)
        guard case .string(let text) = value else {
            throw ChartFailure(
                .evalError, "\(noun) must be a string, and is \(value.type.name)", at: path)
        }
        return text
    }

    /// A delay in milliseconds.
    mutating func delay(_ literal: Literal, at path: String) throws(ChartFailure) -> Int64 {
        let value: CELValue
        switch literal {
        case .constant(let constant): value = constant
        // Not converted: a duration or a time is no text here.
        case .computed(let expression): value = try evaluate(expression)
        }
        if case .timestamp(let time) = value, let rest = time.since(environment.now) {
            return ContextValue.milliseconds(.duration(max(rest, CELDuration(nanoseconds: 0)))) ?? 0
        }
        guard let milliseconds = ContextValue.milliseconds(value) else {
            throw ChartFailure(
                .evalError,
                "a delay is a text such as '30s', milliseconds, a duration or a timestamp, from 0 "
                    + "to 100 years", at: path)
        }
        return milliseconds
    }

    /// Makes an event or output.
    private mutating func event(
        _ template: Action.EventTemplate, at path: String, isOutput: Bool = false
    ) throws(ChartFailure) -> ChartEvent {
        let type = try text(template.type, "an event's type", at: path)
        if let fault = DescriptorTable.fault(inType: type) {
            throw ChartFailure(.evalError, fault, at: path)
        }
        if !isOutput, ChartEvent.isReserved(type) {
            throw ChartFailure(.evalError, "only the server sends events named '\(type)'", at: path)
        }
        var members = CELMap(minimumCapacity: template.members.count + 1)
        members[ChartEvent.typeKey] = .string(type)
        for member in template.members {
            let value = try value(member.value)
            if member.key != ChartEvent.typeKey { members[member.key] = value }
        }
        return ChartEvent(type: type, members: members, kind: .external)
    }

    // MARK: send

    /// SCXML 6.2: everything is evaluated at once, and a send that fails sends nothing.
    private mutating func send(
        _ template: Action.SendTemplate, at path: String
    ) throws(ChartFailure) {
        let id = try sendID(template.id, at: path)
        do throws(ChartFailure) {
            var event = try event(template.event, at: path)
            event.send = id
            if let via = template.via, try text(via, "'via'", at: path) != "machine" {
                throw ChartFailure(.evalError, "'via' must be \"machine\"", at: path)
            }
            let recipient = try recipient(template.target, at: path)
            let milliseconds = try template.delay.map { literal throws(ChartFailure) in
                try delay(literal, at: path)
            }
            try dispatch(event, to: recipient, milliseconds, at: path)
        } catch {
            var failure = error
            failure.sendID = id
            throw failure
        }
    }

    private mutating func sendID(
        _ identifier: Action.Identifier?, at path: String
    ) throws(ChartFailure) -> String? {
        switch identifier {
        case nil: return nil
        case .given(let literal): return try text(literal, "an id", at: path)
        case .made(let location):
            let id = "send.\(try nextSerial(at: path))"
            try assign(.string(id), to: location, at: path)
            return id
        }
    }

    private mutating func recipient(
        _ literal: Literal?, at path: String
    ) throws(ChartFailure) -> Recipient {
        guard let literal else { return .own }
        let text = try text(literal, "a recipient", at: path)
        guard let recipient = Recipient(text) else {
            throw ChartFailure(.evalError, "'\(text)' is no recipient", at: path)
        }
        return recipient == .address(environment.address) ? .own : recipient
    }

    private mutating func dispatch(
        _ event: ChartEvent, to recipient: Recipient, _ milliseconds: Int64?, at path: String
    ) throws(ChartFailure) {
        var event = event
        if recipient == .internal {
            guard milliseconds == nil else {
                throw ChartFailure(.evalError, "an internal event has no delay", at: path)
            }
            event.kind = .internal
            try raise(event)
            return
        }
        event.way = .machine
        guard let target = target(recipient) else {
            try reportUnknown(recipient, event)
            return
        }
        try request(
            .send(event, to: target, milliseconds: milliseconds ?? 0),
            carrying: ContextValue.measure(event.members))
    }

    /// The recipient as the host knows it; nil if it is unknown.
    private func target(_ recipient: Recipient) -> ChartRequest.Target? {
        switch recipient {
        case .own, .internal: return .own
        case .parent: return environment.parent == nil ? nil : .parent
        case .child(let id):
            // Requests and handlers take no events.
            let found = state.invocations.last {
                $0.id == id && chart.invocations[Int($0.plan)].mayBeMachine
            }
            return found.map { .child(id: id, serial: $0.serial) }
        case .address(let address):
            // Otherwise the host reports it, as it does for clients.
            guard isLenient, let directory = environment.directory else {
                return .address(address)
            }
            return directory.isKnown(address) ? .address(address) : nil
        }
    }

    /// An unknown recipient raises `error.communication`, and the block continues; where failures
    /// aren't events, it is logged.
    private mutating func reportUnknown(
        _ recipient: Recipient, _ sent: ChartEvent
    ) throws(ChartFailure) {
        let message = "the recipient of '\(sent.type)' is unknown: \(recipient)"
        guard isLenient else {
            return try request(
                .log(label: "send", .string(message)), carrying: message.utf8.count)
        }
        var event = ChartEvent.error(
            "error.communication", code: "UNKNOWN_RECIPIENT", message: message)
        event.send = sent.send
        try raise(event)
    }
}
