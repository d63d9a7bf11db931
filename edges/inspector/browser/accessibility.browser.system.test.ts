/** Whoever reads the page by ear, by key, or on a narrow screen: axe finds nothing in any view. */
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { keyTable, printed } from '../page/keys.ts'
import { issueFacts, playStory, withFixture, type Fixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

/** Each test opens a store, a platform and a page. */
vi.setConfig({ testTimeout: 180_000 })

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const
type Size = keyof typeof sizes

/** A Task that works, one that waits for people, one that ended, and a queue. */
async function withStory(use: (fixture: Fixture, task: string) => Promise<void>): Promise<void> {
  await withFixture(async (fixture) => {
    const task = await playStory(fixture)
    const limits = { maxConcurrentAgents: 4, capacity: 4, alertCapacity: 1 }
    await fixture.send('queue:default/demo', { type: 'queue.configured', ...limits })
    for (const number of [12, 13]) {
      const facts = { ...issueFacts(number), selfProposed: number === 12 }
      await fixture.send(`issue:default/lib-${number}`, { type: 'issue.observed', facts })
    }
    await use(fixture, task)
  })
}

/** One view after the other, by what a person does: `seen` is what is there once it is drawn. */
async function openViews(page: Page, fixture: Fixture, task: string, look: (view: string) => Promise<void>) {
  const isNarrow = page.viewportSize()?.width === sizes.narrow.width
  const show = async (view: string, seen: string, tab?: string): Promise<void> => {
    if (tab !== undefined && isNarrow) await page.getByRole('button', { name: tab, exact: true }).click()
    await page.locator(seen).first().waitFor()
    await look(view)
  }
  await page.goto(`${fixture.url}/inspector`)
  await show('sign-in', 'main.closed')
  await page.goto(fixture.link())
  await show('board', '.task .next')
  if (isNarrow) await page.getByRole('button', { name: 'actors', exact: true }).click()
  await page.getByText('Filters', { exact: true }).click()
  await show('list', '.actor')
  await page.goto(`${fixture.url}/inspector#actor=${task}&view=story`)
  await show('story', '.story .lane')
  if (!isNarrow) await page.getByRole('button', { name: 'show chart' }).click()
  await show('chart', '.state.active', 'chart')
  await page.locator('g.line[data-line="stage.live stage.rejected"]').press('Enter')
  await show('facts', '.card.table', 'facts')
  await show('history', '.history tbody tr', 'history')
  await page.getByRole('button', { name: 'Show step 1', exact: true }).click()
  await show('step', '.history tr.shown')
  await page.context().clearCookies()
  if (isNarrow) await page.getByRole('button', { name: 'actors', exact: true }).click()
  await page.getByRole('searchbox').fill('x')
  await show('session over', 'p.closed')
}

/** What axe finds, each with the part of the page. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`))
}

/** In the page: what is wider than its frame (a chart may be: it is moved), and lines of more than 64 em. */
const tooWide = `[...document.querySelectorAll('body, body *:not(svg *)')].filter((part) => part.checkVisibility()).flatMap((part) => {
  const { overflowX, display, fontSize } = getComputedStyle(part)
  const isOver = part.scrollWidth > part.clientWidth + 1 && overflowX !== 'hidden' && display !== 'inline' && !part.matches('.canvas, .skip')
  const text = [...part.childNodes].filter(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')
  const lines = text.flatMap((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return [...range.getClientRects()]
  })
  const seen = part.clientWidth || Infinity
  const isLong = lines.some(({ width }) => Math.min(width, seen) > 64 * parseFloat(fontSize))
  return isOver || isLong ? [part.tagName + '.' + part.className + (isLong ? ': long line' : ': too wide')] : []
})`

/** In the page: words of a time that is near, and of no moment. */
const relativeWords = `[...document.querySelectorAll('body *')]
  .filter((part) => part.closest('time[title], svg, pre, [title]') === null)
  .flatMap(({ childNodes }) => [...childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data))
  .filter((text) => /\\b(ago|in \\d+ (s|min|h|d))\\b/.test(text))`

const it = testInside(withStory)

describeRequiring('chromium', 'the inspector for everybody', () => {
  let browser: Browser
  beforeAll(async () => {
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
  })
  afterAll(() => browser.close())

  async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    await context.addInitScript({ content: axe.source })
    const page = await context.newPage()
    await use(page)
    await context.close()
  }

  const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['wide', 'narrow'] as const).map((size): [typeof colorScheme, Size] => [colorScheme, size]),
  )

  it.for(looks)('axe finds nothing in any view of a %s, %s page', async ([colorScheme, size], fixture, task) => {
    await withPage({ viewport: sizes[size], colorScheme }, async (page) => {
      const found: Record<string, readonly string[]> = {}
      await openViews(page, fixture, task, async (view) => {
        found[view] = await findingsOf(page)
        const { SHOTS: folder } = process.env
        if (folder) await page.screenshot({ path: `${folder}/${view}-${size}-${colorScheme}.png` })
      })
      expect(Object.fromEntries(Object.entries(found).filter(([, each]) => each.length > 0))).toEqual({})
      expect(Object.keys(found)).toHaveLength(9)
    })
  })

  it('`?` opens the list of all keys, Escape closes it, and a letter in the search stays a letter', async (fixture) => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      await page.goto(fixture.link())
      await page.locator('.task').first().waitFor()
      await page.keyboard.press('?')
      const list = page.getByRole('dialog', { name: 'Keys' })
      for (const { keys, does } of Object.values(keyTable).flat()) {
        const row = list.locator('dl div', { hasText: does }).filter({ hasText: printed(keys[0]) })
        await row.first().waitFor()
      }
      expect(await findingsOf(page)).toEqual([])
      await page.keyboard.press('Escape')
      await list.waitFor({ state: 'hidden' })
      await page.keyboard.press('/')
      await page.keyboard.type('?x')
      expect(await page.getByRole('searchbox').inputValue()).toBe('?x')
      expect(await list.isVisible()).toBe(false)
    })
  })

  /** What has the focus: its own words, or those of its name. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate<string>(`(document.activeElement.ariaLabel ?? document.activeElement.innerText).split('\\n')[0]`)

  /** Each stop of the tab key behind the first one, and whether it is seen there. */
  async function stopsOf(page: Page): Promise<readonly string[]> {
    await page.locator('.skip').focus()
    const stops: string[] = []
    for (let count = 0; count < 80; count += 1) {
      await page.keyboard.press('Tab')
      if (await page.evaluate<boolean>('document.activeElement === document.body')) return stops
      const isSeen = await page.evaluate<boolean>(
        `document.activeElement.closest('svg') !== null || getComputedStyle(document.activeElement).outlineStyle !== 'none'`,
      )
      expect(isSeen, `the focus on ${await focused(page)} is seen`).toBe(true)
      stops.push(
        await page.evaluate<string>(`document.activeElement.closest('[class]').getAttribute('class').split(' ')[0]`),
      )
    }
    return stops
  }

  it('list, board and history are one tab stop each; arrow keys, Home and End go among theirs', async (fixture, task) => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      await page.goto(fixture.link())
      await page.locator('.task .next').first().waitFor()
      const stops = await stopsOf(page)
      expect(stops.filter((name) => ['scroll', 'actor', 'actors'].includes(name))).toHaveLength(1)
      const ofCard = stops.filter((name) => ['task', 'where', 'next'].includes(name))
      // A card, then its own links.
      expect(ofCard).toEqual(['task', 'task', 'where', 'next'])
      const titles = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.column:has(.task)')].map((column) => column.querySelector('a').innerText)`,
      )
      await page.locator('.task a').first().focus()
      await page.keyboard.press('ArrowRight')
      expect(await focused(page)).toBe(titles[1])
      await page.keyboard.press('End')
      expect(await focused(page)).toContain('8')
      await page.keyboard.press('Home')
      expect(await focused(page)).toBe(titles[0])
      await page.locator('.scroll summary').first().focus()
      await page.keyboard.press('ArrowDown')
      expect(await focused(page)).toBe('default/demo')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('default/demo')
      await page.goto(`${fixture.url}/inspector#actor=${task}`)
      await page.getByRole('button', { name: 'Show step 3' }).focus()
      await page.keyboard.press('End')
      expect(await focused(page)).toBe('Show step 1')
      expect(page.url()).toMatch(/&seq=1$/)
      expect((await stopsOf(page)).filter((name) => name === 'shown')).toHaveLength(1)
    })
  })

  it.for(['wide', 'narrow'] as const)('the first tab stop of a %s page leads past the list', async (size, fixture) => {
    await withPage({ viewport: sizes[size] }, async (page) => {
      await page.goto(fixture.link())
      await page.locator('.task').first().waitFor()
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('Skip the list')
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.id')).toBe('view')
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('default/demo')
      expect(new URL(page.url()).hash).toBe('')
    })
  })

  const longTitle = `${'a_word_that_nobody_breaks_'.repeat(6)} and ${'many more words '.repeat(12)}`

  it('from 360 to 2560 px nothing is wider than its frame, and no line is too long to read', async (fixture, task) => {
    const facts = { ...issueFacts(14), title: longTitle }
    await fixture.send('issue:default/lib-14', { type: 'issue.observed', facts })
    const note = { pod: 1, id: 'note-2', kind: 'decision', bodyHash: 'd2', body: longTitle.repeat(4) }
    await fixture.send(task as `task:${string}`, { type: 'note.written', ...note })
    await withPage({}, async (page) => {
      await page.goto(fixture.link())
      for (const [hash, seen] of [
        ['view=board', '.home .task'],
        ['view=actors', 'main'],
        [`actor=${task}&view=story`, '.story .card'],
        ...['chart', 'facts', 'history'].map((view) => [`actor=${task}&view=${view}`, 'h2 .badge']),
      ]) {
        await page.goto(`${fixture.url}/inspector#${hash}`)
        await page.locator(seen!).first().waitFor({ state: 'attached' })
        for (const width of [360, 390, 768, 1024, 1440, 2560]) {
          await page.setViewportSize({ width, height: 900 })
          expect(await page.evaluate<readonly string[]>(tooWide), `${hash} at ${width}`).toEqual([])
        }
      }
    })
  })

  it('words for how long ago something was, or when it comes, have the moment itself on hover', async (fixture, task) => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      await page.goto(fixture.link())
      await page.locator('.task .next').first().waitFor()
      const onBoard = await page.evaluate<readonly string[]>(relativeWords)
      await page.goto(`${fixture.url}/inspector#actor=${task}&view=story`)
      await page.locator('.story .effect').first().waitFor()
      const onStory = await page.evaluate<readonly string[]>(relativeWords)
      expect([...onBoard, ...onStory]).toEqual([])
      expect(await page.locator('.actor .age time[title]').count()).toBe(await page.locator('.actor').count())
    })
  })
})
