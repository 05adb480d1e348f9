/** The one connection of this tab, what all pages know about the server, and texts for people. */

import { fill, h, sleep } from './dom.js'
import { Client } from './grove.js'

const TOKEN = 'grove-token'

/** The address of a path of the server, also after a prefix of a proxy. */
export function serverURL(path) {
  return new URL(path, document.baseURI.split('#')[0]).href
}

export function storedToken() {
  return sessionStorage.getItem(TOKEN) ?? undefined
}

/**
 * A call or subscription that ends with its page waits as long as the page, through any outage. When
 * the server wants to know who asks, the event `stranger` says so, for all pages in one place: it comes
 * before the call fails.
 */
class Link extends Client {
  constructor(url, options) {
    super(url, options)
    // The end of a subscription that has begun is seen here alone.
    this.addEventListener('status', () => { if (this.status !== 'connecting') this.#look(this.problem) })
  }

  request(op, fields, options = {}) {
    return this.#watch(super.request(op, fields, patient(options)))
  }

  subscribe(options) {
    return this.#watch(super.subscribe(patient(options)))
  }

  #watch(work) {
    work.catch(error => this.#look(error))
    return work
  }

  #look(error) {
    if (error?.code === 'UNAUTHENTICATED') this.dispatchEvent(new CustomEvent('stranger', { detail: error }))
  }
}

function patient(options) {
  return options.signal && options.timeout === undefined ? { ...options, timeout: Infinity } : options
}

function open() {
  return new Link(serverURL('v1/socket'), { name: 'console', token: storedToken(), timeout: 15_000 })
}

export let grove = open()

/** Proves who the user is from now on; the page is built again. */
export function signIn(token) {
  if (token === undefined) sessionStorage.removeItem(TOKEN)
  else sessionStorage.setItem(TOKEN, token)
  grove.close()
  definitionsCache = undefined
  grove = open()
}

/** A value that a browser keeps as it was typed: it rounds large integers. */
export function exact(value) {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value
  throw new RangeError(`a browser rounds integers such as ${value}; use “grove send”`)
}

const isDeep = (value, left) => typeof value === 'object' && value !== null
  && (!left || Object.values(value).some(item => isDeep(item, left - 1)))

export function parse(text) {
  const value = JSON.parse(text, (_, part) => exact(part))
  // What a server can't read would end the connection.
  if (isDeep(value, 60)) throw new RangeError('it is nested too deeply')
  return value
}

/** A key by which the server knows a repeated request. Keys of the console begin in the same way, so
 * that a timeline shows what was done by hand. */
export const newKey = () => `console.${grove.key()}`

/**
 * Why the user can't do something with an instance, or with all of a machine; or nothing: `manage` it,
 * or `send` an event to it. It follows from the grants that the server has named; without any,
 * everything is allowed. A grant may be for some types of events only: then the act itself says so.
 */
export function whyNot(verb, to) {
  if (grove.greeting.writes === false) return 'This address only reads.'
  const { grants, principal } = grove.session
  if (!grants || grants.some(grant => includes(grant, verb, to, principal))) return undefined
  return `You have no grant of “${verb}” for this.`
}

function includes(grant, verb, to, principal) {
  const [, verbs, machine, instance] = /^(.*) ([^/ ]*)\/([^ ]*)$/.exec(grant) ?? []
  if (!verbs?.replace(/\(.*\)/, '').split(',').includes(verb)) return false
  const [name, rest] = to.split('/')
  return matches(machine, name) && (rest === undefined || matches(instance.replaceAll('{principal}', principal), rest))
}

/** Whether a text is one of a pattern with `*` and `?`. */
function matches(pattern, text) {
  const source = pattern.replace(/[^\w*?]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(text)
}

export const offFor = reason => reason ? { disabled: true, title: reason } : {}

let definitionsCache
let definitionsTime = 0

export async function definitions(signal) {
  if (!definitionsCache || Date.now() - definitionsTime > 5000) {
    definitionsCache = (await grove.request('definitions', { counts: true }, { signal })).items
    definitionsTime = Date.now()
  }
  return definitionsCache
}

export async function pollStats(signal, every, show) {
  let before
  let at = 0
  while (!signal.aborted) {
    if (!document.hidden) {
      const now = await grove.stats({ signal })
      const time = performance.now()
      show(now, before, (time - at) / 1000)
      before = now
      at = time
    }
    await sleep(every)
  }
}

/**
 * Records in groups: what has arrived within a moment, at most `max`. The next group is only asked
 * for when the page has taken the last one, so that a hidden page grants nothing.
 */
export async function* batches(subscription, max = 100) {
  const none = Symbol('none')
  let next = subscription.next()
  for (;;) {
    const batch = []
    for (let item = await next; item !== none; ) {
      if (item.done) {
        if (batch.length) yield batch
        return
      }
      batch.push(item.value)
      next = subscription.next()
      // Its failure is seen when it is awaited.
      next.catch(() => {})
      if (batch.length >= max) break
      item = await Promise.race([next, new Promise(resolve => setTimeout(resolve, 20, none))])
    }
    yield batch
  }
}

const number = new Intl.NumberFormat('en')

export function count(value) {
  return typeof value === 'number' ? number.format(value) : '–'
}

export function bytes(value) {
  if (typeof value !== 'number') return '–'
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let place = 0
  while (value >= 1024 && place < 4) {
    value /= 1024
    place += 1
  }
  return `${value < 10 && place ? value.toFixed(1) : number.format(Math.round(value))} ${units[place]}`
}

export function duration(ms) {
  const all = Math.max(0, ms)
  if (all < 1) return `${Math.round(all * 1000)} µs`
  if (all < 1000) return `${all < 10 ? all.toFixed(1) : Math.round(all)} ms`
  const seconds = Math.floor(all / 1000)
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60]
  if (days) return `${days} d ${hours} h`
  if (hours) return `${hours} h ${minutes} min`
  if (minutes) return `${minutes} min ${seconds % 60} s`
  return `${seconds} s`
}

/** A time of the server, local, with UTC as its tooltip. */
export function time(text) {
  const date = new Date(text ?? NaN)
  if (Number.isNaN(date.getTime())) return h('span', {}, '–')
  const isToday = date.toDateString() === new Date().toDateString()
  const clock = date.toLocaleTimeString([], { hour12: false })
  const shown = isToday ? clock : `${date.toLocaleDateString('sv')} ${clock}`
  return h('time', { datetime: date.toISOString(), title: `${date.toISOString()} (UTC)` }, shown)
}

/** Text that counts down to a time. */
export function countdown(text) {
  const element = h('time.countdown', { datetime: text, title: `${text} (UTC)` })
  update(element)
  return element
}

function update(element) {
  const left = new Date(element.dateTime) - Date.now()
  element.textContent = left >= 0 ? `in ${duration(left)}` : `${duration(-left)} ago`
}

setInterval(() => {
  if (!document.hidden) document.querySelectorAll('time.countdown').forEach(update)
}, 1000)

export function address(to, version) {
  const path = String(to).split('/').map(encodeURIComponent).join('/')
  return `#/${path}${version === undefined ? '' : `?v=${version}`}`
}

export function link(to, version, text = to) {
  return h('a.name', { href: address(to, version), title: to.length > 40 ? to : false }, text)
}

export function brief(value, length = 120) {
  const text = value === undefined ? '–' : JSON.stringify(value)
  return text.length > length ? text.slice(0, length) + '…' : text
}

export function eventName(event) {
  return typeof event === 'string' ? event : String(event?.type ?? 'event')
}

export function eventValues(event) {
  if (typeof event !== 'object' || event === null) return ''
  const { type, ...rest } = event
  return Object.keys(rest).length ? brief(rest, 160) : ''
}

/** What a state is called: a text, the names of a chart's value, or its member `status`. */
export function stateName(state) {
  if (typeof state === 'string') return state
  const value = state?.value ?? state?.status ?? state?.type
  if (typeof value === 'string') return value
  if (value && typeof value === 'object') return paths(value).join(', ')
  return brief(state, 60)
}

/** The name that `in` has for a state of a table of transitions, `day (parallel) / cars / red`. */
export function statePath(name) {
  const parts = name.split(' / ').map(part => part.replace(/ \(parallel\)$/, ''))
  if (parts.length > 1 && parts.at(-1) === parts.at(-2)) parts.pop()
  return parts.join('.')
}

function paths(value) {
  if (typeof value === 'string') return [value]
  return Object.entries(value ?? {}).flatMap(([name, inner]) => {
    const below = paths(inner)
    return below.length ? below.map(path => `${name}.${path}`) : [name]
  })
}

export function errorText(error) {
  return error?.code ? `${error.code}: ${error.message}` : String(error?.message ?? error)
}

/** Waits for a part of a page; where the user may not see it, its place says so. */
export async function allowed(work, place) {
  try {
    return await work
  } catch (error) {
    if (error.code !== 'FORBIDDEN') throw error
    if (place) fill(place, h('p.none', {}, errorText(error)))
    return undefined
  }
}

export function quoted(text) {
  return `'${String(text).replaceAll('\'', '\'\\\'\'')}'`
}

/** The value of a histogram below which a part of what was counted between two readings lies. */
export function percentile(now, before, name, part) {
  const bounds = Object.keys(now).filter(key => key.startsWith(`${name}.le_`))
    .map(key => Number(key.slice(name.length + 4))).sort((a, b) => a - b)
  const grown = key => (now[key] ?? 0) - (before?.[key] ?? 0)
  const total = grown(`${name}.count`)
  if (!total) return undefined
  return bounds.find(bound => grown(`${name}.le_${bound}`) >= total * part) ?? Infinity
}
