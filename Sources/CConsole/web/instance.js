/** The page of one instance: state, drawing, effects, acts, and its timeline. */

import { effectTable, sendForm } from './acts.js'
import { drawing } from './diagram.js'
import { button, confirmByName, fill, h, painted, section, tag } from './dom.js'
import { address, allowed, batches, count, definitions, errorText, grove, link, offFor, whyNot } from './link.js'
import { differences, timeline, tree } from './timeline.js'

/** How many machines, and how many instances of a family, are searched for the parent of a child. */
const MACHINES = 100
const FAMILY = 100

export async function instancePage({ place, parts, query, signal, main }) {
  const to = parts.join('/')
  const view = new InstanceView(to, place, signal)
  await view.open(versionOf(query))
  const change = event => {
    if (signal.aborted) return
    event.preventDefault()
    view.travel(versionOf(event.detail))
  }
  main.addEventListener('query', change, { signal })
  addEventListener('keydown', event => view.key(event), { signal })
}

const nameOf = to => to.slice(to.indexOf('/') + 1)

function versionOf(query) {
  const version = Number(query.get('v') ?? NaN)
  return Number.isInteger(version) && version >= 0 ? version : undefined
}

class InstanceView {
  constructor(to, place, signal) {
    Object.assign(this, { to, place, signal, present: undefined, at: undefined, first: 0 })
    this.parts = {
      facts: h('div.facts', {}), state: h('div', {}), figure: h('div', {}), effects: h('div', {}),
      travel: h('div.travel', {}), note: h('p.soft', { role: 'alert' }), acts: h('div.acts', {}),
    }
  }

  async open(version) {
    const machine = this.to.split('/')[0]
    // First the subscription, then the state: nothing that happens in between is missed.
    const records = await allowed(grove.subscribe({
      machine, instance: this.to.slice(machine.length + 1), credit: 200, marks: true, signal: this.signal }))
    this.isLive = records !== undefined
    await this.read()
    const description = await grove.describe(this.present ? this.to : machine, { signal: this.signal })
    this.description = description
    this.drawn = await drawing(description, this.signal)
    this.steps = timeline(this.to, v => this.goTo(v), this.signal)
    this.off = offFor(whyNot('manage', this.to))
    this.form = sendForm(this.to, description, () => this.present, whyNot('send', this.to))
    const { facts, state, figure, effects, travel, note, acts } = this.parts
    fill(figure, this.drawn.place)
    const steps = section('Timeline', this.steps.place)
    steps.classList.add('spread')
    fill(this.place, facts, travel, note, h('div.columns.instance', {},
      h('div.stack', {}, section('State', state), section('Send an event', this.form.form), section('Actions', acts)),
      h('div.stack', {}, section('States', figure), section('Effects', effects)), steps))
    this.showActs()
    await this.travel(version)
    if (records) this.follow(records)
    // Without an answer, the name of the family stays.
    if (this.to.includes('~')) this.readParents().catch(() => {})
  }

  /**
   * Reads what may have started a child: instances with the name of its family, and the one among them, or in
   * the rest of the family, that has it as an effect.
   */
  async readParents() {
    const { to, signal } = this
    const family = nameOf(to).split('~')[0]
    const machines = (await definitions(signal)).slice(0, MACHINES)
    const named = async (prefix, limit) => {
      const pages = await Promise.all(machines.map(({ name: machine }) => grove.list({ machine, prefix, limit, signal })))
      return pages.flatMap(({ items }) => items.map(item => item.to))
    }
    this.parents = (await named(family, 1)).filter(name => nameOf(name) === family)
    this.parent = await this.starter(this.parents)
    this.showFacts()
    if (this.parent) return
    // The numbers of a family grow: a parent has a smaller one than its child, and often the next smaller one.
    const number = name => Number(nameOf(name).slice(family.length + 1))
    const others = (await named(`${family}~`, FAMILY)).filter(name => number(name) < number(to))
    this.parent = await this.starter(others.sort((one, other) => number(other) - number(one)).slice(0, FAMILY))
    this.showFacts()
  }

  /** The one among some instances that has this one as an effect. */
  async starter(names) {
    const effects = await Promise.all(names.map(name => grove.effects({ to: name, limit: 100, signal: this.signal })))
    return names.find((_, place) => effects[place].items.some(({ child }) => child === this.to))
  }

