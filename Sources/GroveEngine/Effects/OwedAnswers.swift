/// Answers that are true, committed and not given yet: when thousands wait for one event, they
/// are given in turns, so that writing them keeps nobody else waiting.
struct OwedAnswers {
    private var answers: [Ready.ReplyTo] = []
    /// Those before it are given.
    private var begin = 0

    var isEmpty: Bool { begin == answers.count }

    mutating func append(_ answer: Ready.ReplyTo) { answers.append(answer) }

    /// Takes those of one turn, in their order: at most ``Limits/waitersAnsweredMax`` and about
    /// ``Limits/pageBytesMax`` of states, but one if there is one.
    mutating func take() -> [Ready.ReplyTo] {
        var taken: [Ready.ReplyTo] = []
        var room = Limits.pageBytesMax
        while begin < answers.count, taken.count < Limits.waitersAnsweredMax, room > 0 {
            taken.append(answers[begin])
            room -= answers[begin].reply.stateBytes
            begin += 1
        }
        if isEmpty {
            answers = []
            begin = 0
        }
        return taken
    }
}
