import ArgumentParser
import CEL
import ChartSimulation
import OrderedJSON
import Statecharts

struct Explore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try all that can happen to a statechart, and find what goes wrong.",
        discussion: """
            Tries each event in each state that can be reached, with examples made from the \
            declared schemas; lets each timer fire; answers each request, and lets it fail. It \
            reports with the shortest sequence of commands, which 'grove simulate' repeats: dead \
            ends, steps that fail, and conditions of --invariant that aren't true; and which \
            states and events never occur. No server is needed.

              grove explore order.json
              grove explore order.json --invariant 'context.paid <= context.total' \\
                --event '{"type":"PAY","amount":7}' \\
                --answer 'ship={"status":200,"body":{"track":"T1"}}'

            Events of --event replace the examples of their type. Events come at once, or when \
            something is due; --wait 5s also waits that long in each state. A context that never \
            repeats, such as one that counts, is explored as far as --states says, or --timeout.

            Exit codes: 0 nothing is wrong, 1 something is, 65 the file or an option is wrong, 66 \
            there is no such file.
            """)

    @Argument(help: "A file with a definition in JSON.", completion: .file()) var file: String
    @Option(help: ArgumentHelp("A condition that must always be true.", valueName: "expr"))
    var invariant: [String] = []
    @Option(
        help: ArgumentHelp(
            "An event to try instead of the examples of its type: a type or JSON.",
            valueName: "event"))
    var event: [String] = []
    @Option(help: ArgumentHelp("An answer to a request or handler.", valueName: "id=json"))
    var answer: [String] = []
    @Option(help: ArgumentHelp("A length of time to wait in each state.", valueName: "time"))
    var wait: [String] = []
    @Option(help: "The states of the machine to visit at most.") var states = 10_000
    @Option(help: "The commands of a sequence at most.") var depth: Int?
    @Option(
        help: ArgumentHelp(
            "The longest time to explore, such as 30s: what was found until then is shown.",
            valueName: "time"))
    var timeout: TimeSpan?
    @OptionGroup var format: FormatFlags

    func validate() throws {
        guard (1...1_000_000).contains(states) else {
            throw ValidationError("--states is a number from 1 to 1000000.")
        }
        if let depth, depth < 1 { throw ValidationError("--depth is a number from 1.") }
    }

    func run() async throws {
        let file = try ChartFile(file, format)
        let options = try options(of: file.chart)
        let end = timeout.map { ContinuousClock.now + $0.duration }
        var progress = ProgressLine("exploring, states", format.noteStyle)
        let report = Exploration.explore(
            file.chart, machines: file.machines(), options,
            progress: { progress.show(Int64($0), of: Int64(states)) },
            isOver: { end.map { .now >= $0 } ?? false })
        progress.finish()
        try show(report, file.chart)
        if !report.findings.isEmpty { throw ExitCode.refused }
    }

    // MARK: Options

    private func options(of chart: Chart) throws -> Exploration.Options {
        var options = Exploration.Options()
        options.statesMax = states
        options.depthMax = depth
        options.invariants = try invariant.map { try condition($0, chart) }
        options.events = try event.map { text in
            do {
                return try ChartEvent(ofClient: JSONValue(parsing: EventText(text).bytes))
            } catch {
                throw wrong("--event '\(text)'", "\(error)")
            }
        }
        options.waits = try wait.map { text in
            guard let milliseconds = ChartDelay.milliseconds(text), milliseconds > 0 else {
                throw wrong("--wait '\(text)'", "write 30s, 500ms, 1h30m or P7D")
            }
            return milliseconds
        }
        for text in answer {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw wrong("--answer '\(text)'", "write ID=JSON, such as ship=null")
            }
            do throws(JSONError) {
                let json = try JSONValue(parsing: Array(parts[1].utf8))
                options.answers[String(parts[0]), default: []].append(CELValue(json))
            } catch {
                throw wrong("--answer '\(text)'", "\(error)")
            }
        }
        return options
    }

    private func condition(_ text: String, _ chart: Chart) throws -> ChartCondition {
        let condition: ChartCondition
        do throws(CELErrors) {
            condition = try ChartCondition(text, on: chart)
        } catch {
            throw wrong("--invariant", "\(error)")
        }
        guard condition.unknownStates.isEmpty else {
            let names = condition.unknownStates.joined(separator: ", ")
            throw wrong("--invariant", "the chart has no state \(names)")
        }
        return condition
    }

    private func wrong(_ option: String, _ problem: String) -> ExitCode {
        for line in "error: \(option): \(problem)".split(separator: "\n") {
            Output.note(format.noteStyle.safe(String(line)))
        }
        let line = problem.split(separator: "\n", maxSplits: 1).first ?? ""
        format.showFailure(.dataError, "\(option): \(line)")
        return .dataError
    }

    // MARK: Report

    private func show(_ report: Exploration.Report, _ chart: Chart) throws {
        if format.json { return try Output.line(json(report).serialized()) }
        let style = format.style
        for finding in report.findings {
            try Output.line(
                style.paint(finding.kind.rawValue, .bad) + "  " + style.safe(finding.text)
                    + (finding.kind == .deadEnd ? ": no event that was tried does anything" : ""))
            try show(finding.commands, style)
        }
        let never: [(String, [String])] = [
            ("never active", report.unreached), ("never taken", report.untaken),
        ]
        for (word, names) in never where !names.isEmpty {
            try Output.line(
                style.paint(word, .accent) + "  " + style.safe(names.joined(separator: " ")))
        }
        for id in report.unanswered {
            try Output.line(
                style.paint("no answer", .accent)
                    + style.safe("  \(id) needs another one: --answer '\(id)=JSON'"))
        }
        try Output.line(
            "\(counted(report.states, "state")), \(counted(report.steps, "step")), depth "
                + "\(report.depth): \(extent(of: report))")
    }

    /// Whether that was all, and what leads to more.
    private func extent(of report: Exploration.Report) -> String {
        if report.isEnded { return "not all: the time of --timeout was over" }
        if !report.isComplete { return "not all: further states with --states or --depth" }
        guard !report.untried.isEmpty else { return "all that these events can reach" }
        let reasons = report.untried.joined(separator: " or ")
        return "not all: what depends on \(reasons) wasn't explored"
    }

    /// Shows a sequence; of a command that is repeated often, the number.
    private func show(_ commands: [String], _ style: Style) throws {
        var rest = commands[...]
        while let command = rest.first {
            let count = rest.prefix { $0 == command }.count
            rest = rest.dropFirst(count)
            let shown = count > Self.repetitionsMax ? 1 : count
            for _ in 0..<shown { try Output.line("  > " + style.safe(command)) }
            if shown < count {
                try Output.line(style.paint("  # and \(count - shown) times more", .faint))
            }
        }
    }

    private func json(_ report: Exploration.Report) -> JSONValue {
        let findings = report.findings.map { finding -> JSONValue in
            [
                "kind": .string(finding.kind.rawValue), "text": .string(finding.text),
                "commands": .array(finding.commands.map(JSONValue.string)),
            ]
        }
        return [
            "states": .integer(Int64(report.states)), "steps": .integer(Int64(report.steps)),
            "depth": .integer(Int64(report.depth)), "complete": .bool(report.isComplete),
            "timeout": .bool(report.isEnded),
            "unexplored": .array(report.untried.map(JSONValue.string)),
            "findings": .array(findings),
            "never_active": .array(report.unreached.map(JSONValue.string)),
            "never_taken": .array(report.untaken.map(JSONValue.string)),
            "needs_answer": .array(report.unanswered.map(JSONValue.string)),
        ]
    }
}
