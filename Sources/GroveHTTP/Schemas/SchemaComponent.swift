/// A schema that several places of the description refer to.
enum SchemaComponent: String, CaseIterable {
    // Values.
    case cursor = "Cursor"
    case dedupKey = "DedupKey"
    case event = "Event"
    case expectation = "Expectation"
    case instanceName = "InstanceName"
    case machineName = "MachineName"
    case principalName = "PrincipalName"
    case time = "Time"
    case tokenID = "TokenId"
    case trace = "TraceParent"
    case version = "Version"
    // Parts of requests.
    case accountParts = "AccountParts"
    case accountsDocument = "AccountsDocument"
    case quotas = "Quotas"
    case sendItem = "SendItem"
    // Replies and their parts.
    case applied = "Applied"
    case auditEntry = "AuditEntry"
    case cause = "Cause"
    case definition = "Definition"
    case definitionProblem = "DefinitionProblem"
    case effect = "Effect"
    case effectChange = "EffectChange"
    case effectEnd = "EffectEnd"
    case error = "Error"
    case instance = "Instance"
    case instanceItem = "InstanceItem"
    case instanceEffect = "InstanceEffect"
    case machine = "Machine"
    case machineDescription = "MachineDescription"
    case mark = "Mark"
    case principal = "Principal"
    case problem = "Problem"
    case record = "Record"
    case step = "Step"
    case takenEvent = "TakenEvent"
    case timer = "Timer"
    case tokenNote = "TokenNote"

    /// Where it stands, for `$ref`.
    var path: String { "#/components/schemas/\(rawValue)" }

    var schema: JSONSchema {
        switch self {
        case .cursor, .dedupKey, .event, .expectation, .instanceName, .machineName, .principalName,
            .time, .tokenID, .trace, .version:
            valueSchema
        case .accountParts: .object(SchemaMembers.accountParts)
        case .accountsDocument: SchemaMembers.accountsDocument
        case .quotas: SchemaMembers.quotas
        case .sendItem: .object(SchemaMembers.sendItem)
        case .applied: .object(SchemaMembers.applied)
        case .auditEntry: .object(SchemaMembers.auditEntry)
        case .cause: .object(SchemaMembers.cause)
        case .definition: .object(SchemaMembers.definition)
        case .definitionProblem: .object(SchemaMembers.definitionProblem)
        case .effect: .object(SchemaMembers.effect)
        case .effectChange: .object(SchemaMembers.effectChange)
        case .effectEnd: .object(SchemaMembers.effectEnd)
        case .error: .object(SchemaMembers.error)
        case .instance: .object(SchemaMembers.instance)
        case .instanceItem: .object(SchemaMembers.instanceItem)
        case .instanceEffect: .object(SchemaMembers.instanceEffect)
        case .machine: .object(SchemaMembers.machine)
        case .machineDescription: .object(SchemaMembers.machineDescription)
        case .mark: SchemaMembers.mark
        case .principal:
            .object([JSONMember("name", .of(.principalName))] + SchemaMembers.accountOf())
        case .problem: .object(SchemaMembers.problem)
        case .record: SchemaMembers.record
        case .step: .object(SchemaMembers.step)
        case .takenEvent: .object(SchemaMembers.takenEvent)
        case .timer: .object(SchemaMembers.timer)
        case .tokenNote: .object(SchemaMembers.tokenNote)
        }
    }
}
