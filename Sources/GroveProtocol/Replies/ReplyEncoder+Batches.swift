import GroveEngine
import GroveWire
import OrderedJSON
import Transducers

/// What the replies to `batch`, `can` and `describe` tell.
extension ReplyEncoder {
    /// Appends `results`: each like the reply to a `send`, without an id. Errors have the shape of
    /// the line.
    func append(
        _ results: [Reply.BatchResult], as shape: LineShape, _ writer: inout JSONWriter
    ) {
        writer.literal(#","results":["#)
        for (index, result) in results.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            switch result {
            case .sent(let sent):
                writer.literal(#"{"ok":true,"v":"#)
                append(sent, &writer)
            case .failure(let failure):
                writer.bytes.append(UInt8(ascii: "{"))
                // Its path, if it has one, was read from the line: it begins at the line's root.
                let error = WireError(failure, cursors: cursors)
                switch shape {
                case .plain: error.append(to: &writer)
                case .jsonRPC: error.appendJSONRPC(to: &writer)
                }
            }
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    /// Appends the fields of a reply to `can`.
    func append(_ can: Reply.Can, _ writer: inout JSONWriter) {
        if let state = can.state {
            writer.literal(#","can":true,"state":"#)
            writer.rawOrNull(state)
            return
        }
        writer.literal(#","can":false,"accepts":"#)
        names(can.accepts, &writer)
        if let reason = can.reason {
            writer.literal(#","reason":"#)
            writer.string(reason)
        }
    }

    /// Appends the fields of a reply to `describe`.
    func append(_ described: Reply.Described, _ writer: inout JSONWriter) {
        writer.bytes.append(UInt8(ascii: ","))
        appendMembers(described.definition, &writer)
        writer.literal(#","states":"#)
        names(described.machine.states, &writer)
        writer.literal(#","events":"#)
        names(described.machine.events, &writer)
        append(described.takes, &writer)
        writer.literal(#","transitions":["#)
        for (index, transition) in described.machine.transitions.enumerated() {
            writer.literal(index > 0 ? #",{"from":"# : #"{"from":"#)
            writer.string(transition.from)
            writer.literal(#","event":"#)
            writer.string(transition.event)
            writer.literal(#","to":"#)
            writer.string(transition.to)
            if transition.isObserved { writer.literal(#","observed":true"#) }
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.literal(#"],"diagram":"#)
        writer.string(described.diagram)
    }

    /// Appends one machine of a reply to `definitions`.
    func append(_ hosted: Reply.Hosted, _ writer: inout JSONWriter) {
        writer.bytes.append(UInt8(ascii: "{"))
        appendMembers(hosted.definition, &writer)
        append(hosted.takes, &writer)
        writer.bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the member `takes`, where the events are known.
    private func append(_ takes: [TakenEvent]?, _ writer: inout JSONWriter) {
        guard let takes else { return }
        writer.literal(#","takes":["#)
        for (index, taken) in takes.enumerated() {
            writer.literal(index > 0 ? #",{"type":"# : #"{"type":"#)
            writer.string(taken.event.name)
            append(taken.event.members, &writer)
            if taken.isInternal { writer.literal(#","internal":true"#) }
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    private func append(_ members: [EnumCase.Member], _ writer: inout JSONWriter) {
        guard !members.isEmpty else { return }
        writer.literal(#","members":["#)
        for (index, member) in members.enumerated() {
            writer.literal(index > 0 ? #",{"name":"# : #"{"name":"#)
            writer.string(member.name)
            if let expected = member.expected {
                writer.literal(#","is":"#)
                writer.string(expected)
            }
            if member.isOptional == true { writer.literal(#","optional":true"#) }
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    private func names(_ names: [String], _ writer: inout JSONWriter) {
        writer.bytes.append(UInt8(ascii: "["))
        for (index, name) in names.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            writer.string(name)
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }
}
