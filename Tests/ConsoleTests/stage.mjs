/** What the tests of the console share: a server, a client of it, and a browser. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { Client } from '../../JavaScript/grove.js'
import { RealServer } from '../../JavaScript/tests/servers.mjs'
import { Browser, KEYS } from './webdriver.mjs'

export const sleep = time => new Promise(resolve => setTimeout(resolve, time))

const NAMES = `const nameOf = item => (item.getAttribute('aria-label') ?? item.labels?.[0]?.innerText ?? item.innerText ?? '')
    .split('\\n')[0].trim()
  const around = item => {
    const part = item.closest('tr, li, section, form, dialog')
    return (part?.closest('tr') ?? part)?.innerText ?? ''
  }`

/** Counts the presses of the tab key up to what has a name. */
const FAR = `${NAMES}
  const [name, isPattern, within, backwards] = arguments
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter(item => !item.disabled && item.checkVisibility({ visibilityProperty: true }))
  const list = backwards ? all.reverse() : all
  const isIt = item => (isPattern ? new RegExp(name).test(nameOf(item)) : nameOf(item) === name)
    && new RegExp(within).test(around(item))
  const here = list.findIndex(item => item === document.activeElement)
  const place = list.findIndex((item, place) => place > here && isIt(item))
  return place < 0 ? 1 : place - here`

export class Stage {
  /** @param {RealServer} server @param {Browser} browser */
  constructor(server, browser) {
    this.server = server
    this.browser = browser
    this.origin = `http://${server.webListen}`
    this.client = new Client(server.address, { timeout: 30_000, firstDelay: 20, delayMax: 200 })
    /** Lines of the browser's log that the present test expects. */
    this.expected = undefined
  }

  static async open(paths) {
    const server = await RealServer.start()
    const stage = new Stage(server, await Browser.open(paths))
    const chart = new URL('../../Config/machines/approval.json', import.meta.url)
    await stage.client.define(JSON.parse(await readFile(chart, 'utf8')))
    const drawing = await fetch(`${stage.origin}/v1/machines/counter/diagram.svg`)
    // A server that draws nothing answers 404, which the browser writes to its log.
    if (drawing.status === 404) stage.usual = /diagram\.svg/
    await stage.browser.look()
    return stage
  }

  async close() {
    this.client.close()
    await this.browser.close()
    await this.server.remove()
  }

  /** Runs a test; afterwards the browser's log is empty, and nothing was asked of another origin. */
  async run(work) {
    this.expected = undefined
    await this.browser.log()
    await work(this)
    await this.check()
  }

  async check(origin = this.origin) {
    const lines = await this.browser.log()
    const odd = lines.filter(line => !this.usual?.test(line) && !this.expected?.test(line))
    assert.deepEqual(odd, [], 'the log of the browser')
    const asked = await this.browser.js('return performance.getEntriesByType("resource").map(entry => entry.name)')
    assert.deepEqual(asked.filter(url => !url.startsWith(origin) && !url.startsWith(`blob:${origin}`)), [])
  }

  /** Opens a page of the console in a fresh document, and waits until it is there. */
  async go(hash = '', origin = this.origin) {
    await this.browser.open('about:blank')
    await this.browser.open(`${origin}/#/${hash}`)
    await this.until(() => this.isThere(), `page ${hash}`)
  }

  isThere() {
    return this.browser.js(`const page = document.querySelector('.page')
      return Boolean(page?.querySelector('h1')) && !/^Reading/.test(page.textContent)`)
  }

  /** The text of all elements of a selector. */
  text(css = 'main') {
    return this.browser.js(
      'return [...document.querySelectorAll(arguments[0])].map(item => item.innerText).join(" | ")', css)
  }

  count(css) {
    return this.browser.js('return document.querySelectorAll(arguments[0]).length', css)
  }

  hash() {
    return this.browser.js('return decodeURIComponent(location.hash)')
  }

  /** Waits until something is true. */
  async until(isTrue, what, time = 15_000) {
    const end = Date.now() + time
    for (;;) {
      if (await isTrue()) return
      if (Date.now() > end) {
        assert.fail(`${what}; the page has: ${(await this.text('body')).slice(0, 1500)}`)
      }
      await sleep(30)
    }
  }

  /** Waits until a text is there. */
  async see(pattern, css = 'main', time = 15_000) {
    await this.until(async () => pattern.test(await this.text(css)), `${pattern} in ${css}`, time)
  }

  /** Presses keys by their names, or types a text. */
  async press(...names) {
    for (const name of names) await this.browser.keys(KEYS[name] ?? name)
  }

  /** Goes with the tab key to what has a name; `within` is the text of a part around it. */
  async tabTo(name, { within, backwards = false } = {}) {
    const seen = []
    // How often one must press at least: all of it at once is quicker.
    const jump = await this.browser.js(FAR, typeof name === 'string' ? name : name.source, typeof name !== 'string',
      within?.source ?? '', backwards)
    for (let times = 0; times < 220; times += 1) {
      await this.browser.keys(KEYS.tab.repeat(times ? 1 : Math.max(1, jump)), { shift: backwards })
      const [label, around] = await this.browser.js(
        `${NAMES}; return [nameOf(document.activeElement), around(document.activeElement)]`)
      seen.push(label)
      const isIt = typeof name === 'string' ? label === name : name.test(label)
      if (isIt && (!within || within.test(around))) return
    }
    assert.fail(`no key leads to ${name}, only to ${[...new Set(seen)].join(', ').slice(0, 600)}`)
  }

  /** Replaces the text of the field that has the focus. */
  async type(text) {
    await this.browser.keys('a', { control: true })
    await this.browser.keys(KEYS.backspace)
    await this.browser.keys(text)
  }

  /** Chooses an option of the select that has the focus. */
  async choose(option) {
    for (let times = 0; times < 40; times += 1) {
      const names = await this.browser.js(`const item = document.activeElement
        return [...item.options].map(option => option.text).concat(String(item.selectedIndex))`)
      const now = Number(names.at(-1))
      const wanted = names.indexOf(option)
      assert.ok(wanted >= 0 && wanted < names.length - 1, `${option} is none of ${names}`)
      if (now === wanted) return
      await this.press(now < wanted ? 'down' : 'up')
    }
  }
}
