import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func grant() throws(WireError) -> Int64 {
        try value(required(member("n"), "n"), "n", "is an integer from 1") {
            integer($0, in: 1...Int64.max)
        }
    }
}
