extension Engine {
    /// Hands the steps of a commit to the subscriptions that are live. One whose connection is
    /// full or that is out of credit stops being live just before the record it can't get, and
    /// reads it from the journal later.
    mutating func publish(
        _ steps: [PublishedStep], at now: Timestamp, into actions: inout Actions
    ) {
        guard !subscriptions.isEmpty, !steps.isEmpty else { return }
        var live = subscriptions.order.filter { subscriptions[$0]?.phase == .live }
        guard !live.isEmpty else { return }
        for step in steps {
            let parts = RecordParts(step.record).parts
            for part in parts {
                let weight = Publication.weight(
                    of: part, record: step.record, before: step.before)
                var recipients: [Publication.Recipient] = []
                live.removeAll { key in
                    !offer(part, of: step.record, weight, to: key, at: now, &recipients, &actions)
                }
                guard !recipients.isEmpty else { continue }
                counters.published += Int64(recipients.count)
                actions.publications.append(
                    Publication(
                        content: .record(
                            step.record, kind: part.kind, index: part.index, before: step.before),
                        recipients: recipients, weight: weight))
            }
        }
        guard let last = steps.last?.record.sequence else { return }
        for key in live { subscriptions[key]?.position = Cursor(sequence: last) }
    }

    /// Offers one record to a live subscription; `false` when it is not live any more.
    private mutating func offer(
        _ part: RecordParts.Part, of record: JournalRecord, _ weight: Int,
        to key: SubscriptionTable.Key, at now: Timestamp,
        _ recipients: inout [Publication.Recipient], _ actions: inout Actions
    ) -> Bool {
        guard var subscription = subscriptions[key], let name = record.name else { return false }
        defer { subscriptions[key] = subscription }
        let cursor = Cursor(sequence: record.sequence, index: part.index)
        guard subscription.selection.includes(name),
            subscription.selection.includes(part, of: record)
        else {
            subscription.position = cursor
            subscription.passedOver += 1
            return true
        }
        guard subscriptions.isOpen(key.connection, window: options.connectionWindow) else {
            subscription.phase = .catchingUp
            if subscription.slow == .disconnect {
                actions.closes.append(Actions.Close(connection: key.connection))
            }
            return false
        }
        guard subscription.spendCredit() else {
            subscription.phase = .catchingUp
            subscription.waitsForCredit = true
            return false
        }
        subscriptions.post(weight, to: key.connection)
        recipients.append(
            Publication.Recipient(connection: key.connection, subscription: key.name))
        subscription.position = cursor
        subscription.tell(cursor, at: now)
        return true
    }
}

extension Subscription {
    mutating func tell(_ cursor: Cursor, at now: Timestamp) {
        told = cursor
        toldAt = now
        passedOver = 0
    }
}
