import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func list() throws(WireError) -> List {
        var list = List()
        list.machine = try machineName()
        list.held = try word("held", Hold.Kind.words).flatMap(Hold.Kind.init(word:))
        list.prefix = try text("prefix") ?? ""
        list.state = try text("state")
        list.isDone = try flag("done")
        list.isOutdated = try flag("outdated")
        list.after = try text("after")
        list.limit = try limit()
        return list
    }
}

extension ReplyEncoder {
    mutating func append(
        _ items: [Reply.ListItem], next: String?, _ writer: inout JSONWriter
    ) {
        writer.array("items", items) { writer, item in
            writer.object { writer in
                writer.member("to", item.name.text)
                writer.member("v", item.version)
                writer.member("state", orNull: item.state)
                writer.member("done", item.isDone)
                times.append(item.updated, as: #","updated":""#, to: &writer)
                writer.member("definition", item.definitionVersion)
                if let hold = item.hold { append(hold, &writer) }
            }
        }
        writer.member("next", next)
    }

    mutating func append(_ hold: Hold, _ writer: inout JSONWriter) {
        writer.member("held", hold.kind.word)
        times.append(hold.since, as: #","since":""#, to: &writer)
        writer.member("reason", hold.reason)
    }
}
