/** The page of one machine: its drawing, its instances in pages, and one act on many of them. */

import { drawing } from './diagram.js'
import { button, confirmByName, download, field, fill, h, section, select, table, tag } from './dom.js'
import { count, definitions, errorText, grove, link, newKey, offFor, parse, stateName, statePath, time, whyNot } from './link.js'

const PAGE = 100

export async function machinePage({ place, parts: [machine], signal }) {
  const [description, all] = await Promise.all([
    grove.describe(machine, { signal }), definitions(signal)])
  const held = all.find(({ name }) => name === machine)?.held
  const figure = h('div', {})
  const list = instances(machine, description, signal)
  fill(place,
    h('header.title', {}, h('h1', {}, machine), h('span.soft', {}, `version ${description.version}`),
      held && tag(held.replace('_', ' '), 'warn')),
    h('div.columns.wide-right', {}, section('Instances', list.places),
      h('div.stack', {}, section('States', figure),
        section('New instance', creation(machine, offFor(whyNot('send', machine)))),
        section('Many at once', manyForm(machine, list.filter, offFor(whyNot('manage', machine)), signal)))))
  const drawn = await drawing(description, signal)
  fill(figure, drawn.place)
}

function creation(machine, off) {
  const name = h('input', { required: true, maxlength: '200', spellcheck: 'false', autocomplete: 'off',
    pattern: '[A-Za-z0-9._:@~+=,\\-]{1,200}', placeholder: 'name' })
  const problem = h('p', { role: 'alert' })
  return h('form', { onsubmit: async event => {
    event.preventDefault()
    const to = `${machine}/${name.value}`
    try {
      await grove.create(to)
      location.hash = `#/${machine}/${encodeURIComponent(name.value)}`
    } catch (error) {
      fill(problem, h('span.problem', {}, errorText(error)))
    }
  } }, h('div.row', {}, field('Name', name), h('button', { type: 'submit', ...off }, 'Create')),
  h('p.soft', {}, off.title ?? 'It begins in the initial state. Sending an event to a new name creates it too.'), problem)
}

function instances(machine, description, signal) {
  const prefix = h('input', { type: 'search', spellcheck: 'false', autocomplete: 'off' })
  const state = select([['', 'any'], ...(description.states ?? []).map(name => [statePath(name), name])])
  const done = select([['', 'all'], ['false', 'not done'], ['true', 'done']])
  const held = select([['', 'all'], ['suspended', 'suspended'], ['set_aside', 'set aside']])
  const rows = h('div', { 'aria-busy': 'true' })
  const pager = h('div.row', {})
  const starts = [undefined]
  let stop = new AbortController()

  const filter = () => ({
    machine, prefix: prefix.value || undefined, state: state.value || undefined,
    done: done.value === '' ? undefined : done.value === 'true', held: held.value || undefined,
  })
  const show = async () => {
    stop.abort()
    stop = new AbortController()
    const mine = stop
    rows.setAttribute('aria-busy', 'true')
    try {
      const { items, next, looked } = await page(filter(), starts.at(-1), mine, pager)
      if (mine.signal.aborted || signal.aborted) return
      fill(rows, listTable(items))
      const isOne = starts.length < 2 && next === undefined
      fill(pager, h('span.soft', {}, looked > PAGE ? `${count(looked)} looked at` : isOne ? `${count(items.length)} in all` : `Page ${starts.length}`),
        !isOne && [button('First', () => { starts.length = 1; show() }, { disabled: starts.length < 2 }),
        button('Previous', () => { starts.pop(); show() }, { disabled: starts.length < 2 }),
        button('Next', () => { starts.push(next); show() }, { disabled: next === undefined })],
        button('Read again', show, { class: 'quiet' }))
    } catch (error) {
      if (!mine.signal.aborted) fill(rows, h('p.problem', { role: 'alert' }, errorText(error)))
    }
    rows.removeAttribute('aria-busy')
  }
  let typing
  const restart = () => {
    clearTimeout(typing)
    typing = setTimeout(() => { starts.length = 1; show() }, 200)
  }
  for (const input of [prefix, state, done, held]) input.addEventListener('input', restart)
  show()
  const filters = h('div.filters', {}, field('Name begins with', prefix), field('State', state), field('Done', done),
    field('Held', held))
  return { places: [filters, rows, pager], filter }
}

/** Reads until a page is full: a filter that few instances match needs several requests. */
async function page(filter, start, stop, pager) {
  const items = []
  let after = start
  let requests = 0
  for (;;) {
    const reply = await grove.list({ ...filter, after, limit: PAGE - items.length, signal: stop.signal })
    items.push(...reply.items)
    requests += 1
    after = reply.next
    if (after === undefined || items.length >= PAGE) break
    if (requests % 5 === 0) {
      fill(pager, h('span', {}, `about ${count(requests * 2000)} looked at…`),
        button('Stop', () => stop.abort()))
    }
  }
  return { items, next: after, looked: requests > 1 ? requests * 2000 : items.length }
}

export function listTable(items) {
  return table('Instances', ['Name', 'State', 'Version', 'Changed', 'Notes'], items.map(item => [
    link(item.to, undefined, item.to.slice(item.to.indexOf('/') + 1)), stateName(item.state), count(item.v),
    time(item.updated),
    [item.done && tag('done', 'done'), item.held && tag(item.held.replace('_', ' '), 'warn'),
      item.reason && h('span.soft', {}, ` ${item.reason}`)]]),
  'No instance matches.')
}

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
      const value = act.value === 'send' ? parse(event.value) : undefined
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

async function run(names, work, place, signal) {
  const bar = h('progress', { max: names.length, 'aria-label': 'Done' })
  const text = h('span', { role: 'status' })
  const refused = []
  let [next, over, unknown, isStopped] = [0, 0, 0, false]
  const halt = button('Stop', () => { isStopped = true })
  fill(place, h('div.row', {}, bar, text, halt))
  const show = () => {
    bar.value = over
    text.textContent = `${count(over)} of ${count(names.length)} done, ${count(refused.length - unknown)} refused`
      + (unknown ? `, ${count(unknown)} without an answer` : '')
  }
  const showing = setInterval(show, 250)
  const worker = async () => {
    while (next < names.length && !isStopped && !signal.aborted) {
      const to = names[next++]
      try {
        await work(to)
      } catch (error) {
        if (error.outcomeUnknown) unknown += 1
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
