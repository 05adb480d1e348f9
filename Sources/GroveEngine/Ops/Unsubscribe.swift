extension Engine {
    /// `unsubscribe`: nothing more is sent.
    mutating func unsubscribe(
        _ name: SubscriptionName, of connection: ConnectionID
    ) -> Reply {
        let key = SubscriptionTable.Key(connection: connection, name: name)
        return subscriptions.remove(key) ? .done : .failure(.noSuchSubscription)
    }
}
