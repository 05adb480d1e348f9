import GroveWire
import Testing

@testable import GroveHTTP

@Suite("HTTPRouter")
struct HTTPRouterTests {
    private let router = HTTPRouter(HTTPRoute.all)

    private func find(_ method: HTTPMethod, _ path: String) -> String {
        let segments = path.split(separator: "/").map { ArraySlice($0.utf8) }
        switch router.match(method, segments) {
        case .nowhere: return "nowhere"
        case .otherMethods(let methods): return methods.map(\.text).joined(separator: " ")
        case .route(let route, let variables):
            let values = variables.all.map {
                "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))"
            }
            return ([route.template] + values).joined(separator: " ")
        }
    }

    @Test func `a path leads to one route, with the values of its parts`() {
        #expect(
            find(.post, "/v1/instances/order/o-1/events")
                == "/v1/instances/{machine}/{name}/events machine=order name=o-1")
        #expect(find(.get, "/") == "/")
        #expect(find(.get, "/v1/nothing") == "nowhere")
        #expect(find(.post, "/v1/instances") == "GET HEAD")
        #expect(find(.head, "/v1/instances") == "/v1/instances")
        #expect(find(.head, "/v1/records") == "GET")
    }

    @Test func `no two routes are for one method and path`() {
        let keys = HTTPRoute.all.map { route in
            route.method.text
                + route.segments.map { segment in
                    if case .literal(let text) = segment {
                        "/" + String(decoding: text, as: UTF8.self)
                    } else {
                        "/*"
                    }
                }.joined()
        }
        #expect(Set(keys).count == keys.count)
    }

    @Test func `what only reads is GET, and GET only reads`() {
        for route in HTTPRoute.all {
            guard case .op(let op) = route.action else { continue }
            let isRead = op.traits.reads || op == .accounts
            #expect(
                (route.method == .get) == isRead
                    || op == .can || op == .accounts && route.method == .post,
                "\(route.method.text) \(route.template)")
        }
    }

    @Test func `parameters have names that differ`() {
        for route in HTTPRoute.all {
            #expect(Set(route.parameters.map(\.name)).count == route.parameters.count)
        }
    }
}
