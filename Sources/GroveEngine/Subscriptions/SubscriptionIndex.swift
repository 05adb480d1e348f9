/// Which subscriptions may want the records of an instance, so that a step is offered to those
/// and not to all: thousands of clients that each follow an instance of their own cost each
/// other nothing.
struct SubscriptionIndex {
    /// What a selection's patterns say about instances without being matched.
    private enum Reach {
        case everything
        case machine(String)
        case instance(String)

        init(_ selection: Selection) {
            guard let machine = selection.machine, machine.isLiteral else {
                self = .everything
                return
            }
            if let instance = selection.instance, instance.isLiteral {
                self = .instance("\(machine.pattern)/\(instance.pattern)")
            } else {
                self = .machine(machine.pattern)
            }
        }
    }

    // Ids grow, so each list is in the order of subscribing.
    private var everything: [SubscriptionTable.ID] = []
    private var byMachine: [String: [SubscriptionTable.ID]] = [:]
    private var byInstance: [String: [SubscriptionTable.ID]] = [:]

    mutating func insert(_ id: SubscriptionTable.ID, _ selection: Selection) {
        switch Reach(selection) {
        case .everything: everything.append(id)
        case .machine(let name): byMachine[name, default: []].append(id)
        case .instance(let name): byInstance[name, default: []].append(id)
        }
    }

    mutating func remove(_ id: SubscriptionTable.ID, _ selection: Selection) {
        switch Reach(selection) {
        case .everything: everything.removeSorted(id)
        case .machine(let name):
            byMachine[name]?.removeSorted(id)
            if byMachine[name]?.isEmpty == true { byMachine[name] = nil }
        case .instance(let name):
            byInstance[name]?.removeSorted(id)
            if byInstance[name]?.isEmpty == true { byInstance[name] = nil }
        }
    }

    /// Those whose selection may include the instance: first those that say least about it, each
    /// kind in the order of subscribing.
    func candidates(_ name: InstanceName) -> [SubscriptionTable.ID] {
        var found = everything
        if !byMachine.isEmpty, let more = byMachine[name.machine] { found += more }
        if !byInstance.isEmpty, let more = byInstance[name.text] { found += more }
        return found
    }
}

extension [SubscriptionTable.ID] {
    /// Removes one of numbers that are in order.
    fileprivate mutating func removeSorted(_ id: SubscriptionTable.ID) {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        precondition(low < endIndex && self[low] == id, "a subscription is in its index")
        remove(at: low)
    }
}
