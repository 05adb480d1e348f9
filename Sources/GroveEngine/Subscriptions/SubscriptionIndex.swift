import GroveWire

/// Finds the subscriptions that may select records of an instance. So a step isn't compared with
/// all of thousands of clients that each follow a different instance.
struct SubscriptionIndex {
    /// The facts about instances that a selection's patterns give without being matched.
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
    private var everything: [Subscription] = []
    private var byMachine: [String: [Subscription]] = [:]
    private var byInstance: [String: [Subscription]] = [:]

    /// The number of removed subscriptions that are still in the lists.
    private var gone = 0

    mutating func insert(_ subscription: Subscription) {
        switch Reach(subscription.selection) {
        case .everything: everything.append(subscription)
        case .machine(let name): byMachine[name, default: []].append(subscription)
        case .instance(let name): byInstance[name, default: []].append(subscription)
        }
    }

    mutating func remove(_ subscription: Subscription) {
        let id = subscription.id
        switch Reach(subscription.selection) {
        case .everything: everything.removeSorted(id)
        case .machine(let name):
            byMachine[name]?.removeSorted(id)
            if byMachine[name]?.isEmpty == true { byMachine[name] = nil }
        case .instance(let name):
            byInstance[name]?.removeSorted(id)
            if byInstance[name]?.isEmpty == true { byInstance[name] = nil }
        }
    }

    /// Records that `count` subscriptions ended. They are removed from the lists together, when
    /// they are many.
    mutating func leave(_ count: Int, of total: Int) {
        gone += count
        guard gone > 64, gone > total / 2 else { return }
        gone = 0
        everything.removeAll(where: \.isRemoved)
        byMachine = Self.sweep(byMachine)
        byInstance = Self.sweep(byInstance)
    }

    private static func sweep(_ lists: [String: [Subscription]]) -> [String: [Subscription]] {
        lists.compactMapValues { list in
            let rest = list.filter { !$0.isRemoved }
            return rest.isEmpty ? nil : rest
        }
    }

    /// The number of selections that ``candidates(_:where:)`` compares.
    func count(_ name: InstanceName) -> Int {
        var count = everything.count
        if !byMachine.isEmpty { count += byMachine[name.machine]?.count ?? 0 }
        if !byInstance.isEmpty { count += byInstance[name.text]?.count ?? 0 }
        return count
    }

    /// The subscriptions that pass the filter and whose selection includes the instance: the widest
    /// selections first, each kind in the order of subscribing. Some that have ended may be asked.
    func candidates(
        _ name: InstanceName, where isWanted: (Subscription) -> Bool
    ) -> [Subscription] {
        var found: [Subscription] = []
        var text = name.text
        return text.withUTF8 { utf8 in
            let machine = UnsafeBufferPointer(rebasing: utf8[..<name.machineLength])
            let instance = UnsafeBufferPointer(rebasing: utf8[(name.machineLength + 1)...])
            found += everything.filter {
                isWanted($0) && $0.selection.includes(machine: machine, instance: instance)
            }
            if !byMachine.isEmpty, let entries = byMachine[name.machine] {
                found += entries.filter {
                    isWanted($0) && $0.selection.instance?.matches(instance) != false
                        && $0.selection.grants(machine: machine, instance: instance)
                }
            }
            guard !byInstance.isEmpty, let entries = byInstance[name.text] else { return found }
            return found
                + entries.filter {
                    isWanted($0) && $0.selection.grants(machine: machine, instance: instance)
                }
        }
    }

    /// The subscriptions that may select records of the instance, without those of the lists in
    /// `asked`; some may have ended.
    func remaining(_ name: InstanceName, _ asked: inout Asked) -> [Subscription] {
        var found: [Subscription] = []
        if !asked.everything { found += everything }
        asked.everything = true
        if asked.machines.insert(name.machine).inserted { found += byMachine[name.machine] ?? [] }
        return found + (byInstance[name.text] ?? [])
    }

    /// The lists that ``remaining(_:_:)`` has returned already.
    struct Asked {
        fileprivate var everything = false
        fileprivate var machines: Set<String> = []
    }
}

extension Array where Element == Subscription {
    /// Removes a number from a sorted array.
    fileprivate mutating func removeSorted(_ id: Int) {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].id < id { low = middle + 1 } else { high = middle }
        }
        precondition(low < endIndex && self[low].id == id, "a subscription is in its index")
        remove(at: low)
    }
}
