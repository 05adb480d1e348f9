/// `list`, as far as it was read.
struct ListRead {
    let list: List
    var items: [Reply.ListItem] = []
    var bytes = 0
    var after: String?
    var scanned = 0
    /// Rows that are asked for in one go: few at first, because each may hold a megabyte.
    var step = 8

    init(_ list: List) {
        self.list = list
        after = list.after
    }
}
