import GroveClient
import GroveEngine
import OrderedJSON

/// An instance as a line of an export.
struct ExportLine {
    /// The instance's name, `machine/instance`.
    let name: String
    let version: Int64
    /// The line, one JSON object.
    let text: [UInt8]
    /// The number of the instance's live effects.
    let effects: Int64

    /// Makes the line from a server's reply to `get`.
    init(_ name: String, _ reply: GroveClient.Reply) throws(ClientError) {
        let instance = try InstanceReply(reply)
        guard let state = reply.node("state") else {
            throw .protocolViolation("an instance without a state")
        }
        self.name = name
        version = instance.version
        let definition = reply.value("definition")
        effects = Int64(instance.timers.count + instance.effects.count)
        text = ExportLine.text(
            name, instance.version, reply.document.text(state), isDone: instance.isDone,
            result: reply.node("result").map(reply.document.text),
            definition: definition?["version"]?.string ?? "", effects: effects)
    }

    /// Makes the line of an instance in a data file.
    init(_ instance: StoredInstance) {
        name = instance.name.text
        version = instance.version
        effects = instance.effectCount
        text = ExportLine.text(
            instance.name.text, instance.version, instance.state, isDone: instance.isDone,
            result: instance.result, definition: instance.definitionVersion, effects: effects)
    }

    private static func text(
        _ name: String, _ version: Int64, _ state: some Collection<UInt8>, isDone: Bool,
        result: (some Collection<UInt8>)?, definition: String, effects: Int64
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("to", name)
            writer.member("v", version)
            writer.name("state")
            writer.raw(state)
            writer.member("done", isDone)
            if let result {
                writer.name("result")
                writer.raw(result)
            }
            writer.object("definition") { writer in
                writer.member("name", name.split(separator: "/").first.map(String.init) ?? "")
                writer.member("version", definition)
            }
            writer.member("effects", effects > 0 ? effects : nil)
        }
        return writer.bytes
    }
}
