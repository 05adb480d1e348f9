/** The page of one machine: its drawing, and its instances in pages. */

import { button, field, fill, h, section, select, table, tag } from './dom.js'
import { count, errorText, link, stateName, time } from './format.js'
import { definitions, grove, offFor, whyNot } from './link.js'
import { manyForm } from './many.js'
import { drawing } from './diagram.js'

const PAGE = 100

export async function machinePage({ place, parts: [machine], signal }) {
  const [description, all] = await Promise.all([
    grove.describe(machine, { signal }), definitions(signal)])
  const held = all.find(({ name }) => name === machine)?.held
  const figure = h('div', {})
  const event = description.takes?.find(({ internal }) => !internal)?.type ?? description.events?.[0]
  const some = `${machine}/console`
  const [manage, send] = await Promise.all([
    whyNot('manage', some), whyNot('send', some, event)])
  const list = instances(machine, description, signal)
  fill(place,
    h('header.title', {}, h('h1', {}, machine), h('span.soft', {}, `version ${description.version}`),
      held && tag(held.replace('_', ' '), 'warn')),
    h('div.columns.wide-right', {}, section('Instances', list.places),
      h('div.stack', {}, section('States', figure),
        section('New instance', creation(machine, offFor(send ?? (manage?.startsWith('This') ? manage : undefined)))),
        section('Many at once', manyForm(machine, list.filter, offFor(manage), signal)))))
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

/** The list with its filters. */
function instances(machine, description, signal) {
  const prefix = h('input', { type: 'search', spellcheck: 'false', autocomplete: 'off' })
  const state = select([['', 'any'], ...(description.states ?? []).map(name => [name, name])])
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
      fill(pager, h('span.soft', {}, looked > PAGE ? `${count(looked)} looked at` : `Page ${starts.length}`),
        button('First', () => { starts.length = 1; show() }, { disabled: starts.length < 2 }),
        button('Previous', () => { starts.pop(); show() }, { disabled: starts.length < 2 }),
        button('Next', () => { starts.push(next); show() }, { disabled: next === undefined }),
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

/** A table of instances. */
export function listTable(items) {
  return table('Instances', ['Name', 'State', 'Version', 'Changed', 'Notes'], items.map(item => [
    link(item.to, undefined, item.to.slice(item.to.indexOf('/') + 1)), stateName(item.state), count(item.v),
    time(item.updated),
    [item.done && tag('done', 'done'), item.held && tag(item.held.replace('_', ' '), 'warn'),
      item.reason && h('span.soft', {}, ` ${item.reason}`)]]),
  'No instance matches.')
}
