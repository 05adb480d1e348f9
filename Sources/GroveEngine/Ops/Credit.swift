extension Engine {
    /// `credit`: that many records more may be sent.
    mutating func credit(
        _ count: Int64, to name: SubscriptionName, of connection: ConnectionID
    ) -> Reply {
        let key = SubscriptionTable.Key(connection: connection, name: name)
        guard let subscription = subscriptions[key] else { return .failure(.noSuchSubscription) }
        // A subscription without bound stays without bound.
        if let credit = subscription.credit {
            let sum = credit.addingReportingOverflow(count)
            subscription.credit = sum.overflow ? Int64.max : sum.partialValue
        }
        subscription.waitsForCredit = false
        subscriptions.listIfAble(subscription)
        return .done
    }
}
