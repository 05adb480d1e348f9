import ArgumentParser
import OrderedJSON

/// A JSON value on the command line.
struct JSONText: ExpressibleByArgument {
    let value: JSONValue

    init?(argument: String) {
        // The parser shows the argument with its name; an offset would add nothing.
        guard let value = try? JSONValue(parsing: Array(argument.utf8)) else { return nil }
        self.value = value
    }
}
