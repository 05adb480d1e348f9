import GroveEngine
import Testing

@Suite("StoreOpenError")
struct StoreOpenErrorTests {
    @Test func `gives every refusal an exit code and a sentence`() {
        let errors: [(StoreOpenError, Int32)] = [
            (.foreign("x"), 65), (.newer(schema: 2, known: 1), 65), (.corrupt("x"), 65),
            (.owned("x"), 73), (.inputOutput("x"), 74), (.full, 74), (.unusablePath("x"), 78),
        ]
        for (error, code) in errors {
            #expect(error.exitCode == code)
            #expect(error.description.count > 20)
        }
    }
}
