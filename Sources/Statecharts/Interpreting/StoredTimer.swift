import OrderedJSON

/// The event of a timer as it is stored. It names the state: the chart of the instance that it is
/// applied to finds its own timer.
struct StoredTimer: Sendable, Equatable {
    /// The id of the state; empty for the machine itself.
    let state: String
    /// The position among the state's timers, from 0.
    let position: Int64

    init(_ timer: ChartEvent.TimerID, of chart: Chart) {
        state = chart.name(of: timer)
        position = Int64(timer.position)
    }

    /// Reads what ``json`` has; nil for anything else.
    init?(_ json: JSONValue) {
        guard let meta = json.object?[ChartEvent.metaName],
            meta["kind"]?.string == ChartEvent.Kind.platform.rawValue,
            let state = meta["state"]?.string, let position = meta["timer"]?.integer
        else { return nil }
        self.state = state
        self.position = position
    }

    /// `{"type":"after","$meta":{"kind":"platform","state":"paying","timer":0}}`.
    var json: JSONValue {
        let meta: JSONObject = [
            "kind": .string(ChartEvent.Kind.platform.rawValue), "state": .string(state),
            "timer": .integer(position),
        ]
        let members: JSONObject = ["type": "after", "$meta": .object(meta)]
        return .object(members)
    }
}

extension Chart {
    /// The event of a stored timer; nil if no state has it.
    func event(of stored: StoredTimer) -> ChartEvent? {
        guard let state = stored.state.isEmpty ? 0 : identifiers[stored.state],
            stored.position >= 0, stored.position < states[Int(state)].timers.count
        else { return nil }
        return ChartEvent(
            timer: ChartEvent.TimerID(state: state, position: Int32(stored.position)))
    }
}
