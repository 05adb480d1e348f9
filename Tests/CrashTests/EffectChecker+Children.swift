import OrderedJSON

extension EffectChecker {
    /// Checks that every parcel belongs to an order that shipped it, that every shipped order has
    /// its parcel, and that the parcel's end was reported to its order once.
    mutating func checkChildren() throws {
        var parcels: [String: [EffectEvidence.Instance]] = [:]
        for (name, parcel) in evidence.instances(of: "shipment") {
            let order = String(name.prefix { $0 != "~" })
            guard evidence.instances["order/\(order)"] != nil else {
                throw CheckFailure("\(name): a parcel without an order")
            }
            parcels[order, default: []].append(parcel)
            try require(
                parcel.steps.first?.name == "pack" && parcel.steps.first?.dedup == nil,
                "\(name): began with \(parcel.steps.first?.name ?? "nothing")")
            try require(
                parcel.timers.isEmpty && parcel.effects.isEmpty,
                "\(name): has \(parcel.timers) \(parcel.effects)")
            counts.children += 1
            counts.effects += 1
        }
        for (name, order) in evidence.instances(of: "order") {
            try check(parcels[name] ?? [], of: name, order)
        }
    }

    private func check(
        _ parcels: [EffectEvidence.Instance], of name: String, _ order: EffectEvidence.Instance
    ) throws {
        let shipped = order.steps.filter { $0.name == "ship" }.map { $0.event["track"]?.string }
        let tracks = parcels.map { $0.state["track"]?.string }
        try require(
            Set(shipped) == Set(tracks) && shipped.count == tracks.count,
            "\(name): shipped \(shipped), and the parcels are \(tracks)")
        // Sorted by track number, which is the order of shipping.
        let inOrder = parcels.sorted { one, other in
            (one.state["track"]?.string ?? "") < (other.state["track"]?.string ?? "")
        }
        let ends = inOrder.compactMap { $0.state["status"]?.string }.filter {
            $0 == "delivered" || $0 == "lost"
        }
        let told = order.steps.filter { $0.name == "parcel" }.compactMap {
            $0.event["value"]?.string
        }
        try require(ends == told, "\(name): parcels ended \(ends), and it was told \(told)")
        let isShipped = order.state["status"] == "shipped"
        try require(
            parcels.filter { !$0.isDone }.count == (isShipped ? 1 : 0),
            "\(name): is \(order.state["status"] ?? nil), and of its parcels go on: "
                + "\(parcels.filter { !$0.isDone }.map(\.state))")
    }
}
