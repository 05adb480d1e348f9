import GroveWire

extension Engine {
    /// Whether ``work(at:store:)`` has something to do at once.
    public var hasBackgroundWork: Bool {
        subscriptions.advancingCount > 0 || hasPages || hasManyUnseenRecords
            || !subscriptions.checkpointsLeft.isEmpty
    }

    /// Whether requests were applied and not flushed; then ``work(at:store:)`` does nothing.
    public var hasOpenBatch: Bool { batch.hasReplies }

    /// Whether enough records were published since the last check that a checkpoint may be due.
    private var hasManyUnseenRecords: Bool {
        !subscriptions.isEmpty
            && subscriptions.publishedRecords - subscriptions.checkpointsRecords
                >= Limits.checkpointRecordsMax
    }

    /// Whether there are subscriptions. Then call ``work(at:store:)`` at least once a second, for
    /// due checkpoints.
    public var hasSubscriptions: Bool { !subscriptions.isEmpty }

    /// Works for about a millisecond: on a page that is being read, or on subscriptions that aren't
    /// live (snapshots, reading the journal, due checkpoints). Does nothing while ``hasOpenBatch``.
    ///
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func work(at now: Timestamp, store: any Store) throws(StoreError) -> Ready {
        let turn = Turn(now: now, store: store)
        if let failure = storage.failure { throw failure }
        var ready = Ready()
        // Catch-up reads only what is committed, so a batch under way goes first.
        guard !batch.hasReplies else { return ready }
        pages.isNext.toggle()
        if hasPages, pages.isNext || subscriptions.advancingCount == 0 {
            workOnPages(in: turn, into: &ready)
            if let failure = storage.failure { throw failure }
            checkpointAllIfDue(at: now, into: &ready)
            return ready
        }
        var budget = TurnBudget()
        for _ in 0..<subscriptions.advancingCount {
            guard !budget.isSpent, let subscription = subscriptions.nextTurn() else { break }
            var group = [subscription]
            do throws(StoreError) {
                try advance(&group, &budget, in: turn, into: &ready)
            } catch {
                storage.failure = error
                throw error
            }
            for subscription in group {
                checkpointIfDue(subscription, at: now, into: &ready)
                subscriptions.listIfAble(subscription)
            }
        }
        checkpointAllIfDue(at: now, into: &ready)
        return ready
    }

    /// Sends records to the one subscription in `group`, together with others that read the journal
    /// after the same position; these are added. Removes those whose journal can't be read.
    ///
    /// - Throws: when the store can't be read at all.
    private mutating func advance(
        _ group: inout [Subscription], _ budget: inout TurnBudget, in turn: Turn,
        into ready: inout Ready
    ) throws(StoreError) {
        let subscription = group[0]
        do throws(StoreError) {
            if case .snapshot(let moment, let after) = subscription.phase {
                try sendSnapshot(
                    subscription, moment: moment, after: after, &budget, in: turn, into: &ready)
                guard subscription.phase == .catchingUp else { return }
            }
            skipGap(subscription, in: turn, into: &ready)
            guard subscription.position >= Cursor(sequence: turn.store.floors.latest - 1) else {
                // Others may have other gaps.
                return try readJournal(for: group, &budget, in: turn, into: &ready)
            }
            group += subscriptions.nextTurns(
                at: subscription.position, count: Limits.catchUpGroupMax - 1)
            try readJournal(for: group, &budget, in: turn, into: &ready)
        } catch .corrupt {
            // What one of them can't read, the others may not need.
            for other in group.dropFirst() { subscriptions.listIfAble(other) }
            let isAlone = group.count == 1
            group = [subscription]
            if !isAlone, try canRead(subscription, &budget, in: turn, into: &ready) { return }
            // The client must not believe that it has everything.
            ready.closes.append(Ready.Close(connection: subscription.connection))
            _ = subscriptions.remove(SubscriptionTable.Key(subscription))
            group = []
        }
    }

    // MARK: Journal

