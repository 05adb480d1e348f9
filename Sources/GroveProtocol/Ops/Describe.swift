import GroveEngine
import OrderedJSON
import Transducers

extension RequestDecoder {
    func describe() throws(WireError) -> Describe {
        let name = try required(text("name"), "name")
        let format = try word("format", ["mermaid", "dot"])
        guard let subject = HoldSubject(text: name) else {
            throw .badRequest("$.name", "name is a machine's, or an instance's as machine/name")
        }
        return Describe(subject, format: format == "dot" ? .dot : .mermaid)
    }
}

extension ReplyEncoder {
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
        writer.object("graph") { $0.members(of: described.drawing) }
        writer.object("examples") { writer in
            for (event, values) in described.machine.examples {
                writer.array(named: event, values) { $0.raw($1) }
            }
        }
        writer.flag("partial", described.machine.isPartial)
    }
}
