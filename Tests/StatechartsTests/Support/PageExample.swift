import CEL
import Foundation
import GroveEngine
import OrderedJSON
import Testing

@testable import Statecharts

/// A line of an example: a command, and after ` // ` the active states and what else it shows.
struct ExampleLine {
    let text: String
    /// The first word, such as an event's type.
    let word: String
    /// What follows the first word; empty without anything.
    let rest: String
    let active: String
    let items: [String]

    init(_ text: String) throws {
        self.text = text
        let parts = text.components(separatedBy: " // ")
        try #require(parts.count == 2, "\(text)")
        let words = parts[0].split(separator: " ", maxSplits: 1).map(String.init)
        word = try #require(words.first, "\(text)")
        rest = words.count > 1 ? words[1] : ""
        let shown = parts[1].components(separatedBy: " ; ")
        active = shown[0]
        items = Array(shown.dropFirst())
    }

    /// The lines of a block. One that begins with a blank continues the line before.
    static func lines(_ block: [String]) throws -> [ExampleLine] {
        var texts: [String] = []
        for line in block {
            if line.hasPrefix("  ; "), let last = texts.popLast() {
                texts.append("\(last) ; \(line.dropFirst(4))")
            } else {
                texts.append(line)
            }
        }
        return try texts.map(ExampleLine.init)
    }
}

/// Something that carries out the lines of an example.
protocol ExampleStage {
    mutating func perform(_ line: ExampleLine) throws

    /// The active states without children, joined by blanks.
    var active: String { get }
    /// What the last line has done: outputs, log, refusals, requests. A line shows all of it.
    var done: [String] { get }
    /// What can be said of the state besides: a line may show it.
    var state: [String] { get }
}

extension ExampleStage {
    /// Carries out a line.
    ///
    /// - Returns: What differs from the line, in a sentence; nil if nothing does.
    mutating func difference(_ line: ExampleLine) throws -> String? {
        try perform(line)
        if active != line.active { return "\(line.text): \(active)" }
        let isComplete = done.allSatisfy { line.items.contains($0) }
        let isTrue = line.items.allSatisfy { done.contains($0) || state.contains($0) }
        let isOnce = line.items.count(where: { done.contains($0) }) == done.count
        return isComplete && isTrue && isOnce ? nil : "\(line.text): \(done) \(state)"
    }
}

/// A chart in virtual time: `start`, events, `after 30m`.
struct TrialStage: ExampleStage {
    private var trial: Trial

    init(_ chart: String) throws { trial = try Trial(chart) }

    mutating func perform(_ line: ExampleLine) throws {
        if line.word != "start" { trial.run.records = [] }
        if line.word == "after" {
            let delay = try #require(ChartDelay.milliseconds(line.rest), "\(line.text)")
            try trial.run.advance(milliseconds: delay)
        } else if line.word != "start" {
            try trial.send(line.word, line.rest.isEmpty ? "{}" : line.rest)
        }
    }

    var active: String { trial.active }

    var done: [String] {
        let results = trial.run.records.compactMap { record -> String? in
            guard record.address == trial.run.address, case .finished(let output) = record.entry
            else { return nil }
            return output == .null ? nil : "done \(output.json?.description ?? "?")"
        }
        return trial.outputs.map { "emit \($0)" } + trial.log.map { "log \($0)" }
            + trial.failures.map { "refused \($0.code.rawValue)" } + results
    }

    var state: [String] {
        let tags = trial.run.state.flatMap { trial.run.chart?.tags(of: $0) } ?? []
        return [trial.context, "tags " + tags.joined(separator: " ")]
    }
}

/// Charts on a server, in virtual time: `create`, events, `after 30m`, `answer JSON` and `fail` for
/// the oldest request or handler that runs, and `migrate` to the last chart.
struct ServerStage: ExampleStage {
    private let server: ChartServer
    private let name: String
    /// A later version of the machine.
    private var next: String?
    private var version: Int64 = 0
    private(set) var done: [String] = []

    /// The first chart is that of the instance; another one with the same `id` is its next version.
    init(_ charts: [String]) throws {
        let ids = try charts.map { chart in
            try #require(try JSONValue(parsing: Array(chart.utf8))["id"]?.string)
        }
        name = try #require(ids.first) + "/7"
        server = try ChartServer(handlers: ["http", "score"])
        for (index, chart) in charts.enumerated() {
            if ids[..<index].contains(ids[index]) {
                next = chart
            } else {
                try server.define(chart)
            }
        }
    }

    mutating func perform(_ line: ExampleLine) throws {
        let running = server.calls
        done = []
        switch line.word {
        case "create": try ask(#""op":"create","to":"\#(name)""#)
        case "after":
            let delay = try #require(ChartDelay.milliseconds(line.rest), "\(line.text)")
            // What a line shows happens at its time, not before.
            try server.advance(delay - 1)
            try #require(server.calls.count == running.count, "\(line.text): too early")
            try server.advance(1)
        case "answer":
            try server.report(.completed(try JSONValue(parsing: Array(line.rest.utf8))))
        case "fail": try server.report(.failed(reason: "no answer", isPermanent: false))
        case "migrate":
            try server.define(try #require(next, "there is one version"))
            try ask(#""op":"migrate","to":"\#(name)""#)
        default:
            var event = JSONObject()
            event["type"] = .string(line.word)
            let members = line.rest.isEmpty ? "{}" : line.rest
            for member in try JSONValue(parsing: Array(members.utf8)).object ?? JSONObject() {
                event[member.name] = member.value
            }
            try ask(#""op":"send","to":"\#(name)","event":\#(JSONValue.object(event))"#)
        }
        try note(running)
    }

    private mutating func ask(_ request: String) throws {
        if let code = try server.ask("{\(request)}")["error"]?["code"]?.string {
            done.append("refused \(code)")
        }
    }

    /// Notes the outputs of the new steps, and the attempts that began.
    private mutating func note(_ running: [EffectDispatch]) throws {
        let reply = try server.ask(#"{"op":"history","to":"\#(name)","after":\#(version)}"#)
        for step in reply["items"]?.array ?? [] {
            version = step["v"]?.integer ?? version
            done += (step["outputs"]?.array ?? []).map { "emit \($0)" }
        }
        for call in server.calls
        where !running.contains(where: { $0.ref == call.ref && $0.attempt == call.attempt }) {
            let limit = call.timeout.map { " within \(ChartDelay.text($0))" } ?? ""
            done.append(
                call.attempt == 1
                    ? "\(call.handler) \(call.argument)\(limit)" : "attempt \(call.attempt)")
        }
    }

    var active: String {
        let value = try? server.get(name)["state"]?["value"]
        return value.map { Self.leaves($0).joined(separator: " ") } ?? "none"
    }

    /// The names without others within, in document order.
    private static func leaves(_ value: JSONValue) -> [String] {
        guard let object = value.object else { return value.string.map { [$0] } ?? [] }
        return object.flatMap { member in
            member.value.object?.isEmpty == true ? [member.name] : leaves(member.value)
        }
    }

    var state: [String] {
        guard let state = try? server.get(name)["state"] else { return [] }
        return [state["context"]?.description ?? "none"]
    }
}
