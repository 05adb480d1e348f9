import OrderedJSON
import Transducers

/// An event of a chart on a server. Reading it needs no chart: the one of the instance says what a
/// timer's event is.
final class HostedChartEvent: HostedEvent {
    enum Content: Sendable {
        case event(ChartEvent)
        case timer(StoredTimer)
    }

    let content: Content

    init(_ event: ChartEvent) { content = .event(event) }

    private init(_ timer: StoredTimer) { content = .timer(timer) }

    /// The event of a step.
    static func read(_ event: any HostedEvent) -> Content {
        guard let event = event as? HostedChartEvent else {
            preconditionFailure("an event is applied only to the machine that decoded it")
        }
        return event.content
    }

    private init(_ content: Content) { self.content = content }

    func copy() -> any HostedEvent { HostedChartEvent(content) }

    func canonicalText() -> [UInt8] {
        switch content {
        case .event(let event):
            var writer = JSONWriter()
            event.write(to: &writer)
            return writer.bytes
        case .timer(let timer): return timer.json.serialized()
        }
    }

    var journalText: [UInt8]? {
        if case .event(let event) = content, event.isOfClient { return nil }
        return canonicalText()
    }

    // MARK: Decoding

    /// Decodes an event in a client's line.
    static func client(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> HostedChartEvent {
        do throws(EventError) {
            return HostedChartEvent(try ChartEvent(ofClient: document, at: node))
        } catch {
            throw EventError(
                path: document.path(to: node) + error.path.dropFirst(), message: error.message,
                expected: error.expected)
        }
    }

    /// Decodes an event that the server has stored, which may be its own.
    static func stored(_ value: JSONValue) throws(EventError) -> HostedChartEvent {
        guard value.object?[ChartEvent.metaName] != nil else {
            return HostedChartEvent(try ChartEvent(ofClient: value))
        }
        if let timer = StoredTimer(value) { return HostedChartEvent(timer) }
        guard let event = ChartEvent(stored: value) else {
            throw EventError(path: "$", message: "this is no stored event", expected: nil)
        }
        return HostedChartEvent(event)
    }

    /// Decodes an event that an instance sends.
    static func sent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> HostedChartEvent {
        // A parent hands on unchanged what came from outside, and nothing of the server's.
        if origin.isParent, value.object?[ChartEvent.metaName] != nil {
            guard let event = ChartEvent(stored: value), event.kind == .external,
                !ChartEvent.isOfServer(event.type)
            else {
                throw EventError(
                    path: "$.\(ChartEvent.metaName)", message: "only the server sets this member",
                    expected: nil)
            }
            return HostedChartEvent(event)
        }
        var event = try ChartEvent(ofClient: value)
        event.way = .machine
        event.origin = origin.sender
        event.send = EffectName.sendID(origin.key)
        if let (id, serial) = origin.child.flatMap({ EffectName.invocation($0) }) {
            event.invocation = id
            event.invocationSerial = serial
        }
        return HostedChartEvent(event)
    }
}
