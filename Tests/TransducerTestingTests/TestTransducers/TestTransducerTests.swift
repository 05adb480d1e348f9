import Testing
import TransducerTesting
import Transducers

@Suite("TestTransducer")
struct TestTransducerTests {
    @Test func `a door is opened, springs shut, and everything is stated`() async {
        let door = TestTransducer<Door>(initialState: .closed)
        await door.send(.open) { $0 = .opening }
        door.expect(output: .creaks)
        await door.receive(.opened) { $0 = .open }
        door.expectEffect(id: "spring")
        await door.advance(by: .seconds(3))
        await door.receive(.close) { $0 = .closed }
        door.expect(output: .bangs)
        await door.expectNoEffects()
        await door.finish()
    }
}
