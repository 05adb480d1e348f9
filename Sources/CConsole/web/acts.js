/** What is done to an instance: the form that sends an event, and the acts on its effects. */

import { announce, button, copyButton, field, fill, h, isBusy, select, setBusy, sleep, table, tag } from './dom.js'
import { countdown, definitions, errorText, eventName, exact, grove, link, newKey, offFor, parse, quoted, serverURL, stateName, statePath, time, whyNot } from './link.js'
import { diffList } from './timeline.js'

const PAUSE = 500

/** The event that was typed last and isn't stored yet: it stays while a page is built again. */
let draft

export function forgetDraft() {
  draft = undefined
}

/**
 * A form for the events that a machine takes. `present` returns the instance as the page shows it:
 * its version and state, or nothing if it doesn't exist. `reason` says why nothing may be sent.
 */
export function sendForm(to, description, present, reason) {
  const known = events(description)
  const chooser = select([...known.keys(), ['', 'other (JSON)']])
  const values = h('div.values', {})
  const json = h('textarea', { rows: '4', spellcheck: 'false', 'aria-label': 'Event as JSON' })
  const isStrict = h('input', { type: 'checkbox' })
  const verdict = h('div.verdict', {})
  const outcome = h('div', { role: 'alert' })
  const go = h('button', { type: 'submit', disabled: Boolean(reason) }, 'Send')
  // What was typed before the page was built again, with its key: it may have been sent.
  const kept = draft?.to === to && (draft.choice === '' || known.has(draft.choice)) ? draft : undefined
  // One form is one event: a double click has the same key.
  let key = kept?.key ?? newKey()
  // The version that was shown when the event was begun.
  let version = kept?.version
  let isBegun = Boolean(kept)
  let inputs = []

  const event = () => {
    if (chooser.value === '') return parse(json.value)
    const members = inputs.flatMap(input => {
      const value = input.read()
      return value === undefined ? [] : [[input.name, value]]
    })
    return members.length ? { type: chooser.value, ...Object.fromEntries(members) } : chooser.value
  }

  const choose = () => {
    const members = known.get(chooser.value)?.members ?? []
    inputs = members.map(memberInput)
    const example = known.get(chooser.value)?.example ?? {}
    for (const input of inputs) input.write(example[input.name])
    if (chooser.value === '' && !json.value) {
      json.value = JSON.stringify(inputs.length ? event() : { type: known.keys().next().value ?? '' })
    }
    fill(values, chooser.value === '' ? json : inputs.map(input => input.element))
    check()
  }

  let checking
  const check = () => {
    clearTimeout(checking)
    if (reason) fill(verdict, h('p.soft', {}, reason))
    else checking = setTimeout(() => judge(to, event, present, verdict), 300)
  }

  const keep = () => {
    draft = { to, key, version, choice: chooser.value, json: json.value,
      texts: inputs.map(({ input }) => input.value), isStrict: isStrict.checked }
  }
  const send = async expect => {
    if (isBusy(go)) return
    setBusy(go, true)
    keep()
    const sent = draft
    try {
      const reply = await grove.send(to, event(), { dedup: key, reply: 'full', expect })
      fill(outcome, h('p.good', {}, `${eventName(event())} is stored as version ${reply.v}`
        + (reply.changed ? '' : '; the state is the same') + (reply.dup ? ' (it was already).' : '.')))
      key = newKey()
      isBegun = false
      if (draft === sent) {
        forgetDraft()
        // The second click of two comes after the reply of a quick server. Another event needn't wait.
        await Promise.race([sleep(PAUSE), new Promise(done => form.addEventListener('input', done, { once: true }))])
      }
    } catch (error) {
      fill(outcome, h('p.problem', {}, errorText(error)), error.code === 'VERSION_CONFLICT'
        && button(`It has moved on to version ${error.data?.v}: send for that one`, () => {
          key = newKey()
          version = error.data?.v
          send(version)
        }), error.code === 'DEDUP_MISMATCH' && renew())
    }
    setBusy(go, false)
    refresh()
  }
  const renew = () => {
    key = newKey()
    return h('p.soft', {}, 'The event was changed after it was sent; send it again as a new one.')
  }

  const refresh = () => {
    if (!isBegun) version = present()?.v
    check()
  }

  const form = h('form', { onsubmit: submitted => {
    submitted.preventDefault()
    send(isStrict.checked ? version : undefined)
  }, oninput: check }, field('Event', chooser), values,
  h('label.check', {}, isStrict, h('span', {}, 'Only if nothing else has changed the instance')),
  verdict, h('div.row', {}, go,
    copyButton('Copy as curl', () => asCurl(to, event(), key)),
    copyButton('as grove', () => `grove send ${to} ${quoted(JSON.stringify(event()))} --dedup ${key}`),
    copyButton('as a line', () => JSON.stringify({ op: 'send', id: 1, to, event: event(), dedup: key }))), outcome)
  chooser.addEventListener('input', choose)
  // An event that was changed is another event.
  form.addEventListener('input', () => { key = newKey(); isBegun = true; keep() })
  // The first event that leads out of an active state, where that is known.
  const active = present()?.in ?? []
  const likely = description.transitions?.map(({ from, event: name }) => [statePath(from), name.split(' [')[0]])
    .find(([from, name]) => active.includes(from) && known.has(name))
  if (likely) chooser.value = likely[1]
  if (kept) {
    chooser.value = kept.choice
    json.value = kept.json
    isStrict.checked = kept.isStrict
  }
  choose()
  if (kept) inputs.forEach(({ input }, place) => { input.value = kept.texts[place] ?? '' })
  refresh()
  return { form, check: refresh }
}

