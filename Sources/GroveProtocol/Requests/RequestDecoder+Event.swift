import GroveEngine
import GroveWire
import OrderedJSON
import Transducers

extension RequestDecoder {
    /// The instance and the event for it, whose shape is checked.
    func target(_ fields: Fields) throws(WireError) -> (InstanceName, JSONDocument.Node) {
        let to = try to(fields)
        guard let node = fields.event else { throw .badRequest("$.event", "event is missing") }
        try checkShape(ofEvent: node)
        return (to, node)
    }

    /// Checks that an event is a string, or an object whose `type` is one.
    private func checkShape(ofEvent node: JSONDocument.Node) throws(WireError) {
        var path = "$.event"
        switch document.kind(node) {
        case .string: return
        case .object:
            let type = document.member("type", of: node)
            if let type, document.kind(type) == .string { return }
            path = "$.event.type"
        case .null, .bool, .integer, .double, .array: break
        }
        throw .badRequest(path, "an event is a string, or an object with a type")
    }

    /// The event, decoded, and its bytes as they were sent.
    mutating func event(
        _ node: JSONDocument.Node, of to: InstanceName, _ line: UnsafeRawBufferPointer
    ) -> (EventInput, [UInt8]) {
        let bytes = UnsafeRawBufferPointer(rebasing: line[document.range(node)])
        var name = to.text
        let length = to.machineLength
        let machine = name.withUTF8 { name in
            machines.index(of: UnsafeRawBufferPointer(name.extracting(..<length)))
        }
        guard let machine else { return (.unknownMachine, Array(bytes)) }
        let isShort = bytes.count <= ServerLimits.rememberedEventBytesMax
        let hash = isShort ? ByteHash.of(bytes) : 0
        if isShort,
            let known = machines[machine].events.find(bytes, hash: hash, turn: turn)
        {
            return known
        }
        let text = Array(bytes)
        let isWithheld =
            !withheld.isEmpty
            && (withheld.contains(.instance(to)) || withheld.contains(.machine(to.machine)))
        if isWithheld { return (.withheld, text) }
        witness?.begin(to, effectNumber: 0, event: bytes)
        defer { witness?.end() }
        do throws(EventError) {
            let definition = machines[machine].definition
            let decoded = try definition.machine.decodeEvent(document, at: node)
            let name = definition.internalName(of: decoded)
            let event =
                name.map { EventInput.internalOnly(decoded, name: $0) }
                ?? .decoded(decoded)
            if isShort {
                machines[machine].events.remember(text, hash: hash, event: event, turn: turn)
            }
            return (event, text)
        } catch {
            return (.undecodable(error), text)
        }
    }
}
