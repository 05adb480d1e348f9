import ArgumentParser
import ChartSimulation
import Glibc
import OrderedJSON

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try a statechart: send events, let time pass, answer requests.",
        discussion: """
            Reads commands from standard input and shows what each does: the state, the context, \
            outputs, the log, and the requests that the machine makes. Time is virtual, and \
            nothing outside is touched. The other definitions of the folder can be invoked and \
            sent to. No server is needed.

              PAY                     send an event
              PAY {"amount":5}        the same with members
              .wait 30m               let time pass; .wait alone: until something is due
              .answer ID [JSON]       answer a request or a handler
              .fail ID [CODE [TEXT]]  let it fail
              .next                   show what can happen
              .undo                   go back
              .help                   show all commands

            From a file or a pipe, the output is a conversation: a transcript that is a script and \
            a test as well.

              grove simulate order.json
              grove simulate order.json < script.txt > order.conversation
              grove test order.json

            With --json each command gives one line: command, records, time, and state.

            Exit codes: 0 all commands were carried out, 65 one couldn't be, or the file is no \
            definition, 66 there is no such file.
            """)

    @Argument(help: "A file with a definition in JSON.", completion: .file()) var file: String
    @OptionGroup var format: FormatFlags

    func run() async throws {
        let file = try ChartFile(file, format)
        var simulation = Simulation(file.chart, machines: file.machines())
        if isatty(STDIN_FILENO) == 1 {
            try talk(&simulation)
        } else {
            try runScript(&simulation)
        }
    }

    // MARK: In a terminal

    private func talk(_ simulation: inout Simulation) throws {
        Output.note("Events are sent as they are typed; .help shows the commands, .quit ends.")
        _ = try perform(".start", &simulation, echoes: false)
        while true {
            Output.raw("> ")
            guard let line = readLine() else { return Output.note("") }
            let result = try perform(line, &simulation, echoes: false)
            if let fault = result.fault {
                Output.note("  " + format.noteStyle.paint("error:", .bad) + " " + fault)
            }
            if result.isEnd { return }
        }
    }

    // MARK: From a script

    private func runScript(_ simulation: inout Simulation) throws {
        var lines: [String] = []
        while let line = readLine() {
            lines.append(line)
            guard lines.count <= Self.linesMax else {
                throw format.failure(.dataError, "a script may have \(Self.linesMax) lines")
            }
        }
        let conversation: Conversation
        do throws(Conversation.Fault) {
            conversation = try Conversation(lines.joined(separator: "\n"))
        } catch {
            Output.note("error: line \(error.line): \(error.message)")
            format.showFailure(
                .dataError, "line \(error.line): \(error.message)",
                lines: [(error.line, error.message)])
            throw ExitCode.dataError
        }
        var isFaulty = false
        for line in conversation.lines {
            let result = try perform(line.text, &simulation, echoes: true)
            if let fault = result.fault {
                Output.note("error: line \(line.number): \(fault)")
                isFaulty = true
            }
            if result.isEnd { break }
        }
        if isFaulty { throw ExitCode.dataError }
    }

    /// Carries out one line, and shows it.
    private func perform(
        _ line: String, _ simulation: inout Simulation, echoes: Bool
    ) throws -> Simulation.Result {
        let needsStart = !simulation.isStarted && Simulation.needsStart(line)
        if needsStart { try show(".start", simulation.perform(".start"), simulation, echoes) }
        let result = simulation.perform(line)
        try show(line, result, simulation, echoes)
        return result
    }

    private func show(
        _ line: String, _ result: Simulation.Result, _ simulation: Simulation, _ echoes: Bool
    ) throws {
        let isCommand = Simulation.isCommand(line)
        if format.json {
            guard isCommand else { return }
            var object: JSONObject = [
                "command": .string(line), "records": .array(result.records.map(\.json)),
                "time": .string(simulation.time), "state": simulation.state ?? .null,
            ]
            if let fault = result.fault { object["error"] = .string(fault) }
            return try Output.line(JSONValue.object(object).serialized())
        }
        let style = format.style
        if echoes { try Output.line(style.safe(isCommand ? "> " + line : line)) }
        for record in result.records { try Output.line(style.safe(record.line)) }
    }
}
