import CEL
import OrderedJSON

extension ChartReader {
    static let invokeWords: Set<String> = [
        "id", "src", "method", "url", "headers", "body", "retry", "timeout", "input",
        "autoforward", "finalize", "onDone", "onError", "description",
    ]

    static let retryWords: Set<String> = ["max", "interval", "backoff", "cap", "jitter"]

    /// Reads `invoke`: an object or a list of them.
    mutating func readInvocations(_ json: JSONValue, of state: Int32, _ path: JSONPath) {
        guard let list = json.array else {
            readInvocation(json, of: state, path)
            return
        }
        for (index, element) in list.enumerated() {
            readInvocation(element, of: state, path.element(index))
        }
    }

    private mutating func readInvocation(_ json: JSONValue, of state: Int32, _ path: JSONPath) {
        guard let object = json.object, let json = object["src"] else {
            problems.error(path, "'invoke' is an object with 'src'")
            return
        }
        let position = draft.states[Int(state)].invocations.count
        let id = object["id"].flatMap { identifier($0, path.member("id")) }
        guard let source = source(json, path.member("src")) else { return }
        var plan = InvokePlan(
            state: state, position: position, id: id, source: source, path: path.text)
        let name = plan.fixedID(in: draft.states[Int(state)])
        for member in object {
            let place = path.member(member.name)
            switch member.name {
            case "id", "src": break
            case "onDone": readEnd(member.value, "done.invoke.", name, of: state, place)
            case "onError": readEnd(member.value, "error.invoke.", name, of: state, place)
            case "description": checkText(member.value, place)
            case "input": plan.input = template(member.value, place)
            case "body": plan.body = template(member.value, place)
            case "autoforward": plan.autoforwards = flag(member.value, place)
            case "finalize": plan.finalize = actions(member.value, place)
            case "timeout": plan.timeout = delay(member.value, place)
            case "retry": plan.retry = retry(member.value, place)
            case "method": plan.method = text(member.value, place, "a method")
            case "url": plan.url = text(member.value, place, "a URL")
            case "headers": readHeaders(member.value, &plan, place)
            default: unknown(member.name, among: Self.invokeWords, path)
            }
        }
        checkRequest(object, plan, path)
        draft.states[Int(state)].invocations.append(Int32(draft.invocations.count))
        draft.invocations.append(plan)
    }

    private mutating func readEnd(
        _ json: JSONValue, _ prefix: String, _ name: String?, of state: Int32, _ path: JSONPath
    ) {
        guard let name else {
            problems.error(
                path,
                "the id is computed, so this can't be short for one event: write "
                    + "\"\(prefix)*\" in 'on'")
            return
        }
        readShortcut(json, prefix + name, of: state, path)
    }

    private mutating func source(_ json: JSONValue, _ path: JSONPath) -> InvokePlan.Source? {
        if let text = json.string { return source(named: text, path) }
        guard let object = json.object, object.count == 1, let member = object.members.first
        else {
            problems.error(
                path,
                "'src' is \"http\", \"machine:NAME\", a handler, {\"machine\":{…}} or "
                    + "{\"expr\":\"…\"}")
            return nil
        }
        let place = path.member(member.name)
        switch (member.name, member.value) {
        case ("expr", .string(let text)): return .computed(expression(text, place))
        case ("machine", let machine):
            if let inner = machine.object, inner.count == 1, let text = inner["expr"]?.string {
                return .definition(expression(text, place.member("expr")))
            }
            return inlineMachine(machine, place).map { .chart($0) }
        default:
            unknown(member.name, among: ["machine", "expr"], path)
            return nil
        }
    }

    private mutating func source(named text: String, _ path: JSONPath) -> InvokePlan.Source? {
        guard let source = InvokePlan.Source(named: text) else {
            problems.error(path, "'src' names no machine or handler")
            return nil
        }
        if text.hasPrefix("http:") || text.hasPrefix("https:") {
            problems.warning(
                path,
                "this is the name of a handler: for a request write \"src\":\"http\" and the "
                    + "address as 'url'")
        }
        return source
    }

    /// Reads a machine within this one; its problems are problems of this definition.
    private mutating func inlineMachine(_ json: JSONValue, _ path: JSONPath) -> Chart? {
        guard machineLevel < ChartLimits.machineLevelsMax else {
            problems.error(
                path, "inline machines may be nested \(ChartLimits.machineLevelsMax) deep")
            return nil
        }
        var reader = ChartReader(machineLevel: machineLevel + 1, wasAccepted: wasAccepted)
        // The bounds are those of the whole definition.
        (reader.regexPartsLeft, reader.constantStepsLeft) = (regexPartsLeft, constantStepsLeft)
        reader.readMachine(json, path)
        (regexPartsLeft, constantStepsLeft) = (reader.regexPartsLeft, reader.constantStepsLeft)
        self.draft.unsteadyNames.formUnion(reader.draft.unsteadyNames)
        let (draft, found) = (reader.draft, reader.problems.reported)
        for problem in found { problems.add(problem) }
        guard !found.contains(where: { $0.severity == .error }) else { return nil }
        return Chart(draft, warnings: [])
    }

