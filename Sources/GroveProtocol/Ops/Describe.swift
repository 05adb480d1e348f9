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
        writer.members(of: described)
    }
}

extension Reply.Described {
    /// Its members as they are sent, each after a comma.
    package func written() -> [UInt8] {
        var writer = JSONWriter()
        writer.members(of: self)
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func members(of described: Reply.Described) {
        members(of: described.definition)
        array("states", described.machine.states)
        array("events", described.machine.events)
        takes(described.takes)
        array("transitions", described.machine.transitions) { writer, transition in
            writer.object { writer in
                writer.member("from", transition.from)
                writer.member("event", transition.event)
                writer.member("to", transition.to)
                writer.flag("observed", transition.isObserved)
            }
        }
        member("diagram", described.diagram)
        object("graph") { $0.members(of: described.drawing) }
        object("examples") { writer in
            for (event, values) in described.machine.examples {
                writer.array(named: event, values) { $0.raw($1) }
            }
        }
        flag("partial", described.machine.isPartial)
    }
}
