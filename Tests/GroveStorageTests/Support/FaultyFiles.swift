import CSQLite
import Foundation

@testable import GroveStorage

/// A file layer for SQLite in which one call fails: the store's own, with `xRead`, `xWrite`,
/// `xSync` and `xTruncate` replaced. One for each test, so that tests don't disturb each other.
///
/// Lives as long as the process: SQLite keeps what was registered.
final class FaultyFiles {
    enum Kind: Sendable {
        case read, write, sync, truncate
        /// A write into the data file itself, not into its log.
        case writeToDataFile

        static let each: [Kind] = [.read, .write, .sync, .truncate]
    }

    /// The result of the failing call, and its `errno`.
    struct Fault {
        var code: Int32
        var systemError: Int32 = EIO
        /// Whether every later call of the kind fails too.
        var isSticky = false
    }

    /// The name to open files with.
    let name: String

    /// Calls of each kind so far.
    private(set) var calls: [Kind: Int] = [:]

    /// The number of failed calls.
    private(set) var fired = 0

    /// Runs once, within the next write into the data file.
    var atWriteToDataFile: (() -> Void)?

    private var plan: (kind: Kind, call: Int, fault: Fault)?
    private let base: UnsafeMutablePointer<sqlite3_vfs>
    private var methods: [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] =
        [:]

    init?() {
        guard let base = sqlite3_vfs_find(SQLiteConnection.fileLayer) else { return nil }
        self.base = base
        name = "faulty-\(UUID().uuidString)"
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: base.pointee)
        copy.pointee.zName = UnsafePointer(strdup(name))
        copy.pointee.szOsFile = base.pointee.szOsFile + Int32(MemoryLayout<Tail>.stride)
        copy.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
        copy.pointee.xOpen = { vfs, path, file, flags, answer in
            guard let vfs, let file, let data = vfs.pointee.pAppData else { return SQLITE_ERROR }
            let files = Unmanaged<FaultyFiles>.fromOpaque(data).takeUnretainedValue()
            return files.open(path, file, flags, answer)
        }
        guard sqlite3_vfs_register(copy, 0) == SQLITE_OK else { return nil }
    }

    /// Lets the `call`-th call of a kind from now on fail, counted from 1.
    func fail(_ kind: Kind, call: Int, with fault: Fault) {
        plan = (kind, (calls[kind] ?? 0) + call, fault)
    }

    /// No more faults.
    func heal() { plan = nil }

    /// What stands behind the system's own data of an open file.
    private struct Tail {
        var files: Unmanaged<FaultyFiles>
        var original: UnsafePointer<sqlite3_io_methods>
        var isDataFile: Bool
    }

    private static func tail(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Tail? {
        guard let file, let base = sqlite3_vfs_find(SQLiteConnection.fileLayer) else { return nil }
        return UnsafeRawPointer(file).load(
            fromByteOffset: Int(base.pointee.szOsFile), as: Tail.self)
    }

    private func open(
        _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ answer: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let code = base.pointee.xOpen?(base, path, file, flags, answer) ?? SQLITE_ERROR
        guard code == SQLITE_OK, let original = file.pointee.pMethods else { return code }
        let tail = Tail(
            files: Unmanaged.passUnretained(self), original: original,
            isDataFile: flags & SQLITE_OPEN_MAIN_DB != 0)
        UnsafeMutableRawPointer(file).storeBytes(
            of: tail, toByteOffset: Int(base.pointee.szOsFile), as: Tail.self)
        file.pointee.pMethods = replaced(original)
        return code
    }

    /// Counts a call; what to answer instead of making it.
    private func hit(_ kind: Kind) -> Int32? {
        calls[kind, default: 0] += 1
        guard let plan, plan.kind == kind, let count = calls[kind] else { return nil }
        guard count == plan.call || (plan.fault.isSticky && count > plan.call) else { return nil }
        fired += 1
        errno = plan.fault.systemError
        return plan.fault.code
    }

    private func replaced(
        _ original: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        if let known = methods[original] { return known }
        let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        copy.initialize(to: original.pointee)
        copy.pointee.xRead = { file, bytes, count, offset in
            guard let tail = FaultyFiles.tail(file) else { return SQLITE_ERROR }
            if let code = tail.files.takeUnretainedValue().hit(.read) { return code }
            return tail.original.pointee.xRead(file, bytes, count, offset)
        }
        copy.pointee.xWrite = { file, bytes, count, offset in
            guard let tail = FaultyFiles.tail(file) else { return SQLITE_ERROR }
            let files = tail.files.takeUnretainedValue()
            if tail.isDataFile {
                let action = files.atWriteToDataFile
                files.atWriteToDataFile = nil
                action?()
                if let code = files.hit(.writeToDataFile) { return code }
            }
            if let code = files.hit(.write) { return code }
            return tail.original.pointee.xWrite(file, bytes, count, offset)
        }
        copy.pointee.xSync = { file, flags in
            guard let tail = FaultyFiles.tail(file) else { return SQLITE_ERROR }
            if let code = tail.files.takeUnretainedValue().hit(.sync) { return code }
            return tail.original.pointee.xSync(file, flags)
        }
        copy.pointee.xTruncate = { file, size in
            guard let tail = FaultyFiles.tail(file) else { return SQLITE_ERROR }
            if let code = tail.files.takeUnretainedValue().hit(.truncate) { return code }
            return tail.original.pointee.xTruncate(file, size)
        }
        methods[original] = UnsafePointer(copy)
        return UnsafePointer(copy)
    }
}
