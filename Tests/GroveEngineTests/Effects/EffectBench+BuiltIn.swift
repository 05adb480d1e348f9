import BuiltInMachines
import GroveEngine
import OrderedJSON
import Testing

/// The built-in machines on the bench, with the handler that they need.
extension EffectBench {
    static func builtIn() throws -> EffectBench {
        try EffectBench(BuiltInMachines.definitions, handlers: ["http"])
    }

    /// An instance's state as JSON text.
    func text(of instance: String) throws -> String { try got(instance).state.text }

    func isDone(_ instance: String) throws -> Bool { try got(instance).isDone }

    /// Sends an event; returns the reason of a refusal, or `nil`.
    func refusal(of event: JSONValue, to instance: String) throws -> String? {
        guard case .failure(let failure) = try send(event, to: instance) else { return nil }
        guard case .eventRejected(let reason, _, _, _) = failure else { return "\(failure)" }
        return reason
    }

    /// The running requests of the handler `http`, as method, URL and body.
    var requests: [String] {
        dispatched.map { issue in
            guard case .object(let request) = issue.argument else { return "?" }
            let body = request["body"].map { $0.serialized().text } ?? ""
            return "\(request["method"]?.string ?? "?") \(request["url"]?.string ?? "?") \(body)"
        }
    }

    /// Answers the oldest running request; the handler counts all but 2xx
    /// as a failure.
    func answer(_ status: Int64) throws {
        guard (200...299).contains(status) else {
            return try report(
                .failed(reason: "the server answered \(status)", isPermanent: true))
        }
        try report(
            .completed(["status": .integer(status), "headers": ["x": "y"], "body": .null]))
    }

    /// The request fails, and may be repeated.
    func fail(_ reason: String) throws {
        try report(.failed(reason: reason, isPermanent: false))
    }
}
