import CEL
import OrderedJSON
import Transducers

/// The names of a chart's effects on a server.
enum EffectName {
    /// A timer of a state: `timer/STATE/POSITION`.
    static func timer(_ timer: ChartEvent.TimerID, of chart: Chart) -> String {
        "timer/\(chart.states[Int(timer.state)].id)/\(timer.position)"
    }

    /// A send with an id, which can be canceled: `send/ID`.
    static func send(_ id: String) -> String { "send/\(id)" }

    /// An invocation: `invoke/ID/SERIAL`.
    static func invocation(_ id: String, _ serial: Int64) -> String { "invoke/\(id)/\(serial)" }

    /// The id of a send; nil for another effect.
    static func sendID(_ key: HostedKey) -> String? {
        guard let id = key.id, id.hasPrefix("send/") else { return nil }
        return String(id.dropFirst(5))
    }

    /// The id and number of an invocation; nil for another effect.
    static func invocation(_ key: HostedKey) -> (id: String, serial: Int64)? {
        guard let id = key.id, id.hasPrefix("invoke/"), let slash = id.lastIndex(of: "/"),
            let serial = Int64(id[id.index(after: slash)...])
        else { return nil }
        let start = id.index(id.startIndex, offsetBy: 7)
        guard start <= slash else { return nil }
        return (String(id[start..<slash]), serial)
    }
}

extension ChartEvent {
    /// The event of an invocation that has a result; nil for another effect.
    init?(result: JSONValue, of key: HostedKey) {
        guard let (id, serial) = EffectName.invocation(key) else { return nil }
        self = .done(invocation: id, serial: serial, output: CELValue(result))
    }

    /// The event of an effect that has failed; nil for a timer.
    init?(failure reason: String, of key: HostedKey) {
        if let (id, serial) = EffectName.invocation(key) {
            self = .failed(invocation: id, serial: serial, code: "FAILED", message: reason)
        } else if key.id == nil || EffectName.sendID(key) != nil {
            self = .error("error.communication", code: "FAILED", message: reason)
            send = EffectName.sendID(key)
        } else {
            return nil
        }
    }

    /// The event of an invocation whose result couldn't be taken; nil for another effect.
    init?(refusal reason: String, of key: HostedKey) {
        guard let (id, serial) = EffectName.invocation(key) else { return nil }
        self = .refused(invocation: id, serial: serial, message: reason)
    }
}
