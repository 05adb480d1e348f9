/// Source files that no test of their target names, with the reason why that is right. The list
/// may only shrink: a file that gets tests is taken off.
enum TestFileExcuses {
    /// Files with one reason in common.
    struct Group {
        let reason: String
        /// Paths below Sources, without `.swift`.
        let files: [String]
    }

    static let groups: [Group] = [
        Group(
            reason: "Tables, rows and bounds of accounts: AccountRowsTests, AccountsCommandTests "
                + "and the conversations about accounts go through them.",
            files: [
                "GroveAccess/Accounts/AccountLimits",
                "GroveAccess/Table/AccountRow",
                "GroveAccess/Table/AccountsOutcome",
                "GroveEngine/Accounts/AccountsRequest",
                "GroveEngine/Store/AuditPage",
                "GroveEngine/Store/StoredAccounts",
                "GroveStorage/Tables/AuditTable",
                "GroveStorage/Tables/PrincipalTable",
                "GroveStorage/Tables/TokenTable",
            ]),
        Group(
            reason: "A part of reading requests: HTTPParserTests goes through all of it.",
            files: [
                "GroveHTTP/Parsing/HTTPChunkSize",
                "GroveHTTP/Parsing/HTTPField", "GroveHTTP/Parsing/HTTPFields",
                "GroveHTTP/Parsing/HTTPHost",
                "GroveHTTP/Parsing/HTTPHeadReader", "GroveHTTP/Parsing/HTTPRefusal",
            ]),
        Group(
            reason: "A part of answering requests: the golden conversations over HTTP show what "
                + "clients get.",
            files: [
                "GroveHTTP/HTTPLimits", "GroveHTTP/Responses/HTTPAssets",
                "GroveHTTP/Routes/HTTPParameter",
                "GroveHTTP/Routes/PathVariables",
            ]),
        Group(
            reason: "Part of JSONCoding: every test of coding goes through it.",
            files: [
                "OrderedJSON/Coding/DecodingState",
                "OrderedJSON/Coding/EncodingState+Enums",
                "OrderedJSON/Coding/EncodingState+Values",
                "OrderedJSON/Coding/EncodingState",
                "OrderedJSON/Coding/EnumLabels",
                "OrderedJSON/Coding/JSONWord",
                "OrderedJSON/Coding/KeyedForm",
                "OrderedJSON/Coding/KeyedNodes",
                "OrderedJSON/Coding/KeyedWriter",
                "OrderedJSON/Coding/MissingMember",
                "OrderedJSON/Coding/NodeDecoder",
                "OrderedJSON/Coding/NodeEncoder",
                "OrderedJSON/Coding/ReadingNotes",
                "OrderedJSON/Coding/UnkeyedNodes",
                "OrderedJSON/Coding/UnkeyedWriter",
                "OrderedJSON/Reading/PathStep",
            ]),
        Group(
            reason: "Parts of a chart and of its reading: every test of charts goes through them.",
            files: [
                "Statecharts/Compiling/ChartDraft",
                "Statecharts/Format/ChartExpression",
                "Statecharts/Format/InvokePlan",
                "Statecharts/Format/Literal",
                "Statecharts/Format/Template",
                "Statecharts/Interpreting/ChartDirectory",
                "Statecharts/Interpreting/ChartRequest",
                "Statecharts/Reading/ProblemList",
                "Statecharts/Running/RunInstance",
            ]),
        Group(
            reason: "Values of stored definitions: the tests of the table that keeps them, and of "
                + "define, use them.",
            files: [
                "GroveEngine/Store/DefinitionChange", "GroveEngine/Store/StoredDefinition",
                "GroveEngine/Store/StoredDefinitions", "GroveEngine/Values/CompiledDefinition",
            ]),
        Group(
            reason: "What a server gives a chart: the tests of hosted charts, and the "
                + "conversations about them, go through them.",
            files: [
                "Transducers/Hosted/EventOrigin"
            ]),
        Group(
            reason: "Part of JSONDocument: every test of reading goes through it.",
            files: [
                "OrderedJSON/Reading/DecimalText",
                "OrderedJSON/Reading/NameCheck",
                "OrderedJSON/Reading/Scanner",
                "OrderedJSON/Reading/TapeEntry",
                "OrderedJSON/Reading/Unescape",
            ]),
        Group(
            reason: "What Grant and AccountsDocument read with: all their tests go through it.",
            files: ["GroveAccess/Accounts/AccountsReader", "GroveAccess/Grants/GrantReader"]),
        Group(
            reason: "Two values that every test of the engine passes through it.",
            files: ["GroveEngine/Turn"]),
        Group(
            reason: "Seen through definitions, whose tests run machines of every shape.",
            files: [
                "Transducers/Hosted/DurableArgument",
                "Transducers/Hosted/DurableEffect",
                "Transducers/Hosted/DurableWork",
                "Transducers/Hosted/EffectHandler",
                "Transducers/Hosted/EffectResultError",
                "Transducers/Hosted/EffectShares",
                "Transducers/Hosted/HostedEffectError",
                "Transducers/Hosted/HostedQueue",
                "Transducers/Hosted/TypedDescriber",
                "Transducers/Hosted/TypedMachine",
            ]),
        Group(
            reason: "Inside what runs machines: every test of runs and hosts goes through it.",
            files: [
                "Transducers/Composition/PairEvent",
                "Transducers/InProcess/EffectGroup",
                "Transducers/InProcess/EffectObserver",
                "Transducers/InProcess/EffectRequest",
                "Transducers/InProcess/EffectRuntime",
                "Transducers/InProcess/EventSink",
                "Transducers/InProcess/LocalStorage",
                "Transducers/InProcess/MachineOwner",
                "Transducers/InProcess/MutedSink",
                "Transducers/InProcess/PendingEffect",
                "Transducers/InProcess/PerformInProcess",
                "Transducers/InProcess/RunActor",
                "Transducers/InProcess/RunLoop+Life",
                "Transducers/InProcess/RunOutcome",
                "Transducers/InProcess/RunSink",
                "Transducers/Machine/EffectAction",
                "Transducers/Machine/EffectContext",
                "Transducers/Machine/EffectMapping",
                "Transducers/Machine/EffectNode",
                "Transducers/Machine/EffectOperation",
                "Transducers/Machine/MachineActor",
                "Transducers/Machine/MappedSink",
                "Transducers/Machine/RunnableTransducer",
                "Transducers/Machine/StepError",
                "Transducers/Machine/Stepper",
            ]),
        Group(
            reason: "Inside tables and machines of routes: every test of routes goes through it.",
            files: [
                "TransducerRoutes/Diagrams/RouteDrawing",
                "TransducerRoutes/Indexes/RouteCandidate",
                "TransducerRoutes/Indexes/RouteSource",
                "TransducerRoutes/Indexes/RouteDecision",
                "TransducerRoutes/Tables/RouteRegionBody",
            ]),
        Group(
            reason: "A protocol and an enumeration: tests of pages and subscriptions use them.",
            files: [
                "GroveClient/Requests/PageItem", "GroveClient/Subscriptions/SubscriptionItem",
            ]),
        Group(
            reason: "Inside RemoteTransducer: every test of it goes through them.",
            files: ["GroveClient/Remote/RemoteModel", "GroveClient/Remote/RemoteStatus"]),
        Group(
            reason: "For systems with SwiftUI; not built on Linux.",
            files: ["Transducers/InProcess/TransducerView"]),
        Group(
            reason: "What exploring is made of, whose tests are those of TransducerTesting.",
            files: ["Transducers/Machine/RunnableTransducer+WholeStep"]),
        Group(
            reason: "The members of a request: every test of RequestDecoder goes through them.",
            files: ["GroveProtocol/Requests/Fields"]),
        Group(
            reason: "Inside the engine: tests see it through requests and their answers.",
            files: [
                "GroveEngine/Effects/ClosureTable",
                "GroveEngine/Effects/EffectCause",
                "GroveEngine/Effects/WaiterTable",
                "GroveEngine/Values/ByteCoding",
                "GroveEngine/Values/ByteReader",
                "GroveEngine/Values/ForeignCursor",
                "GroveEngine/Values/LogID",
                "GroveEngine/Values/MachineName",
                "GroveEngine/Journal/ReplayedInstance",
                "GroveEngine/Journal/Skips",
                "GroveEngine/Ops/EffectsRead",
                "GroveEngine/Ops/HistoryRead",
                "GroveEngine/Ops/ListRead",
                "GroveEngine/Ops/PageReadQueue",
                "GroveEngine/PublishedStep",
                "GroveEngine/Subscriptions/SubscriptionTable",
            ]),
        Group(
            reason: "Inside the store: its contract, opening and fault tests go through it.",
            files: [
                "GroveStorage/Journal/BlockCache",
                "GroveStorage/Checking/StoreProblem",
                "GroveStorage/File/StoreCreation",
                "GroveStorage/Retention/BlockErasure",
                "GroveStorage/Retention/MachineSearch",
                "GroveStorage/Tables/Floor",
                "GroveStorage/Tables/FloorTable",
                "GroveStorage/Tables/GarbageTable",
                "GroveStorage/Tables/InstanceTable",
                "GroveStorage/Tables/JournalTable",
                "GroveStorage/Tables/Meta",
                "GroveStorage/Tables/MetaTable",
                "GroveStorage/Tables/Tables",
            ]),
        Group(
            reason:
                "Inside contexts and connections of TLS: every test of these goes through them.",
            files: [
                "GroveTLS/LibraryError", "GroveTLS/PEMFile", "GroveTLS/TLSContextBuilder",
                "GroveTLS/VerificationNote",
            ]),
        Group(
            reason: "Works only in a running server: the tests of sockets and crashes start one.",
            files: [
                "GroveServer/Sockets/Connection", "GroveServer/Sockets/ReadBuffer",
                "GroveServer/Sockets/TLSChannel",
            ]),
        Group(
            reason: "Works only with a server: the tests of the tool run the command against one.",
            files: [
                "GroveBench/BenchLoop"
            ]),
        Group(
            reason: "Works only in a process that traps: the crash tests start one.",
            files: [
                "GroveServer/Crashes/SignalMemory",
                "GroveServer/Crashes/SignalStack",
                "GroveServer/Crashes/TrapSignals",
            ]),
        Group(
            reason: "The same few lines as the command `serve`, which the session tests run.",
            files: ["Grove/Serve"]),
        Group(
            reason: "The command itself: every test of the tool starts it.",
            files: ["GroveTool/Tool"]),
        Group(
            reason: "Runs the servers of the tutorial, whose tests are those of documentation.",
            files: ["Grove/WithServer"]),
    ]

    /// Each file with its reason.
    static let all: [String: String] = Dictionary(
        uniqueKeysWithValues: groups.flatMap { group in
            group.files.map { ("Sources/\($0).swift", group.reason) }
        })
}
