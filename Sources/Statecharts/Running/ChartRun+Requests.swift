import CEL
import OrderedJSON

/// The host's part: steps of instances, and what they request.
extension ChartRun {
    private struct Directory: ChartDirectory {
        let addresses: Set<String>

        func isKnown(_ address: String) -> Bool { addresses.contains(address) }
    }

    mutating func process(_ delivery: RunDelivery) {
        if let serial = delivery.invocation, !isRunning(serial, of: delivery.to) { return }
        guard let instance = instances[delivery.to] else {
            if case .event(let event) = delivery.content { deliver(event, toNew: delivery.to) }
            return
        }
        if instance.state?.isFinished == true { return }
        let environment = environment(of: instance)
        do throws(ChartFailure) {
            let step: ChartStep
            switch delivery.content {
            case .start(let input):
                step = try instance.chart.start(input: input, environment)
            case .event(let event):
                // A machine that didn't start takes nothing.
                guard let state = instance.state else { return }
                record(
                    delivery.to,
                    event.timer.map { .timer(state: instance.chart.name(of: $0)) } ?? .event(event))
                step = try instance.chart.step(state, event, environment)
            }
            commit(step, of: delivery.to, instance)
        } catch {
            record(delivery.to, .failure(error))
            if instance.state == nil { giveUp(instance, error) }
            if case .event(let event) = delivery.content {
                refuseResult(event, to: delivery.to, instance, error)
            }
        }
    }

    /// Whether an invocation of an instance runs.
    private func isRunning(_ serial: Int64, of address: String) -> Bool {
        instances[address]?.state?.invocations.contains { $0.serial == serial } ?? false
    }

    /// Makes a result that can't be taken the failure of its invocation, if the chart has a
    /// transition for that, as a server does.
    private mutating func refuseResult(
        _ event: ChartEvent, to address: String, _ instance: RunInstance, _ failure: ChartFailure
    ) {
        guard event.kind == .platform, let id = event.invocation,
            let serial = event.invocationSerial, event.type == "done.invoke.\(id)",
            instance.chart.hasTransition(for: "error.invoke.\(id)")
        else { return }
        let message = "its result can't be applied: \(failure.message)"
        deliver(
            .refused(invocation: id, serial: serial, message: message), to: address,
            while: serial)
    }

    /// Starts the instance that an event is sent to, which takes it next; without such a machine,
    /// nobody takes it.
    private mutating func deliver(_ event: ChartEvent, toNew address: String) {
        let parts = address.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let chart = machines[String(parts[0])],
            instances.count < ChartLimits.instancesMax
        else { return record(address, .undelivered(event, address: address)) }
        instances[address] = RunInstance(
            chart: chart, machine: String(parts[0]), id: String(parts[1]), parent: nil)
        process(RunDelivery(to: address, content: .start(CELMap())))
        // One that couldn't start takes nothing.
        guard instances[address]?.state != nil else { return instances[address] = nil }
        process(RunDelivery(to: address, content: .event(event)))
    }

    private mutating func commit(
        _ step: ChartStep, of address: String, _ instance: RunInstance
    ) {
        record(
            address,
            .step(
                Change(
                    chart: instance.chart, before: instance.state, after: step.state,
                    isChanged: step.isChanged,
                    entered: step.entered.map { instance.chart.states[Int($0)].id })))
        instances[address]?.state = step.state
        instances[address]?.version += 1
        for request in step.requests { execute(request, of: address, isStopped: false) }
    }

    private mutating func environment(of instance: RunInstance) -> ChartEnvironment {
        // SplitMix64.
        random &+= 0x9E37_79B9_7F4A_7C15
        var bits = random
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        var environment = ChartEnvironment(
            now: now, rand: Double(bits >> 11) / Double(1 << 53), id: instance.id,
            machine: instance.machine, version: instance.version,
            parent: instance.parent?.address,
            directory: instance.chart.errors == .scxml
                ? Directory(addresses: Set(instances.keys)) : nil)
        environment.listsEntered = true
        return environment
    }

    mutating func record(_ address: String, _ entry: Entry) {
        records.append(Record(address: address, time: now, entry: entry))
    }

    // MARK: Requests

    /// Executes a request. Of an instance that is stopped, nothing arrives anywhere.
    private mutating func execute(
        _ request: ChartRequest, of address: String, isStopped: Bool
    ) {
        switch request {
        case .emit(let type, let members): record(address, .output(type: type, members))
        case .log(let label, let value): record(address, .log(label: label, value))
        case .send(let event, let target, let milliseconds):
            if !isStopped { send(event, to: target, after: milliseconds, of: address) }
        case .cancel(let id): timers.cancel(.send(id), of: address)
        case .startTimer(let timer, let milliseconds):
            timers.insert(
                RunTimerQueue.Timer(
                    due: due(after: milliseconds), owner: address, name: .state(timer.state),
                    delivery: RunDelivery(to: address, content: .event(ChartEvent(timer: timer)))))
        case .cancelTimers(let state): timers.cancel(.state(state), of: address)
        case .invoke(let invocation): if !isStopped { start(invocation, of: address) }
        case .stopInvocation(_, let serial): stop(serial, of: address)
        case .forward(let event, _, let serial):
            if let child = child(serial, of: address) { deliver(event, to: child) }
        case .finish(let output): finish(address, output, isStopped: isStopped)
        }
    }

