extension ScriptExpression {
    /// Whether it is `_event.data`.
    var isEventData: Bool {
        switch node {
        case .member(let object, "data"): return object.name == "_event"
        case .element(let object, let place):
            guard object.name == "_event", case .string("data") = place.node else { return false }
            return true
        default: return false
        }
    }

    /// Whether it is `null` or `undefined`.
    var isNothing: Bool {
        switch node {
        case .null, .undefined: true
        default: false
        }
    }
}

/// The event and its data.
extension CELWriter {
    /// The members that every event has (SCXML 5.10.1).
    static let eventMembers: Set<String> = [
        "name", "type", "sendid", "origin", "origintype", "invokeid", "data",
    ]

    mutating func eventMember(_ name: String, _ index: Int) throws(ScriptFault) -> CELText {
        switch name {
        case "name": return CELText(text: "event.type", kind: .string)
        case "type": return CELText(text: "meta.kind")
        case "sendid": return CELText(text: "meta.send")
        case "origin": return CELText(text: "meta.origin")
        case "origintype":
            return CELText(
                text: "meta.via == 'machine' ? \(CELText.literal(Self.processor)) : meta.via",
                binding: .conditional)
        case "invokeid": return CELText(text: "meta.invoke")
        case "data": return eventData
        default: throw unsupported(index, "'_event.\(name)' has no counterpart")
        }
    }

    func dataMember(_ name: String, _ index: Int) throws(ScriptFault) -> CELText {
        if case .member = scope.eventData {
        } else {
            if name == "length" {
                return CELText(text: "size(\(eventValue.text))", kind: .integer)
            }
            if name == "type" {
                throw unsupported(
                    index, "an event's member 'type' is its name: give the datum another name")
            }
        }
        return CELText(text: eventObject.within(.operand) + CELText.access(name))
    }

    /// The whole data: an object of the event's members, its value, or null for an event without.
    private var eventData: CELText {
        fromPlace {
            CELText(
                text: "has(event.value) && size(event) == 2 ? event.value : "
                    + "size(event) > 1 ? event.transformMap(k, v, k != 'type', v) : null",
                binding: .conditional)
        }
    }

    /// The data, if they are an object.
    var eventObject: CELText { fromPlace { CELText(text: "event") } }

    /// The data, if they are no object.
    var eventValue: CELText { fromPlace { CELText(text: "event.value") } }

    /// The data as a value that is compared with a text, number or truth value.
    var comparedEventData: CELText { fromPlace { CELText(text: "event.?value.orValue(null)") } }

    /// Whether the event has no data.
    var hasNoData: CELText {
        switch scope.eventData {
        case .members: return CELText(text: "size(event) == 1", binding: .relation, kind: .bool)
        default:
            return CELText(
                text: "\(eventData.within(.sum)) == null", binding: .relation, kind: .bool)
        }
    }

    /// Chooses the place of the data.
    private func fromPlace(_ members: () -> CELText) -> CELText {
        switch scope.eventData {
        case .members: return members()
        case .member(let name): return CELText(text: "event.\(name)")
        case .either(let names):
            var text = ""
            for name in names {
                switch name {
                case "output":
                    text += "event.type.startsWith('done.') && has(event.output)"
                case "error":
                    text += "event.type.startsWith('error.') && has(event.error)"
                default:
                    text += "has(event.\(name)) && size(event) == 2 "
                    text += "&& type(event.\(name)) == map"
                }
                text += " ? event.\(name) : "
            }
            return CELText(text: text + members().within(.conditional), binding: .conditional)
        }
    }
}
