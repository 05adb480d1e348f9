extension Engine {
    /// Keeps a step of the batch for the subscriptions, and counts the selections to compare it
    /// with.
    mutating func publishLater(_ record: inout JournalRecord, before: [UInt8]?) {
        guard !subscriptions.isEmpty else { return }
        batch.steps.append(PublishedStep(record: record, before: before))
        guard let name = record.name else { return }
        batch.selections += subscriptions.reach(name)
    }

    /// Sends the steps of a commit to the live subscriptions. One whose connection is full, or that
    /// has no credit, stops being live right before the record that it can't get, and reads it from
    /// the journal later. So do the others if the work is too much for one commit.
    mutating func publish(
        _ steps: [PublishedStep], at now: Timestamp, into ready: inout Ready
    ) {
        var work = 0
        var selections = 0
        var asked = SubscriptionIndex.Asked()
        defer {
            // Those that have fallen behind cost nothing here, and will be live again.
            if selections > 0 {
                subscriptions.workOfOneSelection = max(
                    1, work / selections, subscriptions.workOfOneSelection - 1)
            }
        }
        for step in steps {
            guard let name = step.record.name else { continue }
            let parts = RecordParts(step.record)
            subscriptions.publishedRecords += parts.count
            guard work < Limits.publishingWorkMax else {
                let begin = Cursor(sequence: step.record.sequence, index: 0)
                subscriptions.postpone(name, before: begin, &asked)
                continue
            }
            let reach = subscriptions.reach(name)
            selections += reach
            work += reach
            var live = subscriptions.liveCandidates(name, parts, of: step.record)
            guard !live.isEmpty else { continue }
            for part in parts {
                let weight = Publication.weight(
                    of: part, record: step.record, before: step.before)
                var recipients: [Publication.Recipient] = []
                live.removeAll { subscription in
                    let isLive = offer(
                        part, of: step.record, weight, to: subscription, at: now, &work,
                        &recipients, &ready)
                    if !isLive { subscriptions.listIfAble(subscription) }
                    return !isLive
                }
                guard !recipients.isEmpty else { continue }
                counters.published += Int64(recipients.count)
                ready.publications.append(
                    Publication(
                        content: .record(step, kind: part.kind, index: part.index),
                        recipients: recipients, weight: weight))
            }
        }
    }

    /// Offers one record to a live subscription; returns `false` when it no longer is live.
    private mutating func offer(
        _ part: RecordParts.Part, of record: borrowing JournalRecord, _ weight: Int,
        to subscription: Subscription, at now: Timestamp, _ work: inout Int,
        _ recipients: inout [Publication.Recipient], _ ready: inout Ready
    ) -> Bool {
        guard subscription.selection.includes(part, of: record) else { return true }
        let cursor = Cursor(sequence: record.sequence, index: part.index)
        guard work < Limits.publishingWorkMax else {
            subscriptions.fallBehind(subscription, before: cursor)
            return false
        }
        guard give(cursor, weight, to: subscription, at: now) else {
            subscriptions.fallBehind(subscription, before: cursor)
            if subscription.slow == .disconnect, !subscription.waitsForCredit {
                ready.closes.append(Ready.Close(connection: subscription.connection))
            }
            return false
        }
        work += Limits.workOfOneRecord + weight / Limits.bytesOfOneWork
        recipients.append(Publication.Recipient(subscription))
        return true
    }
}
