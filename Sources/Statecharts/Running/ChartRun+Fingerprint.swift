import CEL
import OrderedJSON

extension ChartRun {
    /// A text that is equal for two runs of the same chart which can't be told apart from now on,
    /// except by expressions with `now`, `rand` or `self.v`: the states of all instances, what
    /// waits, and when it is due. The numbers of invocations don't count.
    public var fingerprint: [UInt8] {
        let names = comparableNames
        var writer = JSONWriter()
        for (address, name) in names.sorted(by: { $0.value < $1.value }) {
            guard let instance = instances[address], let state = instance.state else { continue }
            writer.string(name)
            instance.chart.writeComparable(state, &writer)
        }
        for timer in timers.all {
            guard case .event(let event) = timer.delivery.content else { continue }
            writer.integer(timer.due - elapsed)
            writer.string(names[timer.owner] ?? timer.owner)
            writer.string("\(timer.name)")
            writer.string(names[timer.delivery.to] ?? timer.delivery.to)
            ContextValue.write(event.members, &writer)
        }
        for waiting in pending {
            writer.string(names[waiting.address] ?? waiting.address)
            writer.string(waiting.invocation.id)
        }
        return writer.bytes
    }

    /// The addresses of instances, where those of children have their order among the children of
    /// one invocation instead of its number.
    private var comparableNames: [String: String] {
        var names: [String: String] = [:]
        var counts: [String: Int] = [:]
        let children = instances.values.sorted {
            ($0.level, $0.parent?.serial ?? 0, $0.address)
                < ($1.level, $1.parent?.serial ?? 0, $1.address)
        }
        for instance in children {
            guard let parent = instance.parent else {
                names[instance.address] = instance.address
                continue
            }
            let name = "\(names[parent.address] ?? parent.address)~\(parent.id)"
            let count = counts[name, default: 0]
            counts[name] = count + 1
            names[instance.address] = "\(name)~\(count)"
        }
        return names
    }
}

extension Chart {
    /// Writes what decides about further steps, without the numbers of invocations.
    fileprivate func writeComparable(_ state: ChartState, _ writer: inout JSONWriter) {
        writer.array("states", state.configuration) { writer, active in
            writer.integer(Int64(active))
        }
        ContextValue.write(state.context, &writer)
        writer.array("history", state.histories) { writer, history in
            writer.integer(Int64(history.state))
            writer.array("recorded", history.recorded) { $0.integer(Int64($1)) }
        }
        writer.array("deferred", state.deferred) { writer, event in
            ContextValue.write(event.members, &writer)
        }
        writer.array("invoked", state.invocations) { writer, invocation in
            writer.string(invocation.id)
            writer.integer(Int64(invocation.plan))
        }
        writer.bool(state.isFinished)
    }
}
