/// Answers that a commit has made true and that aren't released yet. When thousands wait for one
/// event, the answers are released in turns, so that writing them delays no other reply.
struct OwedAnswers {
    private var answers: [Ready.ReplyTo] = []
    /// The index of the first one that isn't released.
    private var begin = 0

    var isEmpty: Bool { begin == answers.count }

    mutating func append(_ answer: Ready.ReplyTo) { answers.append(answer) }

    /// Removes and returns the answers of one turn, in their order: at most
    /// ``Limits/waitersAnsweredMax``, and about ``Limits/pageBytesMax`` of states, but at least
    /// one if there is one.
    mutating func removeTurn() -> [Ready.ReplyTo] {
        var released: [Ready.ReplyTo] = []
        var room = Limits.pageBytesMax
        while begin < answers.count, released.count < Limits.waitersAnsweredMax, room > 0 {
            released.append(answers[begin])
            room -= answers[begin].reply.stateBytes
            begin += 1
        }
        if isEmpty {
            answers = []
            begin = 0
        }
        return released
    }
}
