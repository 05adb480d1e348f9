import GroveEngine

/// The tables of a data file at each schema version. Their texts are compared byte by byte with
/// those of the file. A file with any difference is rejected.
enum Schema {
    /// The mark of a Grove file: the letters "Grov" at offset 68 of the header.
    static let applicationID: Int64 = 0x4772_6F76

    /// The newest schema of this code: `user_version` at offset 60 of the header.
    static let version: Int64 = 8

    /// One object of the schema, as `sqlite_schema` lists it.
    struct Object: Equatable {
        var type: String
        var name: String
        var sql: String
    }

    /// Returns the objects in a file of a version, by name.
    static func objects(version: Int64) -> [Object] {
        var objects: [Object] = []
        if version > 4 {
            objects += [
                table("attention", createAttention),
                index("attention_order", createAttentionOrder),
            ]
        }
        if version > 6 { objects.append(table("audit", createAudit)) }
        objects.append(table("dedup", createDedup))
        if version > 5 { objects.append(table("definitions", createDefinitions)) }
        objects += [
            table("effects", createEffects),
            index("effects_due", createEffectsDue), index("effects_lane", createEffectsLane),
        ]
        if version > 1 { objects.append(table("floor", createFloor)) }
        objects.append(table("garbage", createGarbage))
        if version > 3 { objects.append(table("holds", createHolds)) }
        objects += [
            table("instances", createInstances), table("journal", createJournal),
        ]
        if version > 4 { objects.append(table("machine_counts", createMachineCounts)) }
        if version > 2 { objects.append(table("machine_floors", createMachineFloors)) }
        objects.append(table("meta", createMeta))
        if version > 6 { objects.append(table("principals", createPrincipals)) }
        if version > 4 { objects.append(table("redo", createRedo)) }
        objects.append(Object(type: "index", name: "sqlite_autoindex_instances_1", sql: ""))
        if version > 6 { objects.append(table("tokens", createTokens)) }
        return objects
    }

    private static func table(_ name: String, _ sql: StaticString) -> Object {
        Object(type: "table", name: name, sql: sql.description)
    }

    private static func index(_ name: String, _ sql: StaticString) -> Object {
        Object(type: "index", name: name, sql: sql.description)
    }

