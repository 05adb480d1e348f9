import Foundation
import GroveTestSupport
import OrderedJSON

/// The data that ``EffectChecker`` compares: the events that clients sent, their acks, the requests
/// to the payment server, and Grove's data at the end.
struct EffectEvidence {
    /// One version of an instance.
    struct Step {
        var version: Int64
        /// The time in milliseconds since 1970.
        var at: Int64
        var event: JSONValue
        var outputs: [JSONValue]
        /// The key that it was sent with; `nil` for an event caused by an effect.
        var dedup: String?

        /// The event's name.
        var name: String { event.string ?? event["type"]?.string ?? "" }
    }

    /// The answers of `history` and `get` about an instance.
    struct Instance {
        var steps: [Step] = []
        var state: JSONValue = .null
        var isDone = false
        var timers: [JSONValue] = []
        var effects: [JSONValue] = []
    }

    /// All instances by their names.
    var instances: [String: Instance] = [:]
    /// The requests to the payment server.
    var requests: [PaymentServer.Request] = []
    var acknowledged: [Workload.Sent: Int64] = [:]
    var sent: Set<Workload.Sent> = []
    /// The time at which the last killed server was dead, in milliseconds since 1970.
    var lastDeath: Int64 = 0

    /// Returns the instances of a machine by the part after the slash, in order.
    func instances(of machine: String) -> [(name: String, instance: Instance)] {
        instances.filter { $0.key.hasPrefix(machine + "/") }
            .map { (String($0.key.dropFirst(machine.count + 1)), $0.value) }
            .sorted { $0.0 < $1.0 }
    }
}

// MARK: - Reading

extension EffectEvidence {
    /// Reads every instance of a server.
    mutating func read(port: UInt16) throws {
        let client = try LineClient(port: port)
        var after = ""
        while true {
            let page = try client.ask(#"{"op":"list","id":1,"limit":1000\#(after)}"#)
            for item in page["items"]?.array ?? [] {
                guard let name = item["to"]?.string else { continue }
                instances[name] = try EffectEvidence.read(name, client)
            }
            guard let next = page["next"]?.string else { return }
            after = #","after":"\#(next)""#
        }
    }

    private static func read(_ name: String, _ client: LineClient) throws -> Instance {
        var instance = Instance()
        while true {
            let last = instance.steps.last?.version ?? 0
            let page = try client.ask(
                #"{"op":"history","id":1,"to":"\#(name)","after":\#(last),"limit":1000}"#)
            for item in page["items"]?.array ?? [] { instance.steps.append(try Step(item)) }
            if page["next"] == nil { break }
        }
        let now = try client.ask(#"{"op":"get","id":1,"to":"\#(name)"}"#)
        guard now["v"]?.integer == instance.steps.last?.version ?? 0 else {
            throw CheckFailure("\(name) moved while it was read, or its history ends early")
        }
        instance.state = now["state"] ?? .null
        instance.isDone = now["done"] == true
        instance.timers = now["timers"]?.array ?? []
        instance.effects = now["effects"]?.array ?? []
        return instance
    }

    /// Converts a time as Grove writes it to milliseconds since 1970.
    static func milliseconds(_ text: String?) throws -> Int64 {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let text, let date = try? style.parse(text) else {
            throw CheckFailure("\(text ?? "nothing") is no time")
        }
        return Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }
}

extension EffectEvidence.Step {
    /// Reads one item of a history.
    init(_ item: JSONValue) throws {
        guard let version = item["v"]?.integer, let event = item["event"] else {
            throw CheckFailure("a step without version or event: \(item)")
        }
        self.version = version
        self.event = event
        at = try EffectEvidence.milliseconds(item["at"]?.string)
        outputs = item["outputs"]?.array ?? []
        dedup = item["dedup"]?.string
    }
}
