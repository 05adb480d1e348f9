import CEL
import OrderedJSON
import Transducers

// What a step asks for, as outputs and effects of a server.
extension ChartMachine {
    /// Writes requests. Of a finished instance, nothing that takes time is left.
    func write(
        _ requests: [ChartRequest], isFinished: Bool, _ environment: ChartEnvironment,
        into step: inout StepBuffer
    ) throws(StepFailure) {
        for request in requests where !isFinished || request.isOfFinished {
            switch request {
            case .emit(let type, let members):
                var writer = step.outputWriter()
                ContextValue.write(members, &writer)
                try step.add(output: writer, type: type)
            case .log(let label, let value):
                try step.add(.log(label: label, value: value.json ?? .null))
            case .send(let event, let target, let milliseconds):
                if let run = send(event, to: target, milliseconds, environment) {
                    try step.add(.start(run))
                }
            case .cancel(let id):
                try step.add(.cancel(HostedSelector(.id(EffectName.send(id)))))
            case .startTimer(let timer, let milliseconds):
                let key = HostedKey(id: EffectName.timer(timer, of: chart))
                let event = StoredTimer(timer, of: chart).json
                let work = HostedRun.Work.after(milliseconds: milliseconds, event: event)
                try step.add(.start(HostedRun(key: key, work: work)))
            case .cancelTimers(let state):
                for position in chart.states[Int(state)].timers.indices {
                    let timer = ChartEvent.TimerID(state: state, position: Int32(position))
                    let id = EffectName.timer(timer, of: chart)
                    try step.add(.cancel(HostedSelector(.id(id))))
                }
            case .invoke(let invocation): try step.add(.start(run(invocation)))
            case .stopInvocation(let id, let serial):
                let name = EffectName.invocation(id, serial)
                try step.add(.cancel(HostedSelector(.id(name))))
            case .forward(let event, let id, let serial):
                let work = HostedRun.Work.send(
                    to: "#" + EffectName.invocation(id, serial), event: event.json,
                    milliseconds: 0)
                try step.add(
                    .start(
                        HostedRun(
                            key: HostedKey(id: nil), policy: .coexist, work: work, retry: .never)))
            case .finish(let output):
                var writer = JSONWriter()
                ContextValue.write(output, &writer)
                step.result = writer.bytes
            }
        }
    }

    /// Writes a state.
    func write(_ state: ChartState, into step: inout StepBuffer) throws(StepFailure) {
        chart.write(state, to: &step.state)
        if let definition {
            step.state.bytes.removeLast()
            step.state.literal(",\"definition\":")
            step.state.bytes += definition
            step.state.literal("}")
        }
        // Only these can be nested more deeply than the context.
        guard !state.deferred.isEmpty || definition != nil else { return }
        let max = JSONLimits.standard.depthMax
        guard !JSONDepth.exceeds(max, in: step.state.bytes) else {
            throw .outputLimit("a state may be nested \(max) deep as JSON")
        }
    }

    private func send(
        _ event: ChartEvent, to target: ChartRequest.Target, _ milliseconds: Int64,
        _ environment: ChartEnvironment
    ) -> HostedRun? {
        let key = HostedKey(id: event.send.map(EffectName.send))
        let work: HostedRun.Work
        switch target {
        case .own:
            var event = event
            event.origin = environment.address
            work = .after(milliseconds: milliseconds, event: event.json)
        case .parent:
            guard let parent = environment.parent else { return nil }
            work = .send(to: parent, event: payload(event), milliseconds: milliseconds)
        case .child(let id, let serial):
            work = .send(
                to: "#" + EffectName.invocation(id, serial), event: payload(event),
                milliseconds: milliseconds)
        case .address(let address):
            work = .send(to: address, event: payload(event), milliseconds: milliseconds)
        }
        return HostedRun(
            key: key, policy: .coexist, work: work, retry: .never,
            isToParent: target == .parent ? true : nil)
    }

    /// The event for another instance, which learns of the origin from the server alone.
    private func payload(_ event: ChartEvent) -> JSONValue {
        var members = event.members.jsonObject
        members[ChartEvent.metaName] = nil
        return .object(members)
    }

    // MARK: Invocations

    private func run(_ invocation: ChartInvocation) -> HostedRun {
        let key = HostedKey(id: EffectName.invocation(invocation.id, invocation.serial))
        return HostedRun(
            key: key, policy: .coexist, work: work(of: invocation),
            retry: invocation.retry.map(RetryPolicy.init) ?? .standard,
            timeout: invocation.timeout)
    }

    private func work(of invocation: ChartInvocation) -> HostedRun.Work {
        let input = invocation.input?.json
        func start(_ machine: String, _ input: JSONValue?) -> HostedRun.Work {
            .start(machine: machine, instance: nil, input: input, detached: false)
        }
        switch invocation.source {
        case .http(let request): return .perform(handler: "http", argument: request.json)
        case .handler(let name): return .perform(handler: name, argument: input ?? .null)
        case .machine(let name): return start(name, input)
        case .chart(let inline):
            guard let name = inlineNames[ObjectIdentifier(inline)] else {
                preconditionFailure("each inline machine of a definition has a name")
            }
            return start(name, input)
        case .definition(let value):
            var computed = JSONObject()
            computed["definition"] = value.json ?? .null
            if let input { computed["input"] = input }
            return start(Self.computedName(of: family), .object(computed))
        }
    }
}

extension ChartRequest {
    /// Whether it is carried out for an instance that is finished by it.
    fileprivate var isOfFinished: Bool {
        switch self {
        case .emit, .log, .finish: true
        case .send(_, let target, let milliseconds): milliseconds == 0 && target != .own
        case .cancel, .startTimer, .cancelTimers, .invoke, .stopInvocation, .forward: false
        }
    }

    /// Whether it is carried out for an instance that is stopped from outside.
    var isOfStopped: Bool {
        switch self {
        case .emit, .log: true
        case .send, .cancel, .startTimer, .cancelTimers, .invoke, .stopInvocation, .forward,
            .finish:
            false
        }
    }
}

extension ChartInvocation.Request {
    /// The argument of the handler `http`.
    fileprivate var json: JSONValue {
        var request = JSONObject()
        request["method"] = .string(method)
        request["url"] = .string(url)
        if !headers.isEmpty { request["headers"] = .object(headers.jsonObject) }
        if let body { request["body"] = body.json ?? .null }
        return .object(request)
    }
}

extension RetryPolicy {
    /// The policy that a definition names, over the server's default.
    fileprivate init(_ retry: ChartInvocation.Retry) {
        let standard = RetryPolicy.standard
        self.init(
            attemptsMax: retry.attemptsMax ?? standard.attemptsMax,
            interval: .milliseconds(retry.interval ?? standard.intervalMilliseconds),
            factor: retry.backoff ?? standard.factor,
            intervalMax: .milliseconds(retry.cap ?? standard.intervalMillisecondsMax),
            jitter: (retry.isJittered ?? true) ? standard.jitter : 0)
    }
}