function events({ takes, events: names = [], examples = {} }) {
  const list = takes?.filter(({ internal }) => !internal) ?? names.map(type => ({ type }))
  return new Map(list.map(({ type, members = [] }) => {
    const example = examples[type]?.[0]
    const found = members.length || typeof example !== 'object' ? members
      : Object.keys(example).filter(name => name !== 'type').map(name => ({ name }))
    return [type, { members: found, example: typeof example === 'object' ? example : {} }]
  }))
}

function memberInput({ name, is = '', optional }) {
  const choices = /^one of (.*)$/.exec(is)?.[1].split(/,\s*/)
  const isText = /^(a )?string\b/.test(is) || choices
  const isNumber = /\b(integer|number)\b/.test(is)
  const isFlag = /\b(boolean|true or false)\b/.test(is)
  const input = choices ? select([...optional ? [''] : [], ...choices])
    : isFlag ? select([...optional ? [''] : [], 'false', 'true'])
      : h('input', { type: isNumber ? 'number' : 'text', step: /integer/.test(is) ? '1' : 'any', autocomplete: 'off', spellcheck: 'false' })
  return {
    name, input, element: field(name, input, `${is || 'JSON, or a text'}${optional ? ', optional' : ''}`),
    read() {
      if (input.value === '' && (optional || !isText)) return undefined
      if (isText) return input.value
      if (isNumber) return exact(Number(input.value))
      try {
        return parse(input.value)
      } catch (error) {
        if (error.name === 'RangeError') throw error
        return input.value
      }
    },
    write(value) {
      if (value === undefined) return
      input.value = typeof value === 'object' || (typeof value === 'string' && !isText) ? JSON.stringify(value) : value
    },
  }
}

async function judge(to, event, present, place) {
  if (!place.isConnected) return
  const { held } = present() ?? {}
  if (held) {
    fill(place, h('p', {}, `✕ It is ${held.replace('_', ' ')}: it takes no events until it is resumed.`))
    return
  }
  let value
  try {
    value = event()
  } catch (error) {
    fill(place, h('p.soft', {}, `This is no event: ${error.message}`))
    return
  }
  try {
    const { can, state, accepts, reason } = await grove.can(to, value, { timeout: 3000 })
    announce(can ? `It would go to ${stateName(state)}` : `It would be refused: ${reason ?? ''}`)
    if (!can) {
      fill(place, h('p', {}, '✕ It would be refused: ', reason ?? 'the instance is done', '.', accepts?.length > 0
        && h('span.soft', {}, ` It accepts ${accepts.join(', ')}.`)))
      return
    }
    fill(place, h('p', {}, '✓ It would go to ', h('b', {}, stateName(state))), diffList(present()?.state, state))
  } catch (error) {
    fill(place, h('p', {}, '✕ ', errorText(error)))
  }
}

function asCurl(to, event, key) {
  // A name of dots alone would be taken for a step in the path.
  const isDots = /\/\.\.?$/.test(to)
  const url = `${serverURL('v1/instances/')}${to.split('/').map(encodeURIComponent).join('/')}/events`
  return `curl ${isDots ? '--path-as-is ' : ''}--json ${quoted(JSON.stringify(event))} -H ${quoted(`Idempotency-Key: "${key}"`)} ${quoted(url)}`
}

