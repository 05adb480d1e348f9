import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("OpenAPI")
struct OpenAPITests {
    private let document = Result { try JSONValue(parsing: OpenAPI.document) }

    @Test func `it has every route, with a name of its own`() throws {
        let paths = try document.get()["paths"]
        var names: Set<String> = []
        for route in HTTPRoute.all {
            let operation = paths?[route.template]?[route.method.text.lowercased()]
            let name = try #require(operation?["operationId"]?.string, "\(route.template)")
            #expect(names.insert(name).inserted, "\(name)")
            let parameters = operation?["parameters"]?.array ?? []
            let variables = route.template.split(separator: "/").count { $0.hasPrefix("{") }
            #expect(parameters.count >= variables + route.parameters.count)
        }
    }

    @Test func `what is referred to is there`() throws {
        let document = try document.get()
        #expect(document["openapi"]?.string == "3.1.0")
        #expect(document["components"]?["responses"]?["Problem"] != nil)
        #expect(document["components"]?["securitySchemes"]?["token"] != nil)
    }
}
