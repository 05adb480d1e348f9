import GroveEngine
import OrderedJSON
import Transducers

extension RequestDecoder {
    func definitions() throws(WireError) -> Operation {
        .definitions(withCounts: try flag("counts") ?? false)
    }
}

extension ReplyEncoder {
    func append(_ hosted: Reply.Hosted, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.members(of: hosted.definition)
            if let counts = hosted.counts {
                writer.object("counts") { writer in
                    writer.member("instances", counts.instances)
                    writer.member("done", counts.done)
                    writer.member("failed", counts.failed)
                    writer.member("asking", counts.asking)
                }
            }
            writer.takes(hosted.takes)
        }
    }
}

extension JSONWriter {
    /// Appends the member `takes`, if the events are known.
    mutating func takes(_ takes: [TakenEvent]?) {
        guard let takes else { return }
        array("takes", takes) { writer, taken in
            writer.object { writer in
                writer.member("type", taken.event.name)
                writer.members(of: taken.event)
                writer.flag("internal", taken.isInternal)
            }
        }
    }

    private mutating func members(of event: EnumCase) {
        guard !event.members.isEmpty else { return }
        array("members", event.members) { writer, member in
            writer.object { writer in
                writer.member("name", member.name)
                writer.member("is", member.expected)
                writer.flag("optional", member.isOptional == true)
            }
        }
    }

    /// Appends the members that say which version of a machine this is.
    mutating func members(of item: Reply.DefinitionItem) {
        member("name", item.name)
        member("version", item.version)
        member("hash", item.hash)
        member("held", item.held?.word)
    }
}
