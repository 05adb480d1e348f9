/** Elements, made without markup: texts of strangers never become elements. */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * Makes an element: `h('a.big', {href: '#/'}, 'text', child)`. A property that is a function is a
 * listener, `undefined`, `null` and `false` leave one out; children that are none are left out too.
 */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split('.')
  const element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  set(element, properties)
  fill(element, ...children)
  return element
}

export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

function set(element, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(key.replace(/^on/, ''), value)
    else if (key === 'value' || key === 'checked') element[key] = value
    else element.setAttribute(key, value === true ? '' : String(value))
  }
}

// Characters that aren't seen, or turn the text around them: of controls only tabs and ends of lines stay.
const UNSEEN = /[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g
const seen = text => text.replace(UNSEEN, mark => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)

/** Replaces the children; the focus stays on what has the same name, else in the part around it. */
export function fill(element, ...children) {
  const list = children.flat(9).filter(child => child !== undefined && child !== null && child !== false)
    .map(child => typeof child === 'string' ? seen(child) : child)
  const focused = element.contains(document.activeElement) && document.activeElement
  element.replaceChildren(...list)
  if (focused && !focused.isConnected) {
    const same = [...element.querySelectorAll(focused.localName)].find(item => nameOf(item) === nameOf(focused) && !item.disabled)
    const next = same ?? element.closest('[tabindex]')
    next?.focus({ preventScroll: true })
  }
  return element
}

const nameOf = item => item.ariaLabel ?? item.textContent

/** Whether a button's work is under way. Disabled, the button would lose the focus. */
export const isBusy = item => item.getAttribute('aria-disabled') === 'true'
export const setBusy = (item, value) => item.setAttribute('aria-disabled', value)

export function button(text, onclick, properties = {}) {
  return h('button', { type: 'button', onclick, ...properties }, text)
}

export function section(title, ...children) {
  const id = `h-${title.toLowerCase().replace(/\W+/g, '-')}`
  return h('section.card', { 'aria-labelledby': id }, h('h2', { id }, title), ...children)
}

export function field(label, input, hint) {
  return h('label.field', {}, h('span', {}, label), input, hint && h('small', {}, hint))
}

/** A select with options: texts, or pairs of a value and its text. */
export function select(options, properties = {}) {
  const { value, ...rest } = properties
  return h('select', rest, options.map(option => {
    const [key, text] = Array.isArray(option) ? option : [option, option]
    return h('option', { value: key, selected: key === value }, text)
  }))
}

/** A table with a header row; `rows` are arrays of cells. */
export function table(caption, heads, rows, empty = 'None.') {
  if (!rows.length) return h('p.none', {}, empty)
  return h('div.scroll', { tabindex: '0', role: 'group', 'aria-label': caption }, h('table', {},
    h('caption.unseen', {}, caption),
    h('thead', {}, h('tr', {}, heads.map(head => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, rows.map(cells => h('tr', {}, cells.map((cell, place) =>
      h('td', { 'data-head': heads[place] }, h('div', {}, cell))))))))
}

/** A short word in a frame; `kind` is ok, warn, bad or nothing. */
export function tag(text, kind = '') {
  const mark = { ok: '● ', warn: '▲ ', bad: '✕ ', done: '■ ' }[kind] ?? ''
  return h(`span.tag${kind ? '.' + kind : ''}`, {}, mark && h('span', { 'aria-hidden': 'true' }, mark), text)
}

let lastAnnouncement = 0
let announcement

/** Says something to screen readers, at most once in five seconds. */
export function announce(text) {
  clearTimeout(announcement)
  const wait = Math.max(50, lastAnnouncement + 5000 - Date.now())
  announcement = setTimeout(() => {
    lastAnnouncement = Date.now()
    document.getElementById('announcer').textContent = text
  }, wait)
}

export function sleep(time, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, time)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    }, { once: true })
  })
}

export async function painted() {
  while (document.hidden) {
    await new Promise(resolve => document.addEventListener('visibilitychange', resolve, { once: true }))
  }
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
}

export function download(name, ...parts) {
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }))
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function copyButton(label, text, about) {
  const item = button(label, async () => {
    const value = typeof text === 'function' ? text() : text
    try {
      await navigator.clipboard.writeText(value)
      item.textContent = 'Copied'
    } catch {
      item.textContent = 'Not allowed'
    }
    setTimeout(() => { item.textContent = label }, 1500)
  }, { class: 'quiet', 'aria-label': about && `${label} ${about}` })
  return item
}

/** Asks before something that can't be undone: the name must be typed. Returns the reason or true. */
export function confirmByName({ title, text, name, action, hasReason }) {
  return new Promise(resolve => {
    const typed = h('input', { autocomplete: 'off', spellcheck: 'false', required: true })
    const reason = h('input', { maxlength: '1000' })
    const go = h('button.danger', { type: 'submit', disabled: true }, action)
    typed.addEventListener('input', () => { go.disabled = typed.value !== name })
    const leave = () => end(undefined)
    const end = value => {
      removeEventListener('hashchange', leave)
      dialog.close()
      dialog.remove()
      resolve(value)
    }
    const dialog = h('dialog', { 'aria-label': title, oncancel: leave },
      h('form', { onsubmit: event => { event.preventDefault(); end(hasReason ? { reason: reason.value } : {}) } },
        h('h2', {}, title), h('p', {}, text),
        hasReason && field('Reason, kept in the journal', reason),
        field(`Type ${name} to confirm`, typed),
        h('div.row', {}, go, button('Keep it', leave))))
    addEventListener('hashchange', leave)
    document.body.append(dialog)
    dialog.showModal()
    typed.focus()
  })
}
