import Testing
import Transducers

@Suite("Handover")
struct HandoverTests {
    private final class Note {
        var text = "new"
    }

    private actor Reader {
        func read(_ note: consuming Handover<Note>) -> String { note.take().text }
    }

    @Test func `a value that isn't sendable goes to an actor, once`() async {
        let note = Note()
        note.text = "read me"
        #expect(await Reader().read(Handover(note)) == "read me")
    }
}
