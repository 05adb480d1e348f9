/** Texts for people: numbers, times, names, addresses. */

import { fill, h } from './dom.js'

const number = new Intl.NumberFormat('en')

/** A number with separators, or a dash. */
export function count(value) {
  return typeof value === 'number' ? number.format(value) : '–'
}

/** Bytes with a unit of 1,024. */
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

/** A time in milliseconds as one or two units. */
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

/** Text that counts down to a time; `tick` updates all of them. */
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

/** The address of a machine, an instance, or an instance at a version. */
export function address(to, version) {
  const path = String(to).split('/').map(encodeURIComponent).join('/')
  return `#/${path}${version === undefined ? '' : `?v=${version}`}`
}

/** A link to a machine or an instance. */
export function link(to, version, text = to) {
  return h('a.name', { href: address(to, version), title: to.length > 40 ? to : false }, text)
}

/** JSON on one line, cut after some characters. */
export function brief(value, length = 120) {
  const text = value === undefined ? '–' : JSON.stringify(value)
  return text.length > length ? text.slice(0, length) + '…' : text
}

/** The name of an event. */
export function eventName(event) {
  return typeof event === 'string' ? event : String(event?.type ?? 'event')
}

/** The members of an event besides its name. */
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

/** What an error means, for people. */
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

/** A text in single quotes of a shell. */
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