  async read() {
    try {
      this.present = await grove.get(this.to, { in: true, signal: this.signal })
    } catch (error) {
      if (error.code !== 'NO_SUCH_INSTANCE') throw error
      this.present = undefined
    }
  }

  async follow(records) {
    for await (const batch of batches(records)) {
      if (!batch.some(({ mark }) => mark === undefined)) continue
      await painted()
      const was = this.present?.v
      await this.read()
      this.showFacts()
      this.showEffects()
      this.form.check()
      // What somebody else did may leave other acts, and their note is over.
      if (this.shownActs !== this.actsKey()) this.showActs()
      if (this.at > (this.present?.v ?? -1)) await this.travel(this.at)
      else if (this.at === undefined) await this.show(this.present, was !== this.present?.v)
      else this.showTravel()
      await this.steps.moved(this.present?.v)
    }
  }

  goTo(version) {
    location.hash = address(this.to, version)
  }

  async travel(version) {
    const last = this.present?.v
    const isKnown = version === undefined || version <= last
    // An address with a version stays there while the instance moves on.
    this.at = isKnown ? version : undefined
    fill(this.parts.note, !isKnown && this.present
      && `There is no version ${count(version)}. This is the present one, ${count(last)}.`)
    this.showFacts()
    this.showEffects()
    let shown = this.present
    if (this.at !== undefined) {
      try {
        shown = await grove.get(this.to, { at: this.at, in: true, signal: this.signal })
      } catch (error) {
        fill(this.parts.state, h('p.problem', { role: 'alert' }, errorText(error)))
        if (error.data?.first !== undefined) this.first = error.data.first
        this.showTravel()
        return
      }
    }
    await this.show(shown, true)
    await this.steps.select(shown?.v, this.present?.v, this.at === undefined)
  }

  async show(shown, isNew) {
    this.showTravel()
    if (!shown) {
      fill(this.parts.state, h('p.none', {}, 'There is no such instance. An event creates it.'))
      this.drawn.light([])
      return
    }
    let before
    if (shown.v > this.first && isNew) before = await this.versionBefore(shown.v)
    const changed = new Set(before ? differences(before.state, shown.state).map(([path]) => path) : [])
    fill(this.parts.state, tree(shown.state, { name: `${this.to}-${shown.v}`, changed }))
    const names = shown.in ?? [typeof shown.state === 'string' ? shown.state : '']
    this.drawn.light(names, before && { before: before.in ?? [before.state], event: before.event })
  }

  /** The version before, with the event that ended it; nothing if it is no longer held. */
  async versionBefore(version) {
    try {
      const [before, { items }] = await Promise.all([
        grove.get(this.to, { at: version - 1, in: true, signal: this.signal }),
        grove.history(this.to, { after: version - 1, limit: 1, signal: this.signal })])
      const event = items[0]?.event
      return { ...before, event: typeof event === 'string' ? event : event?.type }
    } catch (error) {
      if (error.code !== 'BAD_REQUEST') throw error
      return undefined
    }
  }

  showFacts() {
    const { present, description } = this
    const machine = this.to.split('/')[0]
    const name = this.to.slice(machine.length + 1)
    const family = name.includes('~') ? name.split('~')[0] : undefined
    const parents = this.parents?.length ? this.parents.map(parent => [link(parent), ' ']) : family
    const isOld = present && description && present.definition.version !== description.version
    fill(this.parts.facts, h('header.title', {}, h('h1', {}, link(machine), ' / ', name),
      !this.isLive && tag('not live: no grant', 'warn'), !present && tag('doesn’t exist', 'warn'), present?.done && tag('done', 'done'),
      present?.held && tag(present.held.replace('_', ' '), 'warn')),
    present && h('dl.line', {}, ...[
      ['Version', count(present.v)],
      ['Definition', `${present.definition.version}${isOld ? ` (hosted: ${description.version})` : ''}`],
      ['Result', this.result()],
      ['Reason', present.reason], ['Child of', this.parent && link(this.parent)],
      ['Child of the family', this.parents?.includes(this.parent) ? undefined : family && parents],
    ].filter(([, value]) => value !== undefined).map(([key, value]) => h('div', {}, h('dt', {}, key), h('dd', {}, value)))))
  }

