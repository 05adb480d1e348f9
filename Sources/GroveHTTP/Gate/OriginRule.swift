/// Which pages a request may come from.
///
/// A browser sends requests of every page that it shows, also to servers on its own machine. It
/// says in `Origin`, or in `Sec-Fetch-Site`, which page it was. Programs send neither.
enum OriginRule {
    enum Verdict: Equatable {
        /// A program, or a page of this server.
        case own
        /// A page of another origin that the operator has listed.
        case listed(origin: [UInt8])
        /// Any other page; the sentence says what helps.
        case refused(String)
    }

    /// Decides by the fields of a request.
    static func judge(_ head: HTTPRequestHead, origins: Set<String>) -> Verdict {
        let fields = head.all("origin")
        guard fields.count <= 1 else { return .refused("Origin stands more than once") }
        guard let origin = fields.first?.value else { return judgeSite(head) }
        let text = String(decoding: origin.map(HTTPBytes.lower), as: UTF8.self)
        if origins.contains(text) { return .listed(origin: Array(origin)) }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // scheme: // authority, and nothing more.
        if parts.count == 3,
            parts[0].elementsEqual("http:".utf8) || parts[0].elementsEqual("https:".utf8),
            parts[1].isEmpty, parts[2].elementsEqual(head.host.map(HTTPBytes.lower))
        {
            return .own
        }
        return .refused("pages of this origin may not use the server: list it in web-origins")
    }

    /// Without `Origin`: what the browser says about the page.
    private static func judgeSite(_ head: HTTPRequestHead) -> Verdict {
        guard let site = head.first("sec-fetch-site")?.value else { return .own }
        guard HTTPBytes.isWord(site, "same-site") || HTTPBytes.isWord(site, "cross-site") else {
            return .own
        }
        // Somebody follows a link to the console.
        let isVisit =
            head.method == .get && head.path.elementsEqual("/".utf8)
            && head.first("sec-fetch-mode").map { HTTPBytes.isWord($0.value, "navigate") } == true
            && head.first("sec-fetch-dest").map { HTTPBytes.isWord($0.value, "document") } == true
        return isVisit ? .own : .refused("pages of other origins may not use the server")
    }
}
