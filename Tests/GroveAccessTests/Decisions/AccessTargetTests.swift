import GroveAccess
import Testing

@Suite("AccessTarget")
struct AccessTargetTests {
    @Test(arguments: [
        ("a/b", "a", "b"), ("a", "a", nil), ("a/", "a", ""), ("/b", "", "b"), ("a/b/c", "a", "b/c"),
        ("", "", nil),
    ])
    func `a name has two parts, or is a machine's`(
        name: String, machine: String, instance: String?
    ) {
        withBytes(name) { bytes in
            let target = AccessTarget(name: bytes)
            #expect(String(decoding: target.machine, as: UTF8.self) == machine)
            #expect(target.instance.map { String(decoding: $0, as: UTF8.self) } == instance)
        }
        #expect(AccessTarget.none.machine.isEmpty)
        #expect(AccessTarget.none.instance == nil)
    }

    @Test func `a question without a name asks about no name`() {
        let question = AccessQuestion()
        #expect(question.target.machine.isEmpty && question.eventType == nil)
        #expect(!question.wantsHealth && !question.isLocal)
    }
}
