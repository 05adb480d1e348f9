import CEL
import OrderedJSON
import Statecharts

/// Turns the records of a run into those of a simulation.
struct SimulationWriter {
    /// The machine that is simulated, whose address isn't written.
    let main: String
    /// The event that a command has sent, which needn't be said again.
    private var sent: (type: String, address: String)?
    /// The time that was written last.
    private var time: CELTimestamp
    private(set) var records: [SimulationRecord] = []

    init(main: String, sent: (type: String, address: String)?, time: CELTimestamp) {
        self.main = main
        self.sent = sent
        self.time = time
    }

    mutating func write(_ record: ChartRun.Record) {
        if record.time != time {
            time = record.time
            let text = time.description
            records.append(SimulationRecord("time", nil, text, .string(text)))
        }
        let address = record.address == main ? nil : record.address
        switch record.entry {
        case .event(let event): write(event, address, record.address)
        case .timer(let state): add("timer", address, state, .string(state))
        case .step(let change): write(change, address)
        case .asked(let invocation): write(invocation, address)
        case .output(_, let members): add("output", address, json(.map(members)))
        case .log(let label, let value):
            let json = json(value)
            add(
                "log", address, (label.map { "\($0): " } ?? "") + json.description,
                label.map { ["label": .string($0), "value": json] } ?? ["value": json])
        case .failure(let failure): write(failure, address)
        case .undelivered(let event, let address):
            let json = json(.map(event.members))
            add("undelivered", nil, "\(address) \(json)", ["to": .string(address), "event": json])
        case .finished(let output): add("done", address, json(output))
        }
    }

    private mutating func write(_ event: ChartEvent, _ address: String?, _ full: String) {
        if let sent, sent.type == event.type, sent.address == full {
            self.sent = nil
            return
        }
        var members = event.members.json.object ?? JSONObject()
        members["type"] = nil
        let text = members.isEmpty ? event.type : "\(event.type) \(JSONValue.object(members))"
        add("event", address, text, event.members.json)
    }

    private mutating func write(_ failure: ChartFailure, _ address: String?) {
        sent = nil
        let place = failure.path.map { " (\($0))" } ?? ""
        var value: JSONObject = [
            "code": .string(failure.code.rawValue), "message": .string(failure.message),
        ]
        if let path = failure.path { value["path"] = .string(path) }
        add(
            "refused", address, "\(failure.code.rawValue): \(failure.message)\(place)",
            .object(value))
    }

    private mutating func write(_ change: ChartRun.Change, _ address: String?) {
        let count = records.count
        let value = self.value(change.chart, change.after)
        if let before = change.before {
            let old = self.value(change.chart, before)
            if old != value {
                add(
                    "state", address, "\(name(old)) -> \(name(value))",
                    ["from": old, "to": value])
            }
        } else {
            add("state", address, name(value), ["to": value])
        }
        for entry in change.after.context.entries {
            let old = change.before.map { $0.context[entry.key] ?? .null }
            guard old != entry.value else { continue }
            let key = json(entry.key.value).string ?? json(entry.key.value).description
            let new = json(entry.value)
            if let old = old.map({ json($0) }) {
                add(
                    "context", address, "\(key) \(old) -> \(new)",
                    ["name": .string(key), "from": old, "to": new])
            } else {
                add("context", address, "\(key) \(new)", ["name": .string(key), "to": new])
            }
        }
        guard records.count == count else { return }
        if change.after.deferredCount > change.before?.deferredCount ?? 0 {
            add("deferred", address, "until a state takes it", true)
        } else if !change.isChanged {
            add("unchanged", address, "no transition takes it", true)
        }
    }

    private mutating func write(_ invocation: ChartInvocation, _ address: String?) {
        var value: JSONObject = ["id": .string(invocation.id)]
        var text = invocation.id
        if case .http(let request) = invocation.source {
            value["method"] = .string(request.method)
            value["url"] = .string(request.url)
            text += " http \(request.method) \(request.url)"
            if !request.headers.isEmpty { value["headers"] = request.headers.json }
            if let body = request.body {
                value["body"] = json(body)
                text += " \(json(body))"
            }
        } else if case .handler(let name) = invocation.source {
            value["handler"] = .string(name)
            text += " handler \(name)"
            if let input = invocation.input {
                value["input"] = json(input)
                text += " \(json(input))"
            }
        }
        add("asks", address, text, .object(value))
    }

    // MARK: Texts

    private mutating func add(
        _ word: String, _ address: String?, _ text: String, _ value: JSONValue
    ) {
        records.append(SimulationRecord(word, address, text, value))
    }

    private mutating func add(_ word: String, _ address: String?, _ value: JSONValue) {
        records.append(SimulationRecord(word, address, value))
    }

    private func value(_ chart: Chart, _ state: ChartState) -> JSONValue {
        chart.activeValue(of: state)
    }

    /// The name of a state without children as it is, and others as JSON.
    private func name(_ value: JSONValue) -> String { value.string ?? value.description }

    private func json(_ value: CELValue) -> JSONValue { value.json ?? .null }
}

extension CELMap {
    /// The map as JSON.
    var json: JSONValue { CELValue.map(self).json ?? .null }
}
