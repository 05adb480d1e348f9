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
        writer.array("results", results) { writer, result in
            writer.object { writer in
                switch result {
                case .sent(let sent):
                    writer.literal(#""ok":true,"v":"#)
                    append(sent, &writer)
                case .failure(let failure):
                    // Its path, if it has one, was read from the line: it begins at the line's
                    // root.
                    let error = WireError(failure, cursors: cursors)
                    switch shape {
                    case .plain: error.append(to: &writer)
                    case .jsonRPC: error.appendJSONRPC(to: &writer)
                    }
                }
            }
        }
    }

    /// Appends the fields of a reply to `can`.
    func append(_ can: Reply.Can, _ writer: inout JSONWriter) {
        writer.member("can", can.state != nil)
        if let state = can.state { return writer.member("state", orNull: state) }
        writer.array("accepts", can.accepts)
        writer.member("reason", can.reason)
    }

    /// Appends the fields of a reply to `describe`.
    func append(_ described: Reply.Described, _ writer: inout JSONWriter) {
        appendMembers(described.definition, &writer)
        writer.array("states", described.machine.states)
        writer.array("events", described.machine.events)
        append(described.takes, &writer)
        writer.array("transitions", described.machine.transitions) { writer, transition in
            writer.object { writer in
                writer.member("from", transition.from)
                writer.member("event", transition.event)
                writer.member("to", transition.to)
                writer.flag("observed", transition.isObserved)
            }
        }
        writer.member("diagram", described.diagram)
    }

    /// Appends one machine of a reply to `definitions`.
    func append(_ hosted: Reply.Hosted, _ writer: inout JSONWriter) {
        writer.object { writer in
            appendMembers(hosted.definition, &writer)
            append(hosted.takes, &writer)
        }
    }

    /// Appends the member `takes`, where the events are known.
    private func append(_ takes: [TakenEvent]?, _ writer: inout JSONWriter) {
        guard let takes else { return }
        writer.array("takes", takes) { writer, taken in
            writer.object { writer in
                writer.member("type", taken.event.name)
                append(taken.event.members, &writer)
                writer.flag("internal", taken.isInternal)
            }
        }
    }

    private func append(_ members: [EnumCase.Member], _ writer: inout JSONWriter) {
        guard !members.isEmpty else { return }
        writer.array("members", members) { writer, member in
            writer.object { writer in
                writer.member("name", member.name)
                writer.member("is", member.expected)
                writer.flag("optional", member.isOptional == true)
            }
        }
    }
}