    private func due(after milliseconds: Int64) -> Int64 {
        let (sum, overflow) = elapsed.addingReportingOverflow(milliseconds)
        return overflow ? .max : sum
    }

    private mutating func send(
        _ event: ChartEvent, to target: ChartRequest.Target, after milliseconds: Int64,
        of address: String
    ) {
        guard let sender = instances[address] else { return }
        var event = event
        event.origin = address
        let recipient: String
        switch target {
        case .own: recipient = address
        case .parent:
            guard let parent = sender.parent else { return }
            recipient = parent.address
        case .child(_, let serial):
            guard let child = child(serial, of: address) else { return }
            recipient = child
        case .address(let other): recipient = other
        }
        if let parent = sender.parent, parent.address == recipient {
            event.invocation = parent.id
            event.invocationSerial = parent.serial
        }
        let delivery = RunDelivery(
            to: recipient, content: .event(event),
            invocation: target == .parent ? sender.parent?.serial : nil)
        guard milliseconds > 0 else {
            deliveries.append(delivery)
            return
        }
        timers.insert(
            RunTimerQueue.Timer(
                due: due(after: milliseconds), owner: address, name: .send(event.send),
                delivery: delivery))
    }

    /// The address of the child that an invocation has started.
    private func child(_ serial: Int64, of address: String) -> String? {
        instances.first {
            $0.value.parent?.address == address && $0.value.parent?.serial == serial
        }?.key
    }

    private static func childID(_ parent: String, _ id: String, _ serial: Int64) -> String {
        let safe = id.replacing("/", with: "_")
        return "\(parent)~\(safe)~\(serial)"
    }

    // MARK: Invocations

    private mutating func start(_ invocation: ChartInvocation, of address: String) {
        guard let parent = instances[address] else { return }
        let chart: Chart
        var name = parent.machine
        switch invocation.source {
        case .http, .handler:
            guard answersInvocations else {
                fail(invocation, of: address, "UNKNOWN_HANDLER", "nothing answers it in this run")
                return
            }
            pending.append(Pending(address: address, invocation: invocation))
            record(address, .asked(invocation))
            return
        case .machine(let machine):
            guard let found = machines[machine] else {
                fail(invocation, of: address, "UNKNOWN_MACHINE", "there is no machine '\(machine)'")
                return
            }
            chart = found
            name = machine
        case .chart(let inline):
            chart = inline
            name = inline.name ?? name
        case .definition(let value):
            do throws(ChartProblems) {
                chart = try Chart.computed(value.json ?? .null)
            } catch {
                let message = error.errors.first?.description ?? "it can't be read"
                fail(invocation, of: address, "BAD_DEFINITION", message)
                return
            }
            name = chart.name ?? name
        }
        guard instances.count < ChartLimits.instancesMax,
            parent.level < ChartLimits.instanceLevelsMax
        else {
            fail(invocation, of: address, "LIMIT", "there are too many instances")
            return
        }
        let child = RunInstance(
            chart: chart, machine: name,
            id: Self.childID(parent.id, invocation.id, invocation.serial),
            parent: RunInstance.Parent(
                address: address, id: invocation.id, serial: invocation.serial),
            level: parent.level + 1)
        instances[child.address] = child
        var input = CELMap()
        if case .map(let map)? = invocation.input { input = map }
        deliveries.append(RunDelivery(to: child.address, content: .start(input)))
    }

    private mutating func fail(
        _ invocation: ChartInvocation, of address: String, _ code: String, _ message: String
    ) {
        deliver(
            .failed(
                invocation: invocation.id, serial: invocation.serial, code: code,
                message: message),
            to: address, while: invocation.serial)
    }

    /// An instance that couldn't start: its invocation has failed.
    private mutating func giveUp(_ instance: RunInstance, _ failure: ChartFailure) {
        guard let parent = instance.parent else { return }
        instances[instance.address] = nil
        deliver(
            .failed(
                invocation: parent.id, serial: parent.serial, code: failure.code.rawValue,
                message: failure.message),
            to: parent.address, while: parent.serial)
    }

    /// Stops an invocation: the child's exit actions run, and nothing that it sends arrives.
    private mutating func stop(_ serial: Int64, of address: String) {
        pending.removeAll { $0.address == address && $0.invocation.serial == serial }
        guard let child = child(serial, of: address), let instance = instances[child] else {
            return
        }
        if let state = instance.state {
            do throws(ChartFailure) {
                let step = try instance.chart.stop(state, environment(of: instance))
                for request in step.requests { execute(request, of: child, isStopped: true) }
            } catch {
                record(child, .failure(error))
            }
        }
        remove(child)
    }

    /// Ends an instance: its timers are dropped, its children end, and the parent learns of it.
    private mutating func finish(_ address: String, _ output: CELValue, isStopped: Bool) {
        record(address, .finished(output: output))
        timers.cancelAll(of: address)
        guard let instance = instances[address] else { return }
        if address == self.address { self.output = output }
        guard let parent = instance.parent else { return }
        if !isStopped {
            deliver(
                .done(invocation: parent.id, serial: parent.serial, output: output),
                to: parent.address, while: parent.serial)
            remove(address)
        }
    }

    private mutating func remove(_ address: String) {
        instances[address] = nil
        timers.cancelAll(of: address)
        pending.removeAll { $0.address == address }
    }
}
