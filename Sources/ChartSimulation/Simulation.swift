import CEL
public import OrderedJSON
public import Statecharts

/// A chart that is tried by commands, in virtual time: events are sent, time passes, requests are
/// answered, and each command shows what has happened.
///
/// The same commands always show the same. Nothing outside is touched: requests by HTTP and
/// handlers wait for `.answer` or `.fail`, and time moves only by `.wait`.
public struct Simulation: Sendable {
    /// What a command has shown.
    public struct Result: Sendable {
        /// What has happened, in order.
        public var records: [SimulationRecord] = []
        /// Why the command can't be understood or carried out; nil if it was.
        public var fault: String?
        /// Whether the simulation is to end.
        public var isEnd = false
    }

    private let chart: Chart
    private let machines: [String: Chart]
    private var run: ChartRun
    /// The runs before the newest commands, the newest last.
    private var past: [ChartRun] = []
    /// Whether the machine was started.
    public private(set) var isStarted = false

    /// A simulation, whose first command starts the machine.
    ///
    /// - Parameter machines: The charts by name that can be invoked and sent to.
    public init(_ chart: Chart, machines: [String: Chart] = [:]) {
        self.chart = chart
        self.machines = machines
        run = Self.run(chart, machines, SimulationCommand.Start())
    }

    private static func run(
        _ chart: Chart, _ machines: [String: Chart], _ start: SimulationCommand.Start
    ) -> ChartRun {
        ChartRun(
            chart, machines: machines, id: start.id, start: start.time, seed: start.seed,
            input: start.input)
    }

    // MARK: State

    /// The virtual time as a text.
    public var time: String { run.now.description }

    /// The state of the machine as JSON; nil before the start, or if that failed.
    public var state: JSONValue? {
        run.state.flatMap { try? JSONValue(parsing: chart.json(of: $0), limits: .stored) }
    }

    // MARK: Commands

    /// Whether a line is a command, and not a comment or blank.
    public static func isCommand(_ line: String) -> Bool {
        let text = line.trimmed
        return !text.isEmpty && text.first != "#"
    }

    /// Whether a line is a command that needs a started machine.
    public static func needsStart(_ line: String) -> Bool {
        guard isCommand(line), let command = try? SimulationCommand(line.trimmed) else {
            return false
        }
        return command.needsStart
    }

    /// Carries out a command: an event such as `PAY {"amount":5}`, or a word after a dot, which
    /// `.help` lists. A blank line and one that begins with `#` do nothing.
    public mutating func perform(_ line: String) -> Result {
        guard Self.isCommand(line) else { return Result() }
        let text = line.trimmed
        let command: SimulationCommand
        do throws(SimulationCommand.Fault) {
            command = try SimulationCommand(text)
        } catch {
            return Result(fault: error.message)
        }
        if !isStarted, command.needsStart {
            let started = perform(.start(SimulationCommand.Start()))
            var result = perform(command)
            result.records.insert(contentsOf: started.records, at: 0)
            return result
        }
        return perform(command)
    }

    private mutating func perform(_ command: SimulationCommand) -> Result {
        switch command {
        case .help: return Result(records: Self.help)
        case .quit: return Result(isEnd: true)
        case .state: return Result(records: states)
        case .next: return Result(records: possibilities)
        case .undo:
            guard let before = past.popLast() else { return Result(fault: "nothing to undo") }
            run = before
            return Result(records: states)
        case .start, .event, .wait, .answer, .fail: return change(command)
        }
    }

