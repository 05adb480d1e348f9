import Testing
import Transducers

@Suite("CaseName")
struct CaseNameTests {
    @Test(arguments: [
        (#""coin""#, "coin"), (#"{"type":"add","amount":5}"#, "add"), (#"{"amount":5}"#, nil),
        ("5", nil), ("[", nil),
    ])
    func `the name is the text itself, or the member type`(_ json: String, _ name: String?) {
        #expect(CaseName.read(Array(json.utf8)) == name)
    }
}
