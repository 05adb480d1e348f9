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

    /// A subscription's number with its selection, which decides most cases without a look at the
    /// subscription itself.
    fileprivate struct Entry {
        var id: SubscriptionTable.ID
        /// In a box, because a removal moves all entries after it.
        var selection: Box
    }

    fileprivate final class Box: Sendable {
        let selection: Selection

        init(_ selection: Selection) { self.selection = selection }
    }

    // Ids grow, so each list is in the order of subscribing.
    private var everything: [Entry] = []
    private var byMachine: [String: [Entry]] = [:]
    private var byInstance: [String: [Entry]] = [:]

    /// The number of removed subscriptions that are still in the lists.
    private var gone = 0

    mutating func insert(_ id: SubscriptionTable.ID, _ selection: Selection) {
        let entry = Entry(id: id, selection: Box(selection))
        switch Reach(selection) {
        case .everything: everything.append(entry)
        case .machine(let name): byMachine[name, default: []].append(entry)
        case .instance(let name): byInstance[name, default: []].append(entry)
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

    /// Records that `count` subscriptions ended. They are removed from the lists together, when
    /// they are many.
    ///
    /// - Parameter isThere: Whether a subscription with this number still exists.
    mutating func leave(
        _ count: Int, of total: Int, where isThere: (SubscriptionTable.ID) -> Bool
    ) {
        gone += count
        guard gone > 64, gone > total / 2 else { return }
        gone = 0
        everything.removeAll { !isThere($0.id) }
        byMachine = Self.sweep(byMachine, isThere)
        byInstance = Self.sweep(byInstance, isThere)
    }

    private static func sweep(
        _ lists: [String: [Entry]], _ isThere: (SubscriptionTable.ID) -> Bool
    ) -> [String: [Entry]] {
        lists.compactMapValues { list in
            let rest = list.filter { isThere($0.id) }
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

    /// The subscriptions whose selection includes the instance and passes the filter: the widest
    /// selections first, each kind in the order of subscribing.
    func candidates(
        _ name: InstanceName, where wants: (Selection) -> Bool
    ) -> [SubscriptionTable.ID] {
        var found: [SubscriptionTable.ID] = []
        var text = name.text
        text.withUTF8 { utf8 in
            let machine = UnsafeBufferPointer(rebasing: utf8[..<name.machineLength])
            let instance = UnsafeBufferPointer(rebasing: utf8[(name.machineLength + 1)...])
            func look(_ entries: [Entry]) {
                for entry in entries
                where entry.selection.selection.includes(machine: machine, instance: instance)
                    && wants(entry.selection.selection)
                {
                    found.append(entry.id)
                }
            }
            look(everything)
            if !byMachine.isEmpty, let entries = byMachine[name.machine] { look(entries) }
            if !byInstance.isEmpty, let entries = byInstance[name.text] { look(entries) }
        }
        return found
    }

    /// The subscriptions that may select records of the instance, without those of the lists in
    /// `asked`.
    func remaining(_ name: InstanceName, _ asked: inout Asked) -> [SubscriptionTable.ID] {
        var found: [SubscriptionTable.ID] = []
        if !asked.everything { found += everything.map(\.id) }
        asked.everything = true
        if asked.machines.insert(name.machine).inserted, let entries = byMachine[name.machine] {
            found += entries.map(\.id)
        }
        if let entries = byInstance[name.text] { found += entries.map(\.id) }
        return found
    }

    /// The lists that ``remaining(_:_:)`` has returned already.
    struct Asked {
        fileprivate var everything = false
        fileprivate var machines: Set<String> = []
    }
}

extension Array where Element == SubscriptionIndex.Entry {
    /// Removes a number from a sorted array.
    fileprivate mutating func removeSorted(_ id: SubscriptionTable.ID) {
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
