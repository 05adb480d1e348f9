public import OrderedJSON
public import Transducers

/// The definitions that a server hosts for one chart: the machine itself, and one for each machine
/// that it starts and that has no definition of its own.
public struct ChartDefinitions: Sendable {
    /// The machine first.
    public let all: [Definition]

    /// The definitions of a chart.
    ///
    /// An inline machine has the name of the machine around it with `.inline-1`, `.inline-2` and so
    /// on, in document order. Definitions that the chart computes belong to the machine with the
    /// ending `.computed`.
    ///
    /// The version of a definition that names none is `0+` and the first 8 digits of its hash.
    ///
    /// - Parameters:
    ///   - chart: The chart; its `id` is the name of the machine.
    ///   - json: The definition that it was read from.
    /// - Throws: ``ChartProblems`` if it has no id, or a name is too long.
    public init(_ chart: Chart, json: JSONValue) throws(ChartProblems) {
        guard let name = chart.name else {
            throw ChartProblems([
                ChartProblem(.error, "$", "a machine on a server needs an 'id'")
            ])
        }
        let hash = Self.hash(of: json)
        // Without a version each change is one of its own.
        let version = json["version"] == nil ? "0+\(hash.prefix(8))" : chart.version
        var all: [Definition] = []
        Self.add(chart, named: name, version: version, hash: hash, to: &all)
        for definition in all {
            guard ChartAddress.isMachineName(definition.name) else {
                throw ChartProblems([
                    ChartProblem(
                        .error, "$.id",
                        "an inline machine would have the name '\(definition.name)', and names "
                            + "have at most 64 characters: choose a shorter id")
                ])
            }
        }
        self.all = all
    }

    /// A hash of a definition's members and values, in their order: 16 hexadecimal digits. It
    /// doesn't depend on spaces.
    public static func hash(of json: JSONValue) -> String { json.serialized().fnv1a.hexDigits }

    private static func add(
        _ chart: Chart, named name: String, version: String, hash: String,
        to all: inout [Definition]
    ) {
        let inline = chart.inlineCharts
        var names: [ObjectIdentifier: String] = [:]
        for (index, inner) in inline.enumerated() {
            names[ObjectIdentifier(inner)] = "\(name).inline-\(index + 1)"
        }
        let machine = ChartMachine(chart, family: name, inlineNames: names)
        all.append(
            definition(chart, named: name, version: version, hash: hash, machine: machine))
        for inner in inline {
            add(
                inner, named: names[ObjectIdentifier(inner)] ?? name, version: version, hash: hash,
                to: &all)
        }
        guard chart.computesDefinitions else { return }
        let computed = ChartMachine.computedName(of: name)
        let computing = ComputedChartMachine(name: computed, family: name)
        all.append(
            Definition(
                name: computed, version: version, contentHash: hash,
                stateNames: { computing.activeNames(ofState: $0) }, known: nil, takes: [],
                handlers: [], machine: computing, describer: NoDescriber(machine: computing)))
    }

    private static func definition(
        _ chart: Chart, named name: String, version: String, hash: String, machine: ChartMachine
    ) -> Definition {
        Definition(
            name: name, version: version, contentHash: hash,
            stateNames: { chart.activeNames(ofState: $0) }, known: chart.stateNames,
            takes: chart.eventTypes.map { TakenEvent(chart, type: $0) },
            handlers: chart.handlers + (chart.makesRequests ? ["http"] : []), machine: machine,
            describer: ChartDescriber(chart: chart))
    }
}

/// Says nothing of the machine: each instance has another definition.
private struct NoDescriber: MachineDescriber {
    let machine: ComputedChartMachine

    func describe(in state: [UInt8]?) -> MachineDescription { MachineDescription() }
    func stateName(_ json: [UInt8]) -> String? { machine.activeNames(ofState: json).first }
}

extension TakenEvent {
    /// An event as its JSON Schema says it, if it is declared.
    fileprivate init(_ chart: Chart, type: String) {
        let schema = chart.events[type]
        let required = (schema?["required"]?.array ?? []).compactMap(\.string)
        let members = (schema?["properties"]?.object ?? JSONObject()).map { property in
            EnumCase.Member(
                name: property.name, expected: property.value["type"]?.string,
                isOptional: !required.contains(property.name))
        }
        self.init(event: EnumCase(name: type, members: members), isInternal: false)
    }
}

extension Chart {
    /// Whether it makes requests by HTTP.
    fileprivate var makesRequests: Bool {
        invocations.contains { if case .http = $0.source { true } else { false } }
    }
}
