/** What waits for a person: failed effects, open questions, and what is held. */

import { button, fill, h, section, table, tag } from './dom.js'
import { count, link, time } from './format.js'
import { definitions, grove } from './link.js'
import { effectTable } from './effects.js'

const PAGE = 100
const LATE = 5000

export async function attention({ place, signal }) {
  const failed = pages(after => grove.effects({ phase: 'failed', limit: PAGE, after, signal }), 'No effect has failed.')
  const asking = pages(after => grove.effects({ phase: 'asking', limit: PAGE, after, signal }), 'No question is open.')
  const [late, held, strangers] = [h('div', {}), h('div', {}), h('div', {})]
  const all = () => Promise.all([failed.show(), asking.show(), showLate(late, signal), showHeld(held, signal),
    showStrangers(strangers, signal)])
  fill(place, h('header.title', {}, h('h1', {}, 'Attention'), button('Read again', all)),
    section('Failed effects', failed.place), section('Open questions', asking.place), section('Late timers', late),
    section('Held', held), section('Machines that aren’t hosted', strangers))
  await all()
}

/** Timers that were due some seconds ago, among the oldest ones: their instance or their machine is held,
 * or the server is behind with its work. */
async function showLate(place, signal) {
  const { items, next } = await grove.effects({ phase: 'sleeping', limit: 1000, signal })
  const late = items.filter(({ due }) => new Date(due) < Date.now() - LATE)
  fill(place, effectTable(late.slice(0, PAGE), { hasInstance: true, changed: () => showLate(place, signal), empty: 'No timer is late.' }),
    next !== undefined && h('p.soft', {}, `Only the first ${count(items.length)} timers were looked at.`))
}

/** Machines with instances that the server doesn't host: it jumps from name to name. */
async function showStrangers(place, signal) {
  const hosted = new Set((await definitions(signal)).map(({ name }) => name))
  const found = []
  let after
  for (let times = 0; times < 1000 && found.length < PAGE; times += 1) {
    const { items: [item] } = await grove.list({ after, limit: 1, signal })
    if (!item) break
    const machine = item.to.split('/')[0]
    if (!hosted.has(machine)) found.push([h('code', {}, machine), link(item.to)])
    // No name sorts after this one.
    after = `${machine}/${'~'.repeat(200)}`
  }
  fill(place, table('Machines that aren’t hosted', ['Machine', 'First instance'], found, 'All instances have their machine.'))
}

/** A table of effects with its pages. */
function pages(request, empty) {
  const place = h('div', {})
  const starts = [undefined]
  const show = async () => {
    // A page may be empty before the list ends: many effects may be in other phases.
    let after = starts.at(-1)
    let page
    do {
      page = await request(after)
      after = page.next
    } while (!page.items.length && after !== undefined)
    const pager = (starts.length > 1 || after !== undefined) && h('div.row', {},
      h('span.soft', {}, `Page ${starts.length}, ${count(page.items.length)} effects`),
      button('Previous', () => { starts.pop(); show() }, { disabled: starts.length < 2 }),
      button('Next', () => { starts.push(after); show() }, { disabled: after === undefined }))
    fill(place, effectTable(page.items, { hasInstance: true, changed: show, empty }), pager)
  }
  return { place, show }
}

async function showHeld(place, signal) {
  const [machines, suspended, aside] = await Promise.all([definitions(signal),
    grove.list({ held: 'suspended', limit: PAGE, signal }), grove.list({ held: 'set_aside', limit: PAGE, signal })])
  const rows = [
    ...machines.filter(({ held }) => held).map(({ name, held }) =>
      [link(name), tag(held.replace('_', ' '), 'warn'), '', 'all instances of the machine']),
    ...aside.items.map(item => [link(item.to), tag('set aside', 'bad'), time(item.since), item.reason ?? '']),
    ...suspended.items.map(item => [link(item.to), tag('suspended', 'warn'), time(item.since), item.reason ?? '']),
  ]
  fill(place, table('Held instances and machines', ['Name', 'Held', 'Since', 'Reason'], rows, 'Nothing is held.'),
    (suspended.next ?? aside.next) !== undefined && h('p.soft', {}, 'There are more: the filter of a machine’s page shows them.'))
}
