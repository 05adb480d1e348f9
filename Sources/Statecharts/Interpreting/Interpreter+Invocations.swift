import CEL

/// Invocations (SCXML 6.4 and appendix D, `invoke` and `cancelInvoke`).
extension Interpreter {
    /// Starts the invocations of a state that is still active at the end of a macrostep.
    mutating func startInvocations(of index: Int32) throws(ChartFailure) {
        for number in chart.states[Int(index)].invocations { try startOrAbsorb(number) }
    }

    /// Starts an invocation, by the number of its plan.
    mutating func startOrAbsorb(_ number: Int32) throws(ChartFailure) {
        do throws(ChartFailure) {
            try startInvocation(number)
        } catch {
            // Where failures are events: nothing is started.
            try absorb(error)
        }
    }

    private mutating func startInvocation(_ number: Int32) throws(ChartFailure) {
        let plan = chart.invocations[Int(number)]
        let id = try invocationID(plan)
        let source = try source(plan)
        let input = try plan.input.map { template throws(ChartFailure) in try value(template) }
        let timeout = try plan.timeout.map { literal throws(ChartFailure) in
            try delay(literal, at: plan.path)
        }
        let retry = try plan.retry.map { retry throws(ChartFailure) in
            try self.retry(retry, at: plan.path)
        }
        guard !state.invocations.contains(where: { $0.id == id }) else {
            throw ChartFailure(.evalError, "an invocation '\(id)' runs already", at: plan.path)
        }
        let serial = try nextSerial(at: plan.path)
        state.invocations.append(ChartState.Invocation(id: id, plan: number, serial: serial))
        let invocation = ChartInvocation(
            id: id, serial: serial, source: source, input: input, retry: retry,
            timeout: timeout)
        try request(.invoke(invocation), carrying: invocation.bytes)
    }

    /// Counts an id or invocation. One past the bound couldn't be read again.
    mutating func nextSerial(at path: String) throws(ChartFailure) -> Int64 {
        guard state.serial < ChartLimits.serialMax else {
            throw ChartFailure(
                .evalLimit, "an instance makes \(ChartLimits.serialMax) ids", at: path)
        }
        state.serial += 1
        return state.serial
    }

    private mutating func invocationID(_ plan: InvokePlan) throws(ChartFailure) -> String {
        switch plan.id {
        case .given(let literal): return try text(literal, "an id", at: plan.path)
        case .made(let location):
            let id = plan.madeID(in: chart.states[Int(plan.state)])
            try assign(.string(id), to: location, at: plan.path)
            return id
        case nil: return plan.madeID(in: chart.states[Int(plan.state)])
        }
    }

    private mutating func source(
        _ plan: InvokePlan
    ) throws(ChartFailure) -> ChartInvocation.Source {
        switch plan.source {
        case .http: return .http(try request(plan))
        case .machine(let name): return .machine(name)
        case .handler(let name): return .handler(name)
        case .chart(let chart): return .chart(chart)
        case .definition(let expression):
            return .definition(try kept(evaluate(expression), at: expression.path))
        case .computed(let expression):
            return try source(evaluate(expression), plan, at: expression.path)
        }
    }

    /// A computed source: a text as it could be written, or `{"machine":{…}}`.
    private mutating func source(
        _ value: CELValue, _ plan: InvokePlan, at path: String
    ) throws(ChartFailure) -> ChartInvocation.Source {
        switch value {
        case .string(let text):
            switch InvokePlan.Source(named: text) {
            case .http?: return .http(try request(plan))
            case .machine(let name)?: return .machine(name)
            case .handler(let name)?: return .handler(name)
            default: break
            }
        case .map(let map):
            if map.count == 1, let definition = map["machine"] {
                return .definition(try kept(definition, at: path))
            }
        default: break
        }
        throw ChartFailure(.evalError, "'src' names no machine, handler or http", at: path)
    }

    private mutating func request(
        _ plan: InvokePlan
    ) throws(ChartFailure) -> ChartInvocation.Request {
        guard let url = plan.url else {
            throw ChartFailure(.evalError, "a request needs 'url'", at: plan.path)
        }
        var headers = CELMap()
        for header in plan.headers {
            if case .constant(.map(let secret)) = header.value {
                headers[header.name] = .map(secret)
            } else {
                headers[header.name] = .string(try text(header.value, "a header", at: plan.path))
            }
        }
        if let computed = plan.computedHeaders {
            guard case .map(let map) = try value(computed) else {
                throw ChartFailure(.evalError, "'headers' must be a map", at: plan.path)
            }
            // What is computed may come from an event, whose sender must not choose a secret.
            for header in map.entries {
                guard case .map = header.value else { continue }
                throw ChartFailure(
                    .evalError, "a secret is named in the definition, and never computed",
                    at: plan.path)
            }
            headers = map
        }
        let body = try plan.body.map { template throws(ChartFailure) in try value(template) }
        let method = try plan.method.map { literal throws(ChartFailure) in
            try text(literal, "a method", at: plan.path)
        }
        return ChartInvocation.Request(
            method: method ?? (body == nil ? "GET" : "POST"),
            url: try text(url, "a URL", at: plan.path), headers: headers, body: body)
    }

    private mutating func retry(
        _ retry: InvokePlan.Retry, at path: String
    ) throws(ChartFailure) -> ChartInvocation.Retry {
        ChartInvocation.Retry(
            attemptsMax: retry.max,
            interval: try retry.interval.map { literal throws(ChartFailure) in
                try delay(literal, at: path)
            },
            backoff: retry.backoff,
            cap: try retry.cap.map { literal throws(ChartFailure) in try delay(literal, at: path) },
            isJittered: retry.jitter)
    }

    /// Stops the invocations of a state that is left.
    mutating func stopInvocations(of index: Int32) {
        for invocation in state.invocations
        where chart.invocations[Int(invocation.plan)].state == index {
            requests.append(.stopInvocation(id: invocation.id, serial: invocation.serial))
        }
        let plans = chart.invocations
        state.invocations.removeAll { plans[Int($0.plan)].state == index }
    }
}

extension ChartInvocation {
    /// The bytes of its values as JSON, counted roughly.
    fileprivate var bytes: Int {
        var bytes = input.map { ContextValue.measure($0) } ?? 0
        switch source {
        case .http(let request):
            bytes += request.url.utf8.count + ContextValue.measure(request.headers)
            if let body = request.body { bytes += ContextValue.measure(body) }
        case .definition(let definition): bytes += ContextValue.measure(definition)
        case .machine, .handler, .chart: break
        }
        return bytes
    }
}
