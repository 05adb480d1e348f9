import GroveHTTP
import GroveProtocol
import GroveTestSupport

@testable import GroveServer

extension HTTPTalk {
    /// A server with the machines of the conversations.
    convenience init(_ settings: HTTPSettings, limits: ServerLimits) throws {
        var settings = settings
        settings.metricsText = Server.httpSettings(ServerOptions(), node: "test").metricsText
        self.init(
            settings, catalogue: try conversationCatalogue(), store: ConversationStore(),
            limits: limits
        ) { DrawingDesk.draw($0) }
        server.compiler = { ChartCompiler.compile($0) }
    }
}