    /// Carries out a command that can be undone.
    private mutating func change(_ command: SimulationCommand) -> Result {
        let before = run
        let wasStarted = isStarted
        var sent: (type: String, address: String)?
        var time = run.now
        do throws(ChartRunError) {
            switch command {
            case .start(let start):
                run = Self.run(chart, machines, start)
                time = run.now
                isStarted = true
                try run.start()
            case .event(let event, let address):
                let address = address ?? run.address
                sent = (event.type, address)
                try run.send(event, to: address)
            case .wait(let milliseconds):
                guard let length = milliseconds ?? run.nextDue else {
                    return Result(fault: "nothing is due: write .wait 30m to let time pass")
                }
                try run.advance(milliseconds: length)
            case .answer(let id, let value):
                guard try run.answer(id, with: value) else { return Result(fault: unasked(id)) }
            case .fail(let id, let code, let message):
                guard try run.fail(id, code: code, message: message) else {
                    return Result(fault: unasked(id))
                }
            case .state, .next, .undo, .help, .quit: break
            }
        } catch {
            run = before
            return Result(fault: "given up: \(error.reason)")
        }
        if wasStarted { keep(before) }
        var writer = SimulationWriter(main: run.address, sent: sent, time: time)
        for record in run.records { writer.write(record) }
        run.records = []
        return Result(records: writer.records)
    }

    private mutating func keep(_ before: ChartRun) {
        if past.count == SimulationLimits.undoMax { past.removeFirst() }
        past.append(before)
    }

    private func unasked(_ id: String) -> String {
        let ids = run.pending.map(\.invocation.id)
        return ids.isEmpty
            ? "nothing waits for an answer"
            : "'\(id)' doesn't wait for an answer, but \(ids.joined(separator: ", "))"
    }

    // MARK: What can be shown

    private var states: [SimulationRecord] {
        var records = [SimulationRecord("time", nil, time, .string(time))]
        for (address, chart, state) in run.instanceStates {
            let json = (try? JSONValue(parsing: chart.json(of: state), limits: .stored)) ?? .null
            records.append(
                SimulationRecord("state", address == run.address ? nil : address, json))
        }
        return records
    }

    /// The events that active states take, the answers that are waited for, and what is due.
    private var possibilities: [SimulationRecord] {
        var records: [SimulationRecord] = []
        for (address, chart, state) in run.instanceStates where !state.isFinished {
            let types = chart.accepted(in: state)
            guard !types.isEmpty else { continue }
            records.append(
                SimulationRecord(
                    "events", address == run.address ? nil : address,
                    types.joined(separator: " "), .array(types.map(JSONValue.string))))
        }
        for waiting in run.pending {
            let id = waiting.invocation.id
            records.append(SimulationRecord("answer", nil, id, .string(id)))
        }
        for waiting in run.waiting {
            let what = waiting.state.map { "timer of \($0.isEmpty ? "the machine" : $0)" }
            let event = waiting.send.map { "\($0.event.type) to \($0.to)" }
            let text = "\(ChartDelay.text(waiting.milliseconds)) \(what ?? event ?? "")"
            records.append(
                SimulationRecord(
                    "in", nil, text,
                    [
                        "ms": .integer(waiting.milliseconds),
                        "what": .string(what ?? event ?? ""),
                    ]))
        }
        guard !records.isEmpty else {
            let text = run.isFinished ? "the machine is done" : "nothing can happen"
            return [SimulationRecord("nothing", nil, text, .string(text))]
        }
        return records
    }

    private static var help: [SimulationRecord] {
        let event = ("TYPE [JSON]", "send an event: PAY, PAY {\"amount\":5}, or one object")
        return ([event] + SimulationCommand.words.map { ($0.usage, $0.purpose) }).map { line in
            let usage = line.0.padding(28)
            return SimulationRecord("help", nil, usage + line.1, .string(line.0 + ": " + line.1))
        }
    }
}

extension SimulationCommand {
    /// Whether the machine is started before it.
    fileprivate var needsStart: Bool {
        switch self {
        case .start, .help, .quit: false
        case .event, .wait, .answer, .fail, .state, .next, .undo: true
        }
    }
}

extension ChartRunError {
    /// The error in a sentence.
    package var reason: String {
        switch self {
        case .endless: "the machines cause events without end"
        case .endOfTime: "the time would be after the year 9999"
        }
    }
}

extension String {
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    func padding(_ columns: Int) -> String {
        self + String(repeating: " ", count: max(1, columns - count))
    }
}
