import CEL
import OrderedJSON
import Transducers

/// An instance of a chart on a server.
struct ChartInstance: HostedInstance {
    private let machine: ChartMachine
    private var state: ChartState
    /// The surroundings that stay, and those of the newest step, which each step sets again.
    private var environment: ChartEnvironment
    private let number: Int64
    /// What the initial step of a new instance has asked for.
    private let initial: [ChartRequest]

    /// A new instance.
    ///
    /// - Parameter work: What the start has computed is added, also that of one that fails.
    init(
        _ machine: ChartMachine, _ identity: InstanceIdentity, input: CELMap,
        _ context: StepContext, work: inout Int
    ) throws(StepFailure) {
        let environment = Self.environment(of: identity, in: context)
        let step: ChartStep
        do throws(ChartFailure) {
            step = try machine.chart.start(input: input, environment)
        } catch {
            work += error.work
            throw StepFailure(error, accepts: [])
        }
        work += step.work
        self.machine = machine
        state = step.state
        self.environment = environment
        number = identity.number
        initial = step.requests
    }

    /// A restored instance.
    init(_ machine: ChartMachine, _ identity: InstanceIdentity, _ state: ChartState) {
        self.machine = machine
        self.state = state
        environment = ChartEnvironment(identity)
        number = identity.number
        initial = []
    }

    /// The surroundings of a step.
    static func environment(
        of identity: InstanceIdentity, in context: StepContext
    ) -> ChartEnvironment {
        var environment = ChartEnvironment(identity)
        environment.advance(context, number: identity.number)
        return environment
    }

    var isTerminal: Bool { state.isFinished }

    func describeInitial(into step: inout StepBuffer) throws(StepFailure) {
        try machine.write(initial, isFinished: state.isFinished, environment, into: &step)
        try machine.write(state, into: &step)
        step.isTerminal = state.isFinished
    }

    mutating func apply(
        _ event: any HostedEvent, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) {
        let event = try machine.event(of: event)
        if event.kind == .external, let fault = machine.chart.fault(of: event) {
            throw .rejected(Rejection("\(fault.path): \(fault.message)", accepts: accepted))
        }
        environment.advance(context, number: number)
        let result: ChartStep
        do throws(ChartFailure) {
            result = try machine.chart.step(state, event, environment)
        } catch {
            step.work = error.work
            throw StepFailure(error, accepts: error.code == .eventRejected ? accepted : [])
        }
        step.work = result.work
        try machine.write(
            result.requests, isFinished: result.state.isFinished, environment, into: &step)
        try step.check(context.limits)
        try machine.write(result.state, into: &step)
        guard step.state.bytes.count <= context.limits.stateBytes else {
            throw .stateTooLarge(step.state.bytes.count, max: context.limits.stateBytes)
        }
        step.isTerminal = result.state.isFinished
        state = result.state
    }

    mutating func stop(
        in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> Bool {
        environment.advance(context, number: number)
        let result: ChartStep
        do throws(ChartFailure) {
            result = try machine.chart.stop(state, environment)
        } catch {
            throw StepFailure(error, accepts: [])
        }
        // Nothing that a stopped machine sends arrives.
        let last = result.requests.filter(\.isOfStopped)
        try machine.write(last, isFinished: true, environment, into: &step)
        try step.check(context.limits)
        return !last.isEmpty
    }

    /// The types of events that the active states take.
    private var accepted: [String] { machine.chart.accepted(in: state) }
}

extension ChartEnvironment {
    /// The surroundings of an instance that don't change.
    fileprivate init(_ identity: InstanceIdentity) {
        let parts = identity.name.split(separator: "/", maxSplits: 1)
        self.init(
            now: CELTimestamp(milliseconds: 0), id: parts.last.map(String.init) ?? "",
            machine: parts.first.map(String.init) ?? "", parent: identity.parent)
    }

    /// Sets the surroundings of a step. The random number follows from the instance, the version
    /// and the time, which the journal has: a replay gets the same one.
    fileprivate mutating func advance(_ context: StepContext, number: Int64) {
        now = CELTimestamp(milliseconds: context.time)
        version = context.version
        // SplitMix64 over the three.
        var bits = UInt64(bitPattern: number)
        for part in [context.version, context.time] {
            bits = (bits ^ UInt64(bitPattern: part)) &+ 0x9E37_79B9_7F4A_7C15
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            bits ^= bits >> 31
        }
        rand = Double(bits >> 11) / Double(1 << 53)
    }
}

extension StepFailure {
    /// The failure of a step of a chart, with the place in the definition.
    init(_ failure: ChartFailure, accepts: [String]) {
        let place = failure.path.map { " (\($0))" } ?? ""
        let message = failure.message + place
        switch failure.code {
        case .stepLimit: self = .stepLimit(message)
        case .evalLimit: self = .outputLimit(message)
        case .stateTooLarge:
            let max = ChartLimits.stateBytesMax
            self = .stateTooLarge(failure.stateBytes ?? max + 1, max: max)
        case .evalError: self = .evaluation(message)
        case .eventRejected: self = .rejected(Rejection(failure.message, accepts: accepts))
        }
    }
}
