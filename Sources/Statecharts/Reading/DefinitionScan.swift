import OrderedJSON

/// A first pass over a definition, without recursion.
struct DefinitionScan {
    /// The members of the context that loops make.
    private(set) var loopNames: Set<String> = []

    /// Visits every value.
    ///
    /// - Returns: Nil if the definition is nested too deeply or has too many values.
    init?(_ json: JSONValue) {
        var open: [(value: JSONValue, level: Int)] = [(json, 0)]
        var count = 0
        while let (value, level) = open.popLast() {
            count += 1
            guard level <= ChartLimits.definitionLevelsMax,
                count <= ChartLimits.definitionValuesMax
            else { return nil }
            switch value {
            case .array(let elements):
                for element in elements { open.append((element, level + 1)) }
            case .object(let object):
                if let loop = object["foreach"]?.object {
                    for name in ["item", "index"] {
                        if let text = loop[name]?.string { loopNames.insert(text) }
                    }
                }
                for member in object { open.append((member.value, level + 1)) }
            default: break
            }
        }
    }
}
