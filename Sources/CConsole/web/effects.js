/** Effects, and what can be done about them. */

import { button, fill, h, table, tag } from './dom.js'
import { brief, countdown, errorText, eventName, link, time } from './format.js'
import { grove, offFor, whyNot } from './link.js'

const KINDS = { failed: 'bad', asking: 'warn', waiting: '', completed: 'ok' }

/** A table of effects; `changed` is called after an act. */
export function effectTable(items, { hasInstance = false, changed = () => {}, empty = 'No effects.' } = {}) {
  const heads = [...hasInstance ? ['Instance'] : [], 'Effect', 'Phase', 'Due', 'Attempt', 'About', 'Actions']
  return table('Effects', heads, items.map(item => [
    ...hasInstance ? [link(item.to)] : [],
    h('span', {}, h('b', {}, item.kind), ` ${item.id ?? ''} `, h('span.soft', {}, `#${item.effect}`)),
    h('span', {}, tag(item.phase ?? 'sleeping', KINDS[item.phase] ?? ''), item.asleep && h('span.soft', {}, ' asleep')),
    item.due ? countdown(item.due) : '–', item.attempt ?? '–', about(item), acts(item, changed)]), empty)
}

function about({ event, name, child, reason, asked }) {
  return h('span', {}, event !== undefined && [h('b', {}, eventName(event)), ' '], name && `${name} `,
    child && link(child), reason && h('span.problem', {}, reason), asked && h('span.soft', {}, ' asked ', time(asked)))
}

function acts(item, changed) {
  const outcome = h('span', { role: 'alert' })
  const act = work => async event => {
    const pressed = event.currentTarget
    pressed.disabled = true
    try {
      await work()
      fill(outcome, 'done')
      changed()
    } catch (error) {
      pressed.disabled = false
      fill(outcome, h('span.problem', {}, errorText(error)))
    }
  }
  const label = text => ({ 'aria-label': `${text} ${item.kind} ${item.id ?? item.effect} of ${item.to}` })
  const canRetry = ['failed', 'sleeping'].includes(item.phase) && item.kind !== 'closure' && item.kind !== 'after'
  const place = h('div.acts', {},
    (canRetry || item.phase === 'failed') && button('Retry', act(() => grove.retry(item.to, item.effect)), label('Retry')),
    item.phase !== 'completed' && button('Cancel', act(() => grove.cancel(item.to, { effect: item.effect })), label('Cancel')),
    item.token && answer(item, act), outcome)
  whyNot('manage', item.to).then(reason => {
    if (reason) place.querySelectorAll(':scope > button').forEach(disable(reason))
  })
  return place
}

const disable = reason => item => {
  for (const [key, value] of Object.entries(offFor(reason))) item.setAttribute(key, value)
}

/** The form for the answer to a question. */
function answer(item, act) {
  const text = h('input', { value: '{}', spellcheck: 'false', autocomplete: 'off', 'aria-label': `Answer to ${item.id ?? 'the question'} of ${item.to}, as JSON` })
  return h('details', {}, h('summary', {}, 'Answer'), h('div.row', {}, text,
    button('Send', act(() => grove.complete(item.token, JSON.parse(text.value)))),
    button('No answer', act(() => grove.fail(item.token, text.value === '{}' ? 'no answer' : text.value)))),
  h('small', {}, `JSON, such as ${brief({ by: 'mail' })}; “No answer” fails the effect with the text as its reason.`))
}
