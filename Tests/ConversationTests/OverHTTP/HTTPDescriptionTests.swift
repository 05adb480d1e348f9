import GroveTestSupport
import GroveWire
import OrderedJSON
import Testing

@testable import GroveHTTP

/// The description of the API says what the server does: every conversation fits it, those of
/// lines, too.
@Suite("description of the API")
struct HTTPDescriptionTests {
    private let description = Result { try HTTPDescription() }

    @Test(arguments: HTTPGoldenTests.names)
    func `every answer over HTTP is described, and so is every body that was accepted`(
        name: String
    ) throws {
        let description = try description.get()
        for problem in try Self.overHTTP(name, description).problems {
            Issue.record("\(name): \(problem)")
        }
    }

    @Test(arguments: GoldenTests.names)
    func `every reply of lines is described, and so is every request that was accepted`(
        name: String
    ) throws {
        let description = try description.get()
        for problem in try Self.inLines(name, description).problems {
            Issue.record("\(name): \(problem)")
        }
    }

    @Test func `every member that is described occurs`() throws {
        let description = try description.get()
        var seen: Set<String> = []
        for name in HTTPGoldenTests.names {
            seen.formUnion(try Self.overHTTP(name, description).seen)
        }
        // Every body may have a trace; one of them has.
        let bodies = description.members.filter {
            $0.contains("/requestBody/") && !$0.hasSuffix("/traceparent")
                && description.strict[$0]?["not"] == nil
        }
        #expect(bodies.subtracting(seen) == [])
        #expect(seen.contains { $0.contains("/requestBody/") && $0.hasSuffix("/traceparent") })
        for name in GoldenTests.names {
            seen.formUnion(try Self.inLines(name, description).seen)
        }
        let others = description.members.filter { !$0.contains("/requestBody/") }
        let missing = others.subtracting(seen)
        #expect(missing.subtracting(Self.unseen.keys) == [])
        #expect(Set(Self.unseen.keys).subtracting(missing) == [], "these do occur")
    }

    /// Members that occur in no conversation, and why.
    private static let unseen = [
        "#/components/schemas/MachineDescription/properties/partial": "a machine of 257 states",
        "#/components/schemas/Problem/properties/retry_after_ms": "a quota that is used up",
        "#/components/schemas/Timer/properties/phase": "a machine that has forgotten an event",
        "#/components/schemas/Timer/properties/reason": "the same",
        "#/paths/~1healthz/get/responses/503" + json + "live": "a disk that hangs",
        "#/paths/~1readyz/get/responses/503" + json + "ready": "the same",
        "#/paths/~1v1/get/responses/200" + json + "writes": "an address that only reads",
        "#/paths/~1v1~1reload/post/responses/200" + json + "changed": "a configuration",
        "#/paths/~1v1~1reload/post/responses/200" + json + "needs_restart": "the same",
    ]
    private static let json = "/content/application~1json/schema/properties/"

    // MARK: What a conversation shows

    /// What became of the answers of a conversation.
    private struct Finding {
        var problems: [String] = []
        var seen: Set<String> = []

        mutating func add(_ outcome: SchemaValidator.Outcome, _ what: String) {
            if let problem = outcome.problem { problems.append("\(what): \(problem)") }
            seen.formUnion(outcome.seen)
        }
    }

    private static func overHTTP(
        _ name: String, _ description: HTTPDescription
    ) throws -> Finding {
        let player = HTTPPlayer(text: try HTTPGoldenTests.text(of: name))
        try player.play()
        var finding = Finding()
        for exchange in player.exchanges {
            let route = exchange.request.flatMap(HTTPDescription.route)
            let what = "\(exchange.request ?? "a request in pieces") \(exchange.status)"
            if let route, exchange.status < 300, let body = exchange.body, route.body != .none {
                let value = try JSONValue(parsing: Array(body.utf8))
                let place = HTTPDescription.body(of: route)
                finding.add(description.strict.outcome(of: value, at: place), "\(what), body")
            }
            // Of a request that was sent in pieces, only a refusal is known to be one.
            guard !exchange.answer.isEmpty, exchange.request != nil || exchange.status >= 400 else {
                continue
            }
            let type = String(exchange.type.prefix { $0 != ";" })
            let isFile = route?.action == .asset
            guard
                let place = description.answer(
                    of: route, exchange.status, isFile && exchange.status == 200 ? "*/*" : type)
            else {
                finding.problems.append("\(what): no answer of type \(type) is described")
                continue
            }
            guard type.hasSuffix("json") else { continue }
            let value = try JSONValue(parsing: exchange.answer)
            finding.add(description.strict.outcome(of: value, at: place), what)
        }
        for record in player.records {
            finding.add(
                Self.record(try JSONValue(parsing: Array(record.utf8)), description), record)
        }
        return finding
    }

    private static func record(
        _ value: JSONValue, _ description: HTTPDescription
    ) -> SchemaValidator.Outcome {
        let kind: SchemaComponent = value["mark"] == nil ? .record : .mark
        return description.strict.outcome(of: value, at: kind.path)
    }

    private static func inLines(
        _ name: String, _ description: HTTPDescription
    ) throws -> Finding {
        var finding = Finding()
        var asked: [String: JSONValue] = [:]
        for line in try GoldenFolder.read(name).text.split(separator: "\n").map(String.init) {
            guard let match = line.wholeMatch(of: /([a-z]?)([<>]) ({.*)/),
                let message = try? JSONValue(parsing: Array(match.3.utf8)),
                message["jsonrpc"] == nil
            else { continue }
            let id = message["id"].map { "\(match.1) \($0)" } ?? ""
            if match.2 == ">" {
                asked[id] = message
            } else if message["sub"] != nil, message["ok"] == nil {
                finding.add(record(message.without(["sub"]), description), line)
            } else if let error = message["error"] {
                finding.add(
                    description.strict.outcome(of: error, at: SchemaComponent.error.path), line)
            } else if let request = asked[id], message["ok"] != nil {
                add(request, message, line, description, &finding)
            }
        }
        return finding
    }

    /// Holds a request in a line and its reply against the route of its op.
    private static func add(
        _ request: JSONValue, _ reply: JSONValue, _ line: String, _ description: HTTPDescription,
        _ finding: inout Finding
    ) {
        guard let op = request["op"]?.string.flatMap(Op.init(rawValue:)),
            let route = HTTPDescription.route(of: op, request)
        else { return }
        let isRepeat = op == .create && reply["dup"] != nil
        let status = isRepeat ? 200 : route.success
        guard let place = description.answer(of: route, status, "application/json") else {
            finding.problems.append("\(line): not described")
            return
        }
        let answer = reply.without(["id", "ok"])
        finding.add(description.strict.outcome(of: answer, at: place), line)
        guard route.body != .none, !line.contains("BAD_REQUEST") else { return }
        let elsewhere = route.membersOfPath.union(["id", "op"])
        let body = route.body == .event ? request["event"] : request.without(elsewhere)
        finding.add(
            description.lenient.outcome(of: body ?? .null, at: HTTPDescription.body(of: route)),
            "\(request)")
    }
}

extension JSONValue {
    /// An object without some of its members.
    fileprivate func without(_ names: Set<String>) -> JSONValue {
        var rest = JSONObject()
        for member in object ?? JSONObject() where !names.contains(member.name) {
            rest[member.name] = member.value
        }
        return .object(rest)
    }
}