const KINDS = { failed: 'bad', asking: 'warn', waiting: '', completed: 'ok' }

/** A table of effects; `changed` is called after an act. */
export function effectTable(items, { hasInstance = false, changed = () => {}, empty = 'No effects.' } = {}) {
  const [hasDue, hasAttempt] = ['due', 'attempt'].map(name => items.some(item => item[name] !== undefined))
  const heads = [...hasInstance ? ['Instance'] : [], 'Effect', 'Phase', ...hasDue ? ['Due'] : [],
    ...hasAttempt ? ['Attempt'] : [], 'About', 'Actions']
  return table('Effects', heads, items.map(item => [
    ...hasInstance ? [link(item.to)] : [],
    h('span', {}, h('b', {}, item.kind), ` ${item.id ?? ''} `, h('span.soft', {}, `#${item.effect}`)),
    h('span', {}, tag(item.phase ?? 'sleeping', KINDS[item.phase] ?? ''), item.asleep && h('span.soft', {}, ' asleep')),
    ...hasDue ? [item.due && countdown(item.due)] : [], ...hasAttempt ? [item.attempt] : [], about(item), effectActs(item, changed)]), empty)
}

function about({ kind, event, name, child, reason, asked }) {
  return h('span', {}, event !== undefined && eventName(event) !== kind && [h('b', {}, eventName(event)), ' '], name && `${name} `,
    child && link(child), reason && h('span.problem', {}, reason), asked && h('span.soft', {}, ' asked ', time(asked)))
}

function effectActs(item, changed) {
  const outcome = h('span', { role: 'alert' })
  const act = work => async event => {
    const pressed = event.currentTarget
    if (isBusy(pressed)) return
    setBusy(pressed, true)
    try {
      await work()
      fill(outcome, 'done')
      changed()
    } catch (error) {
      setBusy(pressed, false)
      fill(outcome, h('span.problem', {}, errorText(error)))
    }
  }
  const off = offFor(whyNot('manage', item.to))
  const label = text => ({ 'aria-label': `${text} ${item.kind} ${item.id ?? item.effect} of ${item.to}`, ...off })
  const canRetry = ['failed', 'sleeping'].includes(item.phase) && item.kind !== 'closure' && item.kind !== 'after'
  return h('div.acts', {},
    (canRetry || item.phase === 'failed') && button('Retry', act(() => grove.retry(item.to, item.effect)), label('Retry')),
    item.phase !== 'completed' && button('Cancel', act(() => grove.cancel(item.to, { effect: item.effect })), label('Cancel')),
    item.token && answer(item, act), outcome)
}

/** The answer to a question: a form for the values of the event that it becomes, else JSON. */
function answer(item, act) {
  const subject = `${item.id ?? 'the question'} of ${item.to}`
  const why = h('input', { autocomplete: 'off', 'aria-label': `Why ${subject} has no answer` })
  const place = h('div', {})
  const details = h('details', {}, h('summary', {}, 'Answer'), place)
  details.addEventListener('toggle', async () => {
    if (!details.open || place.firstChild) return
    const takes = (await definitions().catch(() => [])).find(({ name }) => item.to.startsWith(`${name}/`))?.takes
    const inputs = takes?.find(({ type }) => type === item.then)?.members?.map(memberInput) ?? []
    const json = h('input', { value: '{}', spellcheck: 'false', autocomplete: 'off', 'aria-label': `Answer to ${subject}, as JSON` })
    const read = () => {
      if (!inputs.length) return parse(json.value)
      const values = inputs.map(input => [input.name, input.read()]).filter(([, value]) => value !== undefined)
      // The only value of an event that has no name for it is the answer itself.
      return inputs.length === 1 && inputs[0].name === 'value' ? values[0]?.[1] ?? null : Object.fromEntries(values)
    }
    fill(place, inputs.length ? h('div.values', {}, inputs.map(input => input.element)) : json,
      h('div.row', {}, button('Send', act(() => grove.complete(item.token, read())), { 'aria-label': `Send the answer to ${subject}` })),
      h('div.row', {}, why, button('No answer', act(() => grove.fail(item.token, why.value || 'no answer')))),
      h('small', {}, item.then ? `The answer becomes the event ${item.then}; ` : 'The answer becomes an event; ',
        '“No answer” fails the effect with the text as its reason.'))
  })
  return details
}
