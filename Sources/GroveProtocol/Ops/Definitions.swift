import GroveEngine
import OrderedJSON
import Transducers

extension ReplyEncoder {
    func append(_ hosted: Reply.Hosted, _ writer: inout JSONWriter) {
        writer.object { writer in
            appendMembers(hosted.definition, &writer)
            append(hosted.takes, &writer)
        }
    }

    func append(_ takes: [TakenEvent]?, _ writer: inout JSONWriter) {
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

    func appendMembers(_ item: Reply.DefinitionItem, _ writer: inout JSONWriter) {
        writer.member("name", item.name)
        writer.member("version", item.version)
        writer.member("hash", item.hash)
        writer.member("held", item.held?.word)
    }
}
