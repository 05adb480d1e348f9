/** One act on many instances: what a filter matches, 64 requests at a time, each refusal kept. */

import { button, confirmByName, download, field, fill, h, select, table } from './dom.js'
import { count, errorText, link } from './format.js'
import { grove, newKey } from './link.js'

const UNDER_WAY = 64
const MOST = 100_000

/** The acts: what is asked of each instance, and what that means. */
const ACTS = {
  send: ['Send an event', 'Each gets the event, where its machine takes it.',
    (to, event) => grove.send(to, event, { dedup: newKey(), create: 'never' })],
  stop: ['Stop', 'Each becomes done; its effects are cancelled.', to => grove.stop(to)],
  delete: ['Delete', 'Each is removed with its history.', to => grove.delete(to)],
  suspend: ['Suspend', 'Each refuses events until it is resumed.', to => grove.suspend({ to })],
  resume: ['Resume', 'Each takes events again.', to => grove.resume({ to })],
}

/** The form; `filter` returns what `list` takes, and `off` says why nothing may be changed. */
export function manyForm(machine, filter, off, signal) {
  const act = select(Object.entries(ACTS).map(([key, [title]]) => [key, title]))
  const event = h('input', { spellcheck: 'false', autocomplete: 'off', placeholder: '"reset", or {"type":"add","amount":1}' })
  const eventField = field('Event, as JSON', event)
  const place = h('div', {})
  const form = h('form', { onsubmit: async submitted => {
    submitted.preventDefault()
    const stop = new AbortController()
    signal.addEventListener('abort', () => stop.abort())
    try {
      const value = act.value === 'send' ? JSON.parse(event.value) : undefined
      await preview(act.value, value, stop)
    } catch (error) {
      if (!stop.signal.aborted) fill(place, h('p.problem', { role: 'alert' }, errorText(error)))
    }
  } }, h('p.soft', {}, 'For all instances that the filters of the list match, in single requests.'),
  h('div.filters', {}, field('Act', act), eventField, h('button', { type: 'submit', ...off }, 'Preview')), place)
  act.addEventListener('input', () => { eventField.hidden = act.value !== 'send'; fill(place) })

  const preview = async (kind, value, stop) => {
    const names = []
    const halt = button('Stop', () => { stop.abort(); fill(place) })
    for await (const { to } of grove.instances({ ...filter(), signal: stop.signal })) {
      names.push(to)
      if (names.length % 1000 === 0) fill(place, h('p.row', {}, h('span', {}, `${count(names.length)} found…`), halt))
      if (names.length === MOST) break
    }
    const [title, meaning, work] = ACTS[kind]
    const many = `${count(names.length)} ${names.length === 1 ? 'instance' : 'instances'}`
    const go = button(`${title}: ${many}`, async () => {
      const answer = await confirmByName({ title: `${title}: ${many}?`, name: machine, action: title,
        text: `${meaning} What is done meanwhile stays done when you stop.` })
      if (answer) await run(names, to => work(to, value), place, signal)
    }, { class: 'danger', disabled: !names.length })
    fill(place, h('p', {}, `${many}${names.length === MOST ? ', the first ones' : ''}. `,
      names.slice(0, 5).map(to => [link(to, undefined, to.slice(machine.length + 1)), ' ']),
      names.length > 5 && `and ${count(names.length - 5)} more`), h('div.row', {}, go))
  }
  return form
}

/** Does the work for all names, and shows how far it is. */
async function run(names, work, place, signal) {
  const bar = h('progress', { max: names.length, 'aria-label': 'Done' })
  const text = h('span', { role: 'status' })
  const refused = []
  let [next, over, isStopped] = [0, 0, false]
  const halt = button('Stop', () => { isStopped = true })
  fill(place, h('div.row', {}, bar, text, halt))
  const show = () => {
    bar.value = over
    text.textContent = `${count(over)} of ${count(names.length)} done, ${count(refused.length)} refused`
  }
  const showing = setInterval(show, 250)
  const worker = async () => {
    while (next < names.length && !isStopped && !signal.aborted) {
      const to = names[next++]
      try {
        await work(to)
      } catch (error) {
        refused.push({ to, code: error.code ?? 'ERROR', message: error.message })
      }
      over += 1
    }
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, worker))
  clearInterval(showing)
  show()
  halt.remove()
  if (isStopped) text.textContent += ', then stopped'
  const save = button('Download the refusals', () => download('refusals.json', JSON.stringify(refused, null, 1)))
  if (refused.length) {
    place.append(table('Refusals', ['Instance', 'Reason'], refused.slice(0, 20).map(({ to, code, message }) =>
      [link(to), `${code}: ${message}`])), h('div.row', {}, save))
  }
}
