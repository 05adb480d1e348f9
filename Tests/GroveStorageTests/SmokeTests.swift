import Glibc
import GroveEngine
import Testing

@testable import GroveStorage

@Test func smoke() throws {
    let path = "/tmp/smoke.grove"
    for x in ["", "-wal", "-journal"] { unlink(path + x) }
    var store = try SQLiteStore.open(path: path)
    var w = WriteSet(firstSequence: 1)
    let name = try #require(InstanceName("m/a"))
    var r = JournalRecord(sequence: 1, kind: .created)
    r.name = name; r.number = InstanceNumber(1); r.state = [1, 2, 3]; r.stateAt = 1
    r.encode(into: &w.journal); w.journalEnds.append(w.journal.count)
    var i = StoredInstance(number: InstanceNumber(1), name: name)
    i.newest = 1; i.stateAt = 1; i.state = [1, 2, 3]
    i.encode(into: &w.snapshots)
    w.instances.append(
        .init(number: i.number, name: name, isNew: true, snapshot: 0..<w.snapshots.count))
    try store.commit(w)
    #expect(try store.instance(named: name) == i)
    #expect(try store.record(at: 1) == r)
    store.shutDown()
    store = try SQLiteStore.open(path: path)
    #expect(try store.instance(named: name) == i)
    #expect(store.head == 1)
    #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
    try store.commit(
        {
            var d = WriteSet(firstSequence: 2); d.deletions = [.init(number: i.number, newest: 1)];
            return d
        }())
    while try store.sweep() {}
    #expect(try store.record(at: 1)?.kind == .erased)
    #expect(try store.isLive(i.number) == false)
    print(store.statistics())
    try store.close()
    store = try SQLiteStore.open(path: path)
    #expect(try store.records(after: 0, limit: 10, bytes: 1000).count == 1)
    try store.close()
}
