import OrderedJSON

/// The tables of a chart while its definition is read.
struct ChartDraft {
    var name: String?
    var version = "1.0.0"
    var errors = Chart.ErrorMode.fail
    var isStrict = false
    var events = JSONObject()
    var states: [StateNode] = []
    var transitions: [Transition] = []
    var invocations: [InvokePlan] = []
    var context: [Chart.Declaration] = []
    /// The members of the context, declared or made by loops.
    var contextNames: Set<String> = []
    var output: Template?
    var migration: ChartMigration?
    var descriptors = DescriptorTable()
    /// The numbers of states by id; the machine has none.
    var identifiers: [String: Int32] = [:]
    var usesMeta = false
    var usesSelf = false
    /// The names in `Chart.unsteadyNames`.
    var unsteadyNames: Set<String> = []
}
