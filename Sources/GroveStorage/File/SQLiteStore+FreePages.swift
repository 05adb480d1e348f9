import GroveEngine

extension SQLiteStore {
    /// The number of unused pages in the file; 0 when the store is closed or failed.
    var freePages: Int64 {
        guard failure == nil else { return 0 }
        return (try? connection.integer("PRAGMA freelist_count")) ?? 0
    }

    /// Returns whether enough pages are free to shrink the file: from a quarter of the file on, and
    /// then until an eighth is left.
    func wantsToReleasePages() throws(StoreError) -> Bool {
        guard canShrink, hasFreedPages || isReleasingPages else { return false }
        _ = try tables()
        let (free, all): (Int64, Int64)
        do throws(SQLiteFailure) {
            free = try connection.integer("PRAGMA freelist_count")
            all = try connection.integer("PRAGMA page_count")
        } catch {
            fail(error.storeError)
            throw error.storeError
        }
        hasFreedPages = false
        isReleasingPages =
            free >= options.freePagesMin && (4 * free > all || (isReleasingPages && 8 * free > all))
        return isReleasingPages
    }

    /// Releases some free pages from the file's end in a separate transaction. Returns whether more
    /// is left. The next checkpoint shortens the file.
    func releasePages() throws(StoreError) -> Bool {
        guard try wantsToReleasePages() else { return false }
        let tables = try tables()
        let before = freePages
        do throws(StoreError) {
            try transaction(tables) { (_) throws(SQLiteFailure) in
                try connection.execute("PRAGMA incremental_vacuum(32)")
            }
        } catch .full {
            isReleasingPages = false
            return false
        } catch { throw error }
        counters.returnedPages += before - freePages
        try checkpointIfDue(tables)
        return true
    }
}