    /// Sends records to one subscription; `false` if the journal can't be read.
    private mutating func canRead(
        _ subscription: Subscription, _ budget: inout TurnBudget, in turn: Turn,
        into ready: inout Ready
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try readJournal(for: [subscription], &budget, in: turn, into: &ready)
            return true
        } catch .corrupt {
            return false
        }
    }

    /// Sends records after the position that all of `group` have.
    private mutating func readJournal(
        for group: [Subscription], _ budget: inout TurnBudget, in turn: Turn,
        into ready: inout Ready
    ) throws(StoreError) {
        let position = group[0].position
        // A cursor within a step: the step is read again, its records up to the cursor are not.
        let after = position.sequence - (position.index == Cursor.stepEnd ? 0 : 1)
        if !budget.isSpent, after < turn.store.head {
            let limit = min(budget.rows, max(1, budget.deliveries / group.count))
            let records = try turn.store.records(after: after, limit: limit, bytes: budget.bytes)
            let superseded =
                group.contains { $0.slow == .conflate } ? Engine.superseded(in: records) : []
            let reader = JournalReader(store: turn.store)
            var rest = group
            for record in records {
                // The bytes of states before a step count, too.
                guard budget.bytes > 0, !rest.isEmpty else { break }
                budget.bytes -= record.textBytes
                budget.deliveries -= rest.count
                try send(
                    record, to: &rest, isSuperseded: superseded.contains(record.sequence),
                    reader: reader, &budget, in: turn, into: &ready)
            }
            budget.rows -= max(Limits.rowsOfOneRead, records.count)
        }
        for subscription in group
        where subscription.position == Cursor(sequence: turn.store.head) {
            subscriptions.goLive(subscription)
            if !subscription.sentLiveMark {
                subscription.sentLiveMark = true
                sendMark(
                    .liveMark(subscription.position), to: subscription, at: turn.now, into: &ready)
            }
        }
    }

    /// Sends a gap and skips it if the journal no longer holds the next steps of a machine that the
    /// selection can match.
    private mutating func skipGap(
        _ subscription: Subscription, in turn: Turn,
        into ready: inout Ready
    ) {
        let floors = turn.store.floors
        guard subscription.position < Cursor(sequence: floors.latest - 1) else { return }
        let begin = Cursor(sequence: floors.first(for: subscription.selection) - 1)
        guard subscription.position < begin else { return }
        let gap = Publication.Gap(from: subscription.position, to: begin)
        subscription.position = begin
        sendMark(.gapMark(gap), to: subscription, at: turn.now, into: &ready)
    }

    /// The state steps that are followed by a later one of the same instance.
    private static func superseded(in records: [JournalRecord]) -> Set<JournalPosition> {
        var newest: [InstanceNumber: JournalPosition] = [:]
        var superseded: Set<JournalPosition> = []
        for record in records where record.state != nil {
            if let older = newest.updateValue(record.sequence, forKey: record.number) {
                superseded.insert(older)
            }
        }
        return superseded
    }

    /// Sends the records of a step after the group's position to those that select them. Those that
    /// can't get all of theirs leave the group.
    private mutating func send(
        _ record: JournalRecord, to group: inout [Subscription], isSuperseded: Bool,
        reader: JournalReader, _ budget: inout TurnBudget, in turn: Turn, into ready: inout Ready
    ) throws(StoreError) {
        let selecting = try selecting(
            record, among: group, isSuperseded: isSuperseded, store: turn.store)
        var blocked: [Subscription] = []
        if !selecting.isEmpty {
            try sendParts(
                of: record, to: selecting, &blocked, reader: reader, &budget, at: turn.now,
                into: &ready)
        }
        let isAnyPassedOver = selecting.count < group.count
        for subscription in group where !blocked.contains(where: { $0 === subscription }) {
            if isAnyPassedOver, !selecting.contains(where: { $0 === subscription }) {
                subscription.passedOver += 1
            }
            subscription.position = Cursor(sequence: record.sequence)
        }
        if !blocked.isEmpty {
            group.removeAll { one in blocked.contains { $0 === one } }
        }
    }

    private func selecting(
        _ record: JournalRecord, among group: [Subscription], isSuperseded: Bool,
        store: any Store
    ) throws(StoreError) -> [Subscription] {
        guard let name = record.name else { return [] }
        func selects(_ subscription: Subscription) -> Bool {
            !(isSuperseded && subscription.slow == .conflate)
                && subscription.selection.includes(name)
        }
        let selecting = group.allSatisfy(selects) ? group : group.filter(selects)
        guard !selecting.isEmpty else { return [] }
        // Steps of a deleted instance that were not swept yet are gone all the same.
        if record.kind != .deleted, try store.isDeleted(record.number) { return [] }
        return selecting
    }

    /// Sends the records of a step after the common position. Adds those that can't get one now to
    /// `blocked`.
    private mutating func sendParts(
        of record: JournalRecord, to group: [Subscription], _ blocked: inout [Subscription],
        reader: JournalReader, _ budget: inout TurnBudget, at now: Timestamp,
        into ready: inout Ready
    ) throws(StoreError) {
        var step: PublishedStep?
        var isBeforeKnown = false
        for part in RecordParts(record) {
            let cursor = Cursor(sequence: record.sequence, index: part.index)
            let needsBefore = part.kind == .state || part.kind == .trace
            var recipients: [Publication.Recipient] = []
            var weight = 0
            for subscription in group where cursor > subscription.position {
                guard !blocked.contains(where: { $0 === subscription }) else { continue }
                guard subscription.selection.includes(part, of: record) else {
                    subscription.passedOver += 1
                    continue
                }
                if needsBefore, !isBeforeKnown {
                    let before = try reader.state(before: record)
                    budget.bytes -= before?.count ?? 0
                    isBeforeKnown = true
                    step = PublishedStep(record: record, before: before)
                }
                if recipients.isEmpty {
                    weight = Publication.weight(of: part, record: record, before: step?.before)
                }
                // One copy of its bytes counts as read. The others wait when the turn is spent.
                guard recipients.isEmpty || budget.bytes > 0,
                    give(cursor, weight, to: subscription, at: now)
                else {
                    blocked.append(subscription)
                    continue
                }
                if !recipients.isEmpty { budget.bytes -= weight }
                recipients.append(Publication.Recipient(subscription))
            }
            guard !recipients.isEmpty else { continue }
            let sent = step ?? PublishedStep(record: record, before: nil)
            step = sent
            counters.published += Int64(recipients.count)
            ready.publications.append(
                Publication(
                    content: .record(sent, kind: part.kind, index: part.index),
                    recipients: recipients, weight: weight))
        }
    }

    /// Counts a record for a subscription and moves it there, if window and credit allow.
    mutating func give(
        _ cursor: Cursor, _ weight: Int, to subscription: Subscription, at now: Timestamp
    ) -> Bool {
        guard subscriptions.isOpen(subscription.window) else { return false }
        guard subscription.spendCredit() else {
            subscription.waitsForCredit = true
            return false
        }
        subscriptions.post(weight, to: subscription.window)
        subscription.position = cursor
        subscriptions.recordAnnounced(subscription, cursor, at: now)
        return true
    }

    private mutating func post(
        _ content: Publication.Content, _ weight: Int, to subscription: Subscription,
        into ready: inout Ready
    ) {
        subscriptions.post(weight, to: subscription.window)
        ready.publications.append(
            Publication(
                content: content, recipients: [Publication.Recipient(subscription)],
                weight: weight))
    }

    // MARK: Snapshots

    /// Sends the states of selected instances as of one moment, although commits happen between the
    /// turns: the journal has the states before later changes.
    private mutating func sendSnapshot(
        _ subscription: Subscription, moment: JournalPosition, after: String?,
        _ budget: inout TurnBudget, in turn: Turn,
        into ready: inout Ready
    ) throws(StoreError) {
        let floors = turn.store.floors
        guard
            floors.latest <= moment + 1
                || floors.first(for: subscription.selection) <= moment + 1
        else {
            return restartSnapshot(subscription, in: turn, into: &ready)
        }
        let prefix = subscription.selection.namePrefix
        let reader = JournalReader(store: turn.store)
        var after = after
        // Few at first: window or credit may end with the first one, and the rest is read in vain.
        var step = 8
        while !budget.isSpent, subscriptions.isOpen(subscription.window) {
            let (place, limit) = (after, min(step, budget.rows))
            let rows = try turn.store.instances(
                prefix: prefix, after: place, limit: limit,
                bytes: min(budget.bytes, Limits.rowBytesPerRead))
            guard !rows.isEmpty else {
                subscription.phase = .catchingUp
                let mark = Cursor(sequence: moment)
                return sendMark(.snapshotMark(mark), to: subscription, at: turn.now, into: &ready)
            }
            for row in rows {
                guard !budget.isSpent else { return }
                budget.rows -= 1
                budget.bytes -= row.state.count
                // Those of a later time come after the mark.
                if subscription.selection.includes(row.name), row.origin <= moment {
                    reader.reads.count = 0
                    guard let content = try snapshot(of: row, at: moment, reader: reader) else {
                        return restartSnapshot(subscription, in: turn, into: &ready)
                    }
                    budget.rows -= reader.reads.count
                    let weight = 200 + row.name.text.utf8.count + row.state.count
                    guard sendState(content, weight, to: subscription, into: &ready) else { return }
                }
                after = row.name.text
                subscription.phase = .snapshot(moment: moment, after: after)
            }
            step = min(128, step * 2)
        }
    }

    /// Sends the state of an instance if window and credit allow.
    private mutating func sendState(
        _ content: Publication.Content, _ weight: Int, to subscription: Subscription,
        into ready: inout Ready
    ) -> Bool {
        guard subscriptions.isOpen(subscription.window) else { return false }
        guard subscription.spendCredit() else {
            subscription.waitsForCredit = true
            return false
        }
        post(content, weight, to: subscription, into: &ready)
        counters.published += 1
        return true
    }

    /// The instance's state at the moment; `nil` when the journal no longer holds it.
    private func snapshot(
        of row: StoredInstance, at moment: JournalPosition, reader: JournalReader
    ) throws(StoreError) -> Publication.Content? {
        guard row.newest > moment else {
            return .snapshot(
                row.name, version: row.version, state: row.state, isDone: row.isDone,
                updated: row.updated)
        }
        guard let point = try reader.point(at: moment, of: row) else { return nil }
        return .snapshot(
            row.name, version: point.version, state: point.state, isDone: point.isDone,
            updated: point.at)
    }

    /// Restarts the snapshot as of now, after a state of its moment is no longer held.
    private mutating func restartSnapshot(
        _ subscription: Subscription, in turn: Turn,
        into ready: inout Ready
    ) {
        let moment = Cursor(sequence: turn.store.head)
        let gap = Publication.Gap(from: subscription.position, to: moment)
        subscription.position = moment
        subscription.phase = .snapshot(moment: moment.sequence, after: nil)
        sendMark(.gapMark(gap), to: subscription, at: turn.now, into: &ready)
    }

    // MARK: Marks

    private mutating func sendMark(
        _ mark: Publication.Content, to subscription: Subscription, at now: Timestamp,
        into ready: inout Ready
    ) {
        subscriptions.recordAnnounced(subscription, subscriptions.reached(subscription), at: now)
        post(mark, 100, to: subscription, into: &ready)
    }

    private mutating func checkpointIfDue(
        _ subscription: Subscription, at now: Timestamp, into ready: inout Ready
    ) {
        if case .snapshot = subscription.phase { return }
        let reached = subscriptions.reached(subscription)
        guard reached > subscription.announced else { return }
        guard
            subscriptions.passedOver(subscription) >= Limits.checkpointRecordsMax
                || now.isPast(subscription.announcedAt, Limits.checkpointMilliseconds)
        else { return }
        sendMark(.checkpointMark(reached), to: subscription, at: now, into: &ready)
    }

    /// Checks all subscriptions for due checkpoints once a second or after enough records, a part
    /// in each turn.
    private mutating func checkpointAllIfDue(at now: Timestamp, into ready: inout Ready) {
        if subscriptions.checkpointsLeft.isEmpty {
            guard now.isPast(subscriptions.checkpointsAt, 1_000) || hasManyUnseenRecords else {
                return
            }
            subscriptions.checkpointsAt = now
            subscriptions.checkpointsRecords = subscriptions.publishedRecords
            subscriptions.checkpointsLeft = subscriptions.sorted.reversed()
        }
        let next = subscriptions.checkpointsLeft.suffix(Limits.checkpointsPerTurn)
        for subscription in next.reversed() where !subscription.isRemoved {
            checkpointIfDue(subscription, at: now, into: &ready)
        }
        subscriptions.checkpointsLeft.removeLast(
            min(Limits.checkpointsPerTurn, subscriptions.checkpointsLeft.count))
    }

    /// Sends every subscription its last cursor, before a drained server ends.
    public mutating func lastCheckpoints(at now: Timestamp) -> Ready {
        var ready = Ready()
        for subscription in subscriptions.sorted {
            if case .snapshot = subscription.phase { continue }
            let reached = subscriptions.reached(subscription)
            sendMark(.checkpointMark(reached), to: subscription, at: now, into: &ready)
        }
        return ready
    }
}

/// The rest of one turn's work, for all subscriptions.
private struct TurnBudget {
    var rows = Limits.catchUpStepsPerTurn
    var bytes = Limits.catchUpBytesPerTurn
    var deliveries = Limits.catchUpDeliveriesPerTurn

    var isSpent: Bool { rows <= 0 || bytes <= 0 || deliveries <= 0 }
}

extension Timestamp {
    /// Whether `milliseconds` have passed since `other`. A clock that was put back counts as
    /// passed, so that nothing waits for it.
    fileprivate func isPast(_ other: Timestamp, _ milliseconds: Int64) -> Bool {
        let passed = self.milliseconds - other.milliseconds
        return passed >= milliseconds || passed < 0
    }
}

extension Selection {
    /// The prefix of every selected instance's full name.
    var namePrefix: String {
        guard let machine, machine.isLiteral else { return "" }
        return "\(machine.pattern)/\(instance?.literalPrefix ?? "")"
    }
}