  result() {
    const { result } = this.present
    const text = JSON.stringify(result)
    return text?.length > 300 ? tree(result, { name: `${this.to}-result`, open: 0 }) : text
  }

  showEffects() {
    const { present } = this
    const items = [...present?.timers ?? [], ...present?.effects ?? []].map(item =>
      ({ kind: 'after', phase: 'sleeping', ...item, to: this.to }))
    // A form that is open is left alone: its answer would be lost.
    if (this.parts.effects.querySelector('details[open]')) return
    fill(this.parts.effects, effectTable(items), items.length >= 100
      && h('p.soft', {}, 'These are the 100 oldest; the command “grove effects” shows all.'))
  }

  showTravel() {
    const last = this.present?.v ?? 0
    const at = this.at ?? last
    if (!this.present || last === this.first) {
      fill(this.parts.travel)
      return
    }
    const { travel } = this.parts
    if (!travel.firstChild) this.makeTravel()
    const { slider, text, live, back, on } = this.controls
    Object.assign(slider, { min: this.first, max: last, value: at })
    slider.setAttribute('aria-valuetext', `version ${at} of ${last}`)
    text.textContent = this.at === undefined ? `version ${count(last)}, live` : `version ${count(at)} of ${count(last)}`
    live.disabled = this.at === undefined
    back.disabled = at <= this.first
    on.disabled = at >= last
    travel.classList.toggle('past', this.at !== undefined)
  }

  makeTravel() {
    let sliding
    const slider = h('input', { type: 'range', 'aria-label': 'Version', oninput: () => {
      clearTimeout(sliding)
      sliding = setTimeout(() => this.goTo(Number(slider.value)), 60)
    } })
    const back = button('←', () => this.step(-1), { 'aria-label': 'Version before', 'aria-keyshortcuts': 'ArrowLeft' })
    const on = button('→', () => this.step(1), { 'aria-label': 'Version after', 'aria-keyshortcuts': 'ArrowRight' })
    const text = h('output', {})
    const live = button('Live', () => this.goTo(undefined))
    this.controls = { slider, text, live, back, on }
    fill(this.parts.travel, back, slider, on, text, live)
  }

  step(by) {
    const last = this.present?.v ?? 0
    const next = Math.min(last, Math.max(this.first, (this.at ?? last) + by))
    this.goTo(next === last ? undefined : next)
  }

  key(event) {
    const isElsewhere = event.target.closest?.('input, textarea, select, dialog, .canvas, .scroll')
    if (isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowLeft') this.step(-1)
    if (event.key === 'ArrowRight') this.step(1)
  }

  /** What the acts depend on. */
  actsKey() {
    return this.present && (this.present.held ?? 'free')
  }

  showActs(text = '') {
    this.shownActs = this.actsKey()
    if (!this.present) {
      fill(this.parts.acts, h('p.none', {}, text || 'Nothing can be done to what doesn’t exist.'))
      return
    }
    const outcome = h('p', { role: 'alert' }, text)
    const act = (label, ask, work) => button(label, async () => {
      const answer = ask ? await confirmByName({ ...ask, name: this.to, action: label }) : {}
      if (!answer) return
      try {
        await work(answer)
        await this.read()
        await this.travel(this.at)
        this.showActs(`${label}: done.`)
        const next = this.parts.acts.querySelector('button') ?? this.place.closest('main')
        next?.focus({ preventScroll: true })
      } catch (error) {
        fill(outcome, h('span.problem', {}, errorText(error)))
      }
    }, { class: ask ? 'danger' : '', ...this.off })
    fill(this.parts.acts,
      h('div.row', {}, this.present?.held
        ? act('Resume', undefined, () => grove.resume({ to: this.to }))
        : act('Suspend', undefined, () => grove.suspend({ to: this.to })),
        act('Stop', { title: `Stop ${this.to}?`, hasReason: true,
          text: 'It becomes done and takes no more events. Its effects are cancelled and its children are stopped.' },
        ({ reason }) => grove.stop(this.to, { reason: reason || undefined })),
        act('Delete', { title: `Delete ${this.to}?`,
          text: 'It is removed with its history, its keys and its effects. The name is free again.' },
        () => grove.delete(this.to))), this.off.title && h('p.soft', {}, this.off.title), outcome)
  }
}