    // MARK: Requests

    private mutating func readHeaders(
        _ json: JSONValue, _ plan: inout InvokePlan, _ path: JSONPath
    ) {
        guard let object = json.object else {
            problems.error(path, "'headers' is an object: texts by name")
            return
        }
        if object.count == 1, object["expr"]?.string != nil {
            plan.computedHeaders = literal(json, path)
            return
        }
        for member in object {
            let place = path.member(member.name)
            if member.value.object?["secret"] != nil {
                readSecret(member.value, named: member.name, &plan, place)
            } else if let value = text(member.value, place, "a header") {
                plan.headers.append((CELKey(member.name), value))
            }
        }
    }

    /// Reads a header that is a secret of the server: its name, and the text before its value.
    private mutating func readSecret(
        _ json: JSONValue, named name: String, _ plan: inout InvokePlan, _ path: JSONPath
    ) {
        let members = json.object ?? JSONObject()
        let isSecret = members.allSatisfy { member in
            ["secret", "prefix"].contains(member.name) && member.value.string != nil
        }
        guard isSecret else {
            problems.error(
                path, "a secret is {\"secret\":\"NAME\"} or {\"secret\":\"NAME\",\"prefix\":\"…\"}")
            return
        }
        plan.headers.append((CELKey(name), .constant(CELValue(json))))
    }

    private mutating func retry(_ json: JSONValue, _ path: JSONPath) -> InvokePlan.Retry? {
        guard let object = json.object else {
            problems.error(path, "'retry' is an object such as {\"max\":8,\"interval\":\"1s\"}")
            return nil
        }
        var retry = InvokePlan.Retry()
        for member in object {
            let place = path.member(member.name)
            switch member.name {
            case "max":
                retry.max = member.value.integer.flatMap { $0 >= 1 ? Int($0) : nil }
                if retry.max == nil {
                    problems.error(place, "'max' is a number of attempts from 1")
                }
            case "backoff":
                retry.backoff = member.value.double.flatMap { $0 >= 1 ? $0 : nil }
                if retry.backoff == nil { problems.error(place, "'backoff' is a factor from 1") }
            case "interval": retry.interval = delay(member.value, place)
            case "cap": retry.cap = delay(member.value, place)
            case "jitter": retry.jitter = flag(member.value, place)
            default:
                unknown(member.name, among: Self.retryWords, path)
            }
        }
        return retry
    }

    /// Words of requests make sense for `http` only; `retry` and `timeout` for handlers too.
    private mutating func checkRequest(
        _ object: JSONObject, _ plan: InvokePlan, _ path: JSONPath
    ) {
        let request = ["method", "url", "headers", "body"]
        switch plan.source {
        case .http:
            if plan.url == nil { problems.error(path, "a request needs 'url'") }
            if object["input"] != nil {
                problems.error(path.member("input"), "a request has 'body' instead of 'input'")
            }
        case .computed: break
        case .handler:
            for name in request where object[name] != nil {
                problems.error(path.member(name), "'\(name)' is for \"src\":\"http\" only")
            }
        case .machine, .chart, .definition:
            for name in request + ["retry", "timeout"] where object[name] != nil {
                problems.error(path.member(name), "'\(name)' has no meaning for a machine")
            }
        }
    }
}

extension InvokePlan.Source {
    /// Reads `http`, `machine:NAME` or a handler's name; nil if the name can't be one.
    init?(named text: String) {
        if text == "http" {
            self = .http
        } else if text.hasPrefix("machine:") {
            let name = String(text.dropFirst("machine:".count))
            guard ChartAddress.isMachineName(name) else { return nil }
            self = .machine(name)
        } else {
            guard !text.isEmpty, text.utf8.count <= ChartLimits.nameBytesMax else { return nil }
            self = .handler(text)
        }
    }
}

extension InvokePlan {
    /// An id that isn't given: `STATE.N`, and `machine.N` for one of the machine itself.
    func madeID(in node: StateNode) -> String {
        "\(node.parent < 0 ? "machine" : node.id).\(position)"
    }

    /// The id, unless it is computed: the given one, or `STATE.N` with the position from 0.
    func fixedID(in node: StateNode) -> String? {
        switch id {
        case .given(let literal): literal.text
        case .made, nil: madeID(in: node)
        }
    }
}
