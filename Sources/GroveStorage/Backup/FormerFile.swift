import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The other name of a data file whose place another one takes, and of what belongs to it.
///
/// First each part gets its second name, the file itself last. So whatever has the data file's
/// other name has its log too. Only then the parts lose their first names.
struct FormerFile {
    /// The data file, absolute.
    let path: String
    /// Its other name, absolute.
    let name: String
    /// The endings of the files that exist: `-wal`, `-journal` and, for the data file, an empty
    /// one.
    let parts: [String]

    /// The parts whose second name this value has made.
    private var made: [String] = []

    /// The endings of the files that SQLite would take for those of a file of this name.
    static let companions = ["-wal", "-journal"]

    /// Chooses a free name; or that of a command that was killed in between, so that all parts
    /// have one name.
    ///
    /// - Parameters:
    ///   - hasFile: Whether the data file is one of the parts.
    ///   - moment: The time, as a part of a file's name.
    init(of path: String, hasFile: Bool, at moment: String) {
        self.path = path
        let companions = Self.companions.filter { (StoreFile.size(path + $0) ?? 0) > 0 }
        parts = companions + (hasFile ? [""] : [])
        let stem = path + ".before-"
        name = Self.begun(path, stem: stem, parts) ?? Self.free(stem + moment)
    }

    private static func free(_ name: String) -> String {
        func isFree(_ name: String) -> Bool {
            (companions + [""]).allSatisfy { StoreFile.size(name + $0) == nil }
        }
        var free = name
        var number = 2
        while !isFree(free) {
            free = "\(name)-\(number)"
            number += 1
        }
        return free
    }

    /// The name that one of the parts has already.
    private static func begun(_ path: String, stem: String, _ parts: [String]) -> String? {
        let directory = StoreFile.directory(of: path)
        let start = stem.dropFirst(directory.count)
        let names = StoreFile.names(in: directory).filter { $0.hasPrefix(start) }
        for name in names.sorted() {
            let other = directory + name
            for part in parts where name.hasSuffix(part) && StoreFile.isSame(path + part, other) {
                let found = String(other.dropLast(part.count))
                let fits = parts.allSatisfy {
                    StoreFile.size(found + $0) == nil || StoreFile.isSame(path + $0, found + $0)
                }
                if fits { return found }
            }
        }
        return nil
    }

    /// Gives all parts their second names, durably. The first ones stay.
    mutating func keep() throws(StoreOpenError) {
        for part in parts where StoreFile.size(name + part) == nil {
            // Not every file system has second names, and not every user may give one.
            if link(path + part, name + part) != 0 {
                try StoreFile.copy(path + part, to: name + part)
            }
            made.append(part)
        }
        try StoreFile.syncDirectory(of: path)
    }

    /// Removes what SQLite would take for the log of another file of this name, durably.
    func removeCompanions() throws(StoreOpenError) {
        for ending in Self.companions + ["-shm"] {
            guard unlink(path + ending) == 0 || errno == ENOENT else {
                throw .inputOutput(StoreFile.systemError("\(path + ending) cannot be removed"))
            }
        }
        try StoreFile.syncDirectory(of: path)
    }

    /// Gives the parts their first names back, and removes the second ones.
    ///
    /// - Returns: Whether all have them; if not, all keep their second name.
    func giveBack() -> Bool {
        for part in parts where StoreFile.size(path + part) == nil {
            guard rename(name + part, path + part) == 0 else { return false }
        }
        for part in made.reversed() { unlink(name + part) }
        return true
    }
}

extension StoreFile {
    /// Bytes that are copied at once.
    private static let pieceBytes = 1 << 20

    /// Copies a file with its owner, durably.
    ///
    /// - Throws: `.full`; `.inputOutput`, also when the name is taken. Then there is no copy.
    static func copy(_ from: String, to: String) throws(StoreOpenError) {
        let source = open(from, O_RDONLY)
        guard source >= 0 else {
            throw .inputOutput(systemError("\(from) cannot be opened"))
        }
        defer { close(source) }
        let target = open(to, O_WRONLY | O_CREAT | O_EXCL)
        guard target >= 0 else { throw .inputOutput(systemError("\(to) cannot be made")) }
        defer { close(target) }
        var status = stat()
        // Only root may; otherwise it belongs to the user who copies.
        if fstat(source, &status) == 0 { _ = fchown(target, status.st_uid, status.st_gid) }
        guard copyBytes(source, target), fsync(target) == 0 else {
            let isFull = [ENOSPC, EDQUOT, EFBIG].contains(errno)
            let message = systemError("\(from) cannot be copied to \(to)")
            unlink(to)
            throw isFull ? .full : .inputOutput(message)
        }
    }

    private static func copyBytes(_ source: Int32, _ target: Int32) -> Bool {
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = read(source, &piece, pieceBytes)
            if count == 0 { return true }
            if count < 0, errno == EINTR { continue }
            var done = 0
            while done < count {
                let written = piece.withUnsafeBytes {
                    write(target, $0.baseAddress?.advanced(by: done), count - done)
                }
                if written < 0, errno != EINTR { return false }
                done += max(0, written)
            }
            if count < 0 { return false }
        }
    }

    /// The names in a directory, in any order; empty when it can't be read.
    static func names(in directory: String) -> [String] {
        guard let listing = opendir(directory) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }
}
