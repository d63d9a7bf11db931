import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { openFixture, playStory, type Fixture } from './testing/fixture.ts'

/** Ten times what the slowest takes. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']

/** In the page: words of the table that stand in two lines. */
const brokenWords = `(() => {
  const texts = document.createTreeWalker(document.querySelector('.card.table'), NodeFilter.SHOW_TEXT)
  const broken = []
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    for (const { index, 0: word } of text.data.matchAll(/\\w+/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
    }
  return broken
})()`

/** In the page: parts of the table that are wider than their frame. */
const tooWide = `[...document.querySelectorAll('.card.table, .card.table *')]
  .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
  .map(({ tagName, innerText }) => tagName + ' ' + innerText)`

/** In the page: of each word of the last step whether it is seen as a whole on its own ground, and the contrast of both. */
const litWords = `[...document.querySelectorAll('.taken-label')].map((label) => {
  const [ground, text] = label.children
  const [outer, inner] = [ground, text].map((part) => part.getBoundingClientRect())
  const onTop = [0.1, 0.5, 0.9].every((share) =>
    label.contains(document.elementFromPoint(outer.left + outer.width * share, outer.top + outer.height / 2)))
  const light = (part) => {
    const [red, green, blue] = getComputedStyle(part).fill.match(/\\d+/g).map((each) => {
      const value = each / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark, bright] = [light(ground), light(text)].toSorted((one, other) => one - other)
  return {
    text: text.textContent,
    onTop,
    isInside: inner.left >= outer.left && inner.right <= outer.right,
    isRead: (bright + 0.05) / (dark + 0.05) >= 4.5,
  }
})`

describeRequiring('chromium', 'the charts of the inspector in a browser', () => {
  let browser: Browser
  let opened: Awaited<ReturnType<typeof openFixture>>
  let fixture: Fixture
  let task: string
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
    opened = await openFixture()
    fixture = opened.fixture
    task = await playStory(fixture)
  })
  afterAll(async () => {
    await browser?.close()
    await opened?.end()
  })

  /** The chart of an actor; fails on any error that the page reports. */
  async function withChart(
    address: string,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(`${fixture.link()}#actor=${address}`)
    await page.locator('.canvas .state').first().waitFor()
    await use(page)
    await context.close()
    expect(errors).toEqual([])
  }

  async function openTable(page: Page, selector: string): Promise<void> {
    await page.locator(selector).focus()
    await page.keyboard.press('Enter')
    await page.locator('.card.table').waitFor({ state: 'attached' })
  }

  test('the table of a line shows each row that it stands for: where, event, guard and actions', async () => {
    await withChart(task, {}, async (page) => {
      await openTable(page, 'g.line[data-line="stage.live.active stage.live.parked"]')
      const table = page.locator('.card.table', { hasText: 'stage.live.active → stage.live.parked' })
      const row = table.getByRole('listitem').filter({ hasText: 'approval.refused' })
      expect((await row.innerText()).split(/\n+/)).toEqual([
        'approval.refused',
        'in',
        'implementing',
        'guard',
        'ownsIssue(event.issue)',
        'actions',
        'dropClaim, sayRefused',
        'leads to',
        'identity-unverified',
      ])
    })
  })

  test('a table breaks no word, and is as wide as its place, from 360 to 2560 px', async () => {
    await withChart(task, {}, async (page) => {
      for (const selected of [
        'g.line[data-line="stage.live.active stage.live.parked"]',
        '.state[data-state="stage.live"]',
      ]) {
        await page.setViewportSize({ width: 1440, height: 900 })
        await openTable(page, selected)
        for (const width of [2560, 1440, 1030, 390, 360]) {
          await page.setViewportSize({ width, height: 900 })
          if (width < 1020) await page.getByRole('button', { name: 'facts', exact: true }).click()
          expect(await page.evaluate<readonly string[]>(brokenWords), `${selected} at ${width}`).toEqual([])
          expect(await page.evaluate<readonly string[]>(tooWide), `${selected} at ${width}`).toEqual([])
        }
        await page.getByRole('button', { name: 'chart', exact: true }).click()
      }
    })
  })

  test.each(['light', 'dark'] as const)(
    'the event of the last step has a ground of its own above all lines, on a %s page',
    async (colorScheme) => {
      await withChart(task, { colorScheme }, async (page) => {
        await page.getByRole('row').filter({ hasText: 'pod.working' }).getByRole('button').click()
        await page.locator('.taken-label', { hasText: 'pod.working' }).first().waitFor()
        const words = await page.evaluate<readonly object[]>(litWords)
        expect(words).toContainEqual({ text: 'pod.working', onTop: true, isInside: true, isRead: true })
        expect(words.filter((word) => Object.values(word).includes(false))).toEqual([])
      })
    },
  )
})