    /// One row of facts about the file.
    static let createMeta: StaticString = """
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY,
            log_high INTEGER NOT NULL,
            log_low INTEGER NOT NULL,
            created INTEGER NOT NULL,
            last_number INTEGER NOT NULL,
            instances INTEGER NOT NULL,
            effects INTEGER NOT NULL,
            head INTEGER NOT NULL,
            in_use INTEGER NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    static let createInstances: StaticString = """
        CREATE TABLE instances (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            size INTEGER NOT NULL,
            snapshot BLOB NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    static let createJournal: StaticString = """
        CREATE TABLE journal (
            first INTEGER PRIMARY KEY,
            count INTEGER NOT NULL,
            size INTEGER NOT NULL,
            steps BLOB NOT NULL,
            crc INTEGER NOT NULL,
            link INTEGER NOT NULL,
            chain INTEGER NOT NULL
        )
        """

    static let createDedup: StaticString = """
        CREATE TABLE dedup (
            number INTEGER NOT NULL,
            key BLOB NOT NULL,
            entry BLOB NOT NULL,
            crc INTEGER NOT NULL,
            PRIMARY KEY (number, key)
        ) WITHOUT ROWID
        """

    static let createEffects: StaticString = """
        CREATE TABLE effects (
            number INTEGER NOT NULL,
            run INTEGER NOT NULL,
            due INTEGER,
            lane TEXT,
            body BLOB NOT NULL,
            crc INTEGER NOT NULL,
            PRIMARY KEY (number, run)
        ) WITHOUT ROWID
        """

    static let createEffectsDue: StaticString =
        "CREATE INDEX effects_due ON effects (due) WHERE due IS NOT NULL"

    static let createEffectsLane: StaticString =
        "CREATE INDEX effects_lane ON effects (lane) WHERE lane IS NOT NULL"

    static let createGarbage: StaticString = """
        CREATE TABLE garbage (
            number INTEGER PRIMARY KEY,
            newest INTEGER NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    /// Since version 2: the beginning of the journal and its size.
    static let createFloor: StaticString = """
        CREATE TABLE floor (
            id INTEGER PRIMARY KEY,
            first INTEGER NOT NULL,
            seed INTEGER NOT NULL,
            counted INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    /// Since version 3: the beginning of the steps of machines with separate bounds.
    static let createMachineFloors: StaticString = """
        CREATE TABLE machine_floors (
            machine TEXT PRIMARY KEY,
            first INTEGER NOT NULL,
            counted INTEGER NOT NULL,
            steps INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            crc INTEGER NOT NULL
        ) WITHOUT ROWID
        """

    /// Since version 4: the instances and machines that are suspended or set aside.
    static let createHolds: StaticString = """
        CREATE TABLE holds (
            subject TEXT PRIMARY KEY,
            hold BLOB NOT NULL,
            crc INTEGER NOT NULL
        ) WITHOUT ROWID
        """

    /// Since version 5: the point up to which all rows hold all steps of the journal.
    static let createRedo: StaticString = """
        CREATE TABLE redo (
            id INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    /// Since version 5: the effects that have failed or ask.
    static let createAttention: StaticString = """
        CREATE TABLE attention (
            number INTEGER NOT NULL,
            run INTEGER NOT NULL,
            machine TEXT NOT NULL,
            kind INTEGER NOT NULL,
            crc INTEGER NOT NULL,
            PRIMARY KEY (number, run)
        ) WITHOUT ROWID
        """

    static let createAttentionOrder: StaticString =
        "CREATE INDEX attention_order ON attention (machine, kind, number, run)"

    /// Since version 5: counts of instances and of effects that have failed or ask.
    static let createMachineCounts: StaticString = """
        CREATE TABLE machine_counts (
            machine TEXT PRIMARY KEY,
            instances INTEGER NOT NULL,
            done INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            asking INTEGER NOT NULL,
            crc INTEGER NOT NULL
        ) WITHOUT ROWID
        """

    /// Since version 6: the definitions of machines as data.
    static let createDefinitions: StaticString = """
        CREATE TABLE definitions (
            number INTEGER PRIMARY KEY,
            machine TEXT NOT NULL,
            version TEXT NOT NULL,
            hash TEXT NOT NULL,
            defined INTEGER NOT NULL,
            retired INTEGER NOT NULL,
            text BLOB NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    /// Since version 7: everybody who was ever a principal.
    static let createPrincipals: StaticString = """
        CREATE TABLE principals (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            revoked INTEGER NOT NULL,
            account BLOB NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    /// Since version 7: the tokens of principals, each as a digest.
    static let createTokens: StaticString = """
        CREATE TABLE tokens (
            id TEXT PRIMARY KEY,
            digest BLOB NOT NULL,
            principal INTEGER NOT NULL,
            label TEXT NOT NULL,
            made INTEGER NOT NULL,
            expires INTEGER,
            last_used INTEGER,
            crc INTEGER NOT NULL
        ) WITHOUT ROWID
        """

    /// Since version 7: the changes of principals and tokens.
    static let createAudit: StaticString = """
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            body BLOB NOT NULL,
            hash BLOB NOT NULL,
            crc INTEGER NOT NULL
        )
        """

    /// Reads the objects in a file, by name.
    static func read(_ connection: SQLiteConnection) throws(SQLiteFailure) -> [Object] {
        let statement = try connection.prepare(
            "SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY name LIMIT 64")
        var found: [Object] = []
        while try statement.step() {
            found.append(
                Object(
                    type: statement.text(0), name: statement.text(1), sql: statement.text(2)))
        }
        return found
    }

    /// Returns the name of the first object that differs from the schema, or `nil`.
    static func difference(_ found: [Object], version: Int64) -> String? {
        let objects = objects(version: version)
        if found == objects { return nil }
        for object in found where !objects.contains(object) { return object.name }
        for object in objects where !found.contains(object) { return object.name }
        return "its order"
    }

    /// Creates the tables of the newest version in an empty file, within the caller's
    /// transaction.
    static func create(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        let all = [
            createMeta, createInstances, createJournal, createDedup, createEffects,
            createEffectsDue, createEffectsLane, createGarbage, createFloor,
            createMachineFloors, createHolds, createRedo, createAttention, createAttentionOrder,
            createMachineCounts, createDefinitions, createPrincipals, createTokens, createAudit,
        ]
        for sql in all { try connection.execute(sql) }
    }

    /// Migrates a file of an older version to the newest, within the caller's transaction.
    ///
    /// - Parameters:
    ///   - version: Its version.
    ///   - state: The beginning and end of its journal; completed when the file has no `floor`.
    static func migrate(
        _ connection: SQLiteConnection, from version: Int64, _ state: inout SQLiteStore.State
    ) throws(SQLiteFailure) {
        if version < 2 {
            state.floor.counted = state.head
            state.floor.bytes = try JournalTable.bytes(after: 0, connection)
            try connection.execute(createFloor)
            try FloorTable.write(state.floor, connection)
        }
        if version < 3 { try connection.execute(createMachineFloors) }
        if version < 4 {
            try stampEffects(connection, state.meta.logID)
            try connection.execute(createHolds)
        }
        if version < 5 {
            try connection.execute(createRedo)
            try RedoTable.write(state.redo, connection)
            for sql in [createAttention, createAttentionOrder, createMachineCounts] {
                try connection.execute(sql)
            }
            state.counts = try counted(connection)
        }
        if version < 6 { try connection.execute(createDefinitions) }
        if version < 7 {
            for sql in [createPrincipals, createTokens, createAudit] {
                try connection.execute(sql)
            }
        }
        // Version 8 has the tables of version 7, and traces in its steps, which older programs
        // can't read.
        try connection.execute("PRAGMA user_version=8")
    }

    /// Counts the instances and the effects of each machine, once, and lists the effects that have
    /// failed or ask. Reads all rows. Damaged effects aren't listed.
    private static func counted(
        _ connection: SQLiteConnection
    ) throws(SQLiteFailure) -> MachineCountRows {
        var counts = MachineCountRows([:])
        let instances = try InstanceTable(connection)
        try instances.forEachHeading { counts.addInstance(1, isDone: $0.isDone, of: $0.machine) }
        let attention = try AttentionTable(connection)
        for entry in try EffectTable(connection).attentions() {
            try attention.add(entry)
            counts.add(1, of: entry)
        }
        try counts.write(try MachineCountTable(connection))
        return counts
    }

    /// Since version 4, each effect for a handler stores the log in which it began. Earlier effects
    /// began in this log. Its id is still the old one here, even if the file is a copy that gets
    /// another id next. A damaged row stays as it is.
    private static func stampEffects(
        _ connection: SQLiteConnection, _ log: LogID
    ) throws(SQLiteFailure) {
        let effects = try EffectTable(connection)
        for ref in try effects.unstamped() {
            guard var row = try? effects.find(ref) else { continue }
            row.body.log = log.digits
            guard let body = try? row.encodedBody() else { continue }
            try effects.write(row, body: body, isNew: false)
        }
    }
}
