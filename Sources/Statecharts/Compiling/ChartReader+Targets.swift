import OrderedJSON

/// The last part of reading: targets become numbers of states, when all are known.
extension ChartReader {
    mutating func resolve() {
        let table = ChildTable(draft.states)
        var places: [Int: JSONPath] = [:]
        for target in pending {
            guard let found = find(target, table) else { continue }
            switch target.holder {
            case .transition(let index):
                draft.transitions[index].targets.append(found)
                places[index] = target.path
            case .initial(let index): addInitial(found, to: index, target)
            }
        }
        for (index, path) in places.sorted(by: { $0.key < $1.key }) {
            let targets = draft.transitions[index].targets
            checkTogether(targets, path)
            draft.transitions[index].targetsHistory = targets.contains {
                draft.states[Int($0)].isHistory
            }
            draft.transitions[index].domain = draft.states.domain(
                of: draft.transitions[index], targets: targets)
        }
        for index in draft.states.indices where draft.states[index].initial.targets.count > 1 {
            checkTogether(
                draft.states[index].initial.targets, JSONPath(draft.states[index].path))
        }
        checkHistories()
        for call in calls
        where draft.identifiers[call.state] == nil
            && table.state(atPath: call.state, in: draft.states) == nil
        {
            let hint = self.hint(call.state, among: draft.identifiers.keys)
            problems.warning(call.path, "there is no state '\(call.state)'\(hint)")
        }
    }

    private mutating func find(
        _ target: PendingTarget, _ table: ChildTable
    ) -> Int32? {
        let text = target.text
        // By scalars: the name after the mark may begin with one that combines with it.
        let marked = text.unicodeScalars
        if marked.first == "#" {
            let id = String(marked.dropFirst())
            if let found = draft.identifiers[id] { return found }
            let hint = self.hint(id, among: draft.identifiers.keys)
            problems.error(target.path, "there is no state with the id '\(id)'\(hint)")
            return nil
        }
        let isChild = marked.first == "."
        let key = isChild ? String(marked.dropFirst()) : text
        let parent: Int32
        switch target.holder {
        case .initial(let index) where !draft.states[index].isHistory: parent = Int32(index)
        case .initial(let index): parent = isChild ? Int32(index) : draft.states[index].parent
        case .transition(let index):
            let source = draft.transitions[index].source
            parent = isChild || source == 0 ? source : draft.states[Int(source)].parent
        }
        if let found = table[parent, key] { return found }
        reportMissing(key, in: parent, target.path)
        return nil
    }

    private mutating func reportMissing(_ key: String, in parent: Int32, _ path: JSONPath) {
        let node = draft.states[Int(parent)]
        let place = parent == 0 ? "the machine" : "'\(node.id)'"
        let siblings = (node.children + node.histories).map { draft.states[Int($0)].key }
        var other =
            draft.identifiers[key] != nil
            ? "; write \"#\(key)\" for the one elsewhere" : self.hint(key, among: siblings)
        if other.isEmpty, 1...ChartLimits.listedNamesMax ~= siblings.count {
            other = "; it has " + siblings.map { "'\($0)'" }.joined(separator: ", ")
        }
        problems.error(path, "\(place) has no child '\(key)'\(other)")
    }

    private mutating func addInitial(_ found: Int32, to index: Int, _ target: PendingTarget) {
        let state = draft.states[index]
        let around = state.isHistory ? state.parent : Int32(index)
        guard draft.states.isDescendant(found, of: around) else {
            problems.error(
                target.path,
                state.isHistory
                    ? "the default of a history state lies within the state around it"
                    : "the initial state lies within its state")
            return
        }
        draft.states[index].initial.targets.append(found)
    }

    /// Several targets must lie in different regions of a parallel state (SCXML 3.11).
    private mutating func checkTogether(_ targets: [Int32], _ path: JSONPath) {
        guard targets.count <= ChartLimits.targetsMax else {
            problems.error(path, "a transition may have \(ChartLimits.targetsMax) targets")
            return
        }
        for (position, one) in targets.enumerated() {
            for other in targets[..<position]
            where !draft.states.areInDifferentRegions(one, other) {
                let names = [other, one].map { "'\(draft.states[Int($0)].id)'" }
                problems.error(
                    path,
                    "\(names[0]) and \(names[1]) can't be active together: targets lie in "
                        + "different regions of a parallel state")
                return
            }
        }
    }

    /// The default of a history state can't be a history state of the same state, so that defaults
    /// end. Without a default it is the one of the state around it.
    private mutating func checkHistories() {
        for index in draft.states.indices where draft.states[index].isHistory {
            let parent = draft.states[index].parent
            for target in draft.states[index].initial.targets
            where draft.states[Int(target)].isHistory
                && draft.states[Int(target)].parent == parent
            {
                problems.error(
                    JSONPath(draft.states[index].path),
                    "the default of a history state can't be another one of the same state")
            }
            if draft.states[index].initial.targets.isEmpty {
                draft.states[index].initial.targets = defaults(of: parent)
            }
        }
    }

    /// The states that are entered by default, without history states.
    private func defaults(of parent: Int32) -> [Int32] {
        let node = draft.states[Int(parent)]
        if node.kind == .parallel { return node.children }
        let targets = node.initial.targets
        let isPlain = targets.allSatisfy { !draft.states[Int($0)].isHistory }
        return isPlain ? targets : Array(node.children.prefix(1))
    }
}
