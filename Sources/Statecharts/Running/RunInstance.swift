import CEL

/// An instance of a run.
struct RunInstance: Sendable {
    /// The invocation that started it.
    struct Parent: Sendable {
        let address: String
        let id: String
        let serial: Int64
    }

    let chart: Chart
    let machine: String
    let id: String
    let parent: Parent?
    /// The instances around it.
    var level = 0
    var state: ChartState?
    var version: Int64 = 0

    init(chart: Chart, machine: String, id: String, parent: Parent?, level: Int = 0) {
        self.chart = chart
        self.machine = machine
        self.id = id
        self.parent = parent
        self.level = level
    }

    var address: String { "\(machine)/\(id)" }
}
