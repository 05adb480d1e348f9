import CSQLite
public import GroveEngine

extension SQLiteStore {
    /// The pages of a log that is long enough to be moved.
    var logPagesMax: Int { options.logBytesMax / (pageBytes + 24) }

    public func checkpoint() throws(StoreError) { try checkpointIfDue(try tables()) }

    /// Moves the write-ahead log into the data file once it is long enough, or does the next step
    /// of that.
    ///
    /// With a ``LogMover``, passes move the log beside commits, until few pages are left. The store
    /// moves those, and the next commit uses the log from its start again. Otherwise the store
    /// moves all of it.
    ///
    /// - Throws: `.inputOutput`. A full disk isn't an error here: the rows are durable in the log,
    ///   which keeps growing. The next attempt follows after another quarter of its bound, or when
    ///   there is room (``probeDiskSpace()``).
    func checkpointIfDue(_ tables: Tables) throws(StoreError) {
        let pages = connection.pagesInLog
        do throws(StoreError) {
            switch logMover?.take() ?? .none {
            case .none:
                guard pages >= checkpointPages else { return }
                try writeFacts(tables)
                passes = 0
                guard logMover == nil else { return beginPass() }
                try moveLog()
            case .begun:
                // The disk is slower than the commits, and the log isn't shortened meanwhile.
                if pages >= StoreLimits.logsPerPassMax * logPagesMax { try moveLog() }
            case .ended(let moved):
                connection.noteMoved(pages: moved)
                let rest = connection.pagesInLog - moved
                if rest <= 0 { return noteMovedLog() }
                let isEnough =
                    rest <= StoreLimits.pagesMovedAtOnceMax || passes == StoreLimits.passesMax
                guard isEnough else { return beginPass() }
                try moveLog()
            case .failed(let failure): throw failed(failure)
            }
        } catch .full {
            checkpointPages = pages + max(1, logPagesMax / 4)
        }
    }

    private func beginPass() {
        passes += 1
        logMover?.begin()
    }

    /// Writes what the data file should say about its content when the log is moved, in one
    /// transaction, because each costs a sync.
    private func writeFacts(_ tables: Tables) throws(StoreError) {
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            try writeCounts(tables, &next)
            try writeFloor(&next)
            let head = RedoPoint(step: state.head, byte: pending.journalBytes)
            try writeRedoPoint(pending.redoPoint() ?? head, tables, &next)
            return next
        }
    }

    /// Moves all pages of the log, which needs room in the data file only.
    func moveLog() throws(StoreError) {
        do throws(SQLiteFailure) {
            try logMover?.stop()
            try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            noteMovedLog()
        } catch { throw failed(error) }
    }

    private func noteMovedLog() {
        counters.checkpoints += 1
        checkpointPages = logPagesMax
    }

    /// Records that the log could not be moved. Returns the error for the caller.
    func failed(_ failure: SQLiteFailure) -> StoreError {
        guard failure.isFull else {
            fail(failure.storeError)
            return failure.storeError
        }
        counters.fullDisk += 1
        return .full
    }
}
