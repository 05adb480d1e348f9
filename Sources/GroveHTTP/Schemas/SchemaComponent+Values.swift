extension SchemaComponent {
    /// The schemas of values without parts.
    var valueSchema: JSONSchema {
        switch self {
        case .cursor: .text.described("an opaque place in the log")
        case .dedupKey:
            .text(1...HTTPLimits.keyBytesMax).described(
                "a key that makes repeats safe; the bound is in bytes")
        case .event:
            .object([JSONMember("type", .text)]).open.orText.described(
                "a string, or an object whose type is one; the machine says more")
        case .expectation:
            .oneOf([.count, .word(["absent", "exists"])]).described(
                "the version that the instance must have, or whether it must exist")
        case .instanceName:
            .text.matching("\(Self.machinePattern)/\(Self.instancePattern)")
                .described("machine/instance")
        case .machineName: .text.matching(Self.machinePattern)
        case .principalName:
            .text.matching("[a-z][a-z0-9-]{0,\(ProtocolLimits.principalNameBytesMax - 1)}")
        case .time: .text.formed("date-time")
        case .tokenID: .text.matching("[a-z2-7]{8}")
        case .trace:
            .text.matching("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}").described(
                "a traceparent of W3C's Trace Context")
        case .version: .count.described("the number of steps of an instance")
        default: preconditionFailure("\(rawValue) has parts")
        }
    }

    static let instancePattern =
        "[A-Za-z0-9._:@~+=,-]{1,\(ProtocolLimits.instanceNameBytesMax)}"

    private static let machinePattern =
        "[A-Za-z][A-Za-z0-9_.-]{0,\(ProtocolLimits.machineNameBytesMax - 1)}"
}
