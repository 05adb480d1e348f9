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

    @Test func `whatever may cause steps takes a trace`() throws {
        let paths = try document.get()["paths"]
        func takesTrace(_ path: String, _ method: String) -> Bool {
            let parameters = paths?[path]?[method]?["parameters"]?.array ?? []
            return parameters.contains {
                $0["name"]?.string == "traceparent" && $0["in"]?.string == "header"
            }
        }
        let instance = "/v1/instances/{machine}/{name}"
        #expect(takesTrace(instance, "put") && takesTrace(instance, "delete"))
        #expect(takesTrace(instance + "/events", "post") && takesTrace(instance + "/stop", "post"))
        #expect(takesTrace("/v1/batch", "post"))
        #expect(!takesTrace(instance, "get") && !takesTrace("/v1/records", "get"))
    }

    @Test func `what is referred to is there`() throws {
        let document = try document.get()
        #expect(document["openapi"]?.string == "3.1.0")
        #expect(document["components"]?["responses"]?["Problem"] != nil)
        #expect(document["components"]?["securitySchemes"]?["token"] != nil)
    }
}
