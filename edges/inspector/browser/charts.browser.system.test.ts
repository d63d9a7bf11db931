import { readFile } from 'node:fs/promises'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { keyTable, printed, type Key } from '../page/keys.ts'
import { openFixture, playStory, type Fixture } from '../testing/fixture.ts'

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

/** In the page: of each innermost active state whether it is seen whole, and the size of the small text on the screen. */
const seenActive = `(() => {
  const frame = document.querySelector('.canvas').getBoundingClientRect()
  const active = [...document.querySelectorAll('.state.active')]
  const drawing = document.querySelector('.canvas svg')
  const seen = active.filter(({ dataset: { state } }) => !active.some((other) => other.dataset.state.startsWith(state + '.')))
    .map((part) => part.querySelector('.box').getBoundingClientRect())
    .map((box) => box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom)
  return { seen: seen.filter(Boolean).length, of: seen.length, text: 10.5 * drawing.clientWidth / drawing.viewBox.baseVal.width }
})()`

/** A file whose parts lost one colour has 0.07 at least; one that lies half a pixel beside has 0.02. */
const mostDifferent = 0.03

/** In a page: the share of the pixels of a screenshot that an image has in another colour, both at a quarter: edges of lines blur then. */
const difference = (image: string, screenshot: Buffer): string => `(async () => {
  const pictures = await Promise.all(
    ${JSON.stringify([image, `data:image/png;base64,${screenshot.toString('base64')}`])}.map(async (src) => {
      const picture = new Image()
      picture.src = src
      await picture.decode()
      return picture
    }),
  )
  const [width, height] = [pictures[1].width, pictures[1].height].map((size) => Math.round(size / 4))
  const [one, other] = pictures.map((picture) => {
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(picture, 0, 0, width, height)
    return context.getImageData(0, 0, width, height).data
  })
  const differs = (at) => [0, 1, 2].some((channel) => Math.abs(one[at + channel] - other[at + channel]) > 64)
  return Array.from({ length: width * height }, (_, index) => differs(index * 4)).filter(Boolean).length / (width * height)
})()`

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
    'a %s chart that is saved as SVG or PNG looks as it does on the page, and has nothing that one only works with',
    async (colorScheme) => {
      await withChart(task, { colorScheme }, async (page) => {
        await page.getByRole('row').filter({ hasText: 'pod.working' }).getByRole('button').click()
        await page.locator('.taken-label', { hasText: 'pod.working' }).first().waitFor()
        const saved = async (format: string): Promise<Buffer> => {
          const download = page.waitForEvent('download')
          await page.getByRole('button', { name: `Save as ${format}` }).click()
          return readFile(await (await download).path())
        }
        const [svg, png] = [await saved('SVG'), await saved('PNG')]
        expect(svg.toString()).not.toMatch(/tabindex|aria-current|role="button"|rgba\(0, 0, 0, 0\)|transparent/)
        expect(svg.toString()).toContain('>pod.working</text>')
        const shown = await page.locator('.canvas svg').screenshot()
        const other = await page.context().newPage()
        for (const [type, file] of [
          ['image/svg+xml', svg],
          ['image/png', png],
        ] as const)
          expect(
            await other.evaluate<number>(difference(`data:${type};base64,${file.toString('base64')}`, shown)),
          ).toBeLessThan(mostDifferent)
      })
    },
  )

  test('on a narrow screen the table of what is chosen takes the place of the chart, and Back leads there again', async () => {
    await withChart(task, { viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
      await page.locator('.state[data-state="stage.live.active.implementing.clocked"]').tap()
      await page.locator('.card.table', { hasText: 'model.withheld' }).waitFor({ state: 'visible' })
      await page.goBack()
      await page.locator('.canvas').waitFor({ state: 'visible' })
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

  test('a step without an event is drawn along the line of its row, one way and back, with the word `always`', async () => {
    const queue = 'queue:default/other'
    await fixture.send(queue, { type: 'queue.configured', maxConcurrentAgents: 1, capacity: 1, alertCapacity: 1 })
    await fixture.send(queue, { type: 'queue.opened' })
    await fixture.send(queue, { type: 'queue.closed', reason: 'NotReady' })
    await withChart(queue, {}, async (page) => {
      const line = page.locator('g.line.taken[data-line="readiness.notReady readiness.ready"]')
      for (const event of ['queue.closed', 'queue.opened']) {
        await page.getByRole('row').filter({ hasText: event }).getByRole('button').click()
        await line.waitFor({ state: 'attached' })
        await page.locator('.taken-label', { hasText: 'always' }).waitFor()
        expect(await page.locator('.canvas svg path').count()).toBe(
          await page.locator('.canvas g.line path, .canvas marker path').count(),
        )
      }
    })
  })

  test('the chart is one tab stop: what is active at first, then what had the focus last, also where it was folded', async () => {
    await withChart(task, {}, async (page) => {
      const stops = page.locator('.canvas [tabindex="0"], .canvas[tabindex="0"]')
      const stop = () => stops.evaluateAll((all) => all.map((each) => each.getAttribute('data-state')))
      const clocked = 'stage.live.active.implementing.clocked'
      expect(await stop()).toEqual([clocked])
      await page.getByRole('button', { name: 'Save as Mermaid' }).focus()
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe(clocked)
      await page.keyboard.press('End')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('pod')
      await state(page, 'stage.live.active.implementing').locator('.fold').click()
      expect(await stop()).toEqual(['stage.live.active.implementing'])
      await page.getByRole('button', { name: 'Open all' }).click()
      await state(page, 'pod.working.busy').focus()
      await page.getByRole('button', { name: 'Fold', exact: true }).click()
      await expect.poll(stop).toHaveLength(1)
    })
  })

  test('a line is named by its event, by where it leads from and to, and by its guard', async () => {
    await withChart(task, {}, async (page) => {
      const name = (line: string) => page.locator(`g.line[data-line="${line}"]`).getAttribute('aria-label')
      const within = 'stage.live.active.implementing'
      expect(await name(`${within}.clocked ${within}.withheld`)).toBe(
        `model.withheld from ${within}.clocked to ${within}.withheld`,
      )
      expect(await name(`${within}.fresh ${within}.clocked`)).toMatch(
        /^pod\.working from .*fresh to .*clocked, if .*\. The last step took pod\.working$/,
      )
      expect(await name('stage.live.active stage.live.parked')).toMatch(
        /^(\S+ from stage\.live\.active\S* to stage\.live\.parked\S*(, if [^;]+)?; ){2}\d+ more from stage\.live\.active to stage\.live\.parked$/,
      )
    })
  })

  test('the table of a line of a folded chart shows each event that the line stands for', async () => {
    await withChart(task, {}, async (page) => {
      const id = 'stage.live.active stage.live.parked'
      await openTable(page, `g.line[data-line="${id}"]`)
      const lines = (await page.locator(`g.line[data-line="${id}"] > title`).textContent())?.split('\n') ?? []
      const events = lines.flatMap((line) => line.split(': ')[1]?.split(', ') ?? [])
      const shown = await page.locator('.card.table li > b').allInnerTexts()
      expect(events.length).toBeGreaterThan(10)
      expect(new Set(shown)).toEqual(new Set(events))
      await page.locator(`g.line[data-line="${id}"].selected > text`).first().waitFor()
    })
  })

  const kinds = ['task', 'turn', 'pod', 'queue', 'project'] as const
  const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }

  test.each(
    kinds.flatMap((kind) => (['wide', 'narrow'] as const).map((size): [typeof kind, typeof size] => [kind, size])),
  )(
    '`Find active` leads to active states of a %s, readable, from any fold and size of a %s page',
    async (kind, size) => {
      const { address } = (await fixture.runtime.list(kind)).find(({ path }) => !path.includes('rejected'))!
      await withChart(`${address}&view=chart`, { viewport: sizes[size] }, async (page) => {
        const press =
          (name: string, times = 1) =>
          async (): Promise<void> => {
            const button = page.getByRole('button', { name, exact: true })
            if ((await button.count()) > 0) await button.click({ clickCount: times })
          }
        const away = (left: number, top: number) => () =>
          page.locator('.canvas').evaluate((canvas, to) => canvas.scrollTo(to), { left, top })
        const ways = {
          'at first': [],
          'away from it': [away(5_000, 5_000)],
          'all open': [press('Open all')],
          fitted: [press('Fit')],
          smallest: [press('Smaller', 12)],
          'largest and away': [press('Larger', 20), away(0, 0)],
          'folded, fitted': [press('Fold'), press('Fit')],
        }
        for (const [way, steps] of Object.entries(ways)) {
          for (const step of steps) await step()
          await press('Find active')()
          const found = () => page.evaluate<{ seen: number; of: number; text: number }>(seenActive)
          await expect.poll(async () => (await found()).text, { message: way }).toBeCloseTo(11, 0)
          await expect.poll(async () => (await found()).seen, { message: way }).toBeGreaterThan(0)
        }
      })
    },
  )

  /** What has the focus, by what it is known. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate<string>(
      `(({ dataset, innerText, ariaLabel }) => dataset.state ?? dataset.line ?? ariaLabel ?? innerText.split('\\n')[0])(document.activeElement)`,
    )
  const isWithin = (page: Page, selector: string): Promise<boolean> =>
    page.evaluate<boolean>(`document.activeElement.closest('${selector}') !== null`)
  const shownScale = (page: Page): Promise<number> =>
    page.evaluate<number>(
      `(({ viewBox, clientWidth }) => clientWidth / viewBox.baseVal.width)(document.querySelector('.canvas svg'))`,
    )
  const state = (page: Page, id: string) => page.locator(`.state[data-state="${id}"]`)
  const folded = 'stage.live.active.merging'
  const inner = `${folded}.settling`

  /** From one of them to another: the focus goes from the one at the place `from` to the one at the place `to`. */
  const moves = (items: string, from: number, to: number) => async (page: Page, press: () => Promise<void>) => {
    const all = page.locator(items).filter({ visible: true })
    await all.nth(from).focus()
    await press()
    expect(await all.nth(to).and(page.locator(':focus')).count()).toBe(1)
  }
  const board = async (page: Page): Promise<void> => {
    await page.goto(`${fixture.url}/inspector#view=board`)
    await page.locator('.task a').first().waitFor()
  }
  const inAll = (from: number, to: number) => async (page: Page, press: () => Promise<void>) => {
    await moves('.scroll :is(summary, button)', from, to)(page, press)
    await moves('.history tbody button', from, to)(page, press)
    await board(page)
    await moves('.columns .task', from, to)(page, press)
  }
  const toColumn = (from: number, to: number) => async (page: Page, press: () => Promise<void>) => {
    await board(page)
    const filled = page.locator('.column:has(.task)')
    await filled.nth(from).locator('.task').first().focus()
    await press()
    expect(await filled.nth(to).locator('.task').first().and(page.locator(':focus')).count()).toBe(1)
  }
  const inChart = (from: string, to: string) => async (page: Page, press: () => Promise<void>) => {
    await page.locator(`[data-state="${from}"], [data-line="${from}"]`).focus()
    await press()
    expect(await focused(page)).toBe(to)
  }
  const next = inChart('stage.live.active.merging', 'stage.live.active.merging stage.live.active.reviewing')
  const before = inChart('stage.live.active.merging stage.live.active.reviewing', 'stage.live.active.merging')
  const zooms = (isLarger: boolean) => async (page: Page, press: () => Promise<void>) => {
    const scale = await shownScale(page)
    await page.locator('.canvas').focus()
    await press()
    await expect.poll(async () => (await shownScale(page)) / scale > 1).toBe(isLarger)
    expect(await shownScale(page)).not.toBe(scale)
  }

  /** For each key of the list what it does, over a page that shows a chart. */
  const effects: Readonly<Record<string, Record<string, (page: Page, press: () => Promise<void>) => Promise<void>>>> = {
    Anywhere: {
      '?': async (page, press) => {
        await press()
        await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      },
      '/': async (page, press) => {
        await press()
        expect(await focused(page)).toBe('Find actors')
      },
      Escape: async (page, press) => {
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keys' }).waitFor()
        await press()
        await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' })
      },
      Tab: async (page, press) => {
        for (const frame of ['.scroll', '.history tbody', '.canvas']) {
          await page.locator(`${frame} [tabindex="0"]`).focus()
          await press()
          expect(await isWithin(page, frame)).toBe(false)
        }
      },
    },
    'Search field': {
      Escape: async (page, press) => {
        const field = page.getByRole('searchbox')
        await field.fill('lib-9')
        await press()
        expect([await field.inputValue(), await focused(page)]).toEqual(['', 'Find actors'])
        await expect.poll(() => page.url()).not.toContain('lib-9')
        await press()
        expect(await isWithin(page, '.scroll')).toBe(true)
      },
    },
    'List, board, history': {
      ArrowDown: inAll(0, 1),
      ArrowUp: inAll(1, 0),
      Home: inAll(1, 0),
      End: inAll(0, -1),
      Enter: async (page, press) => {
        await page.locator('.history tbody button').nth(1).focus()
        await press()
        await page.locator('.then').waitFor()
        await page.locator('.actor', { hasText: 'default/lib-9' }).first().focus()
        await press()
        await page.locator('h2', { hasText: 'default/lib-9' }).waitFor()
        await board(page)
        await page.locator('.columns .task').first().focus()
        await press()
        await page.locator('.looked-at').waitFor()
        await expect.poll(() => isWithin(page, '.looked-at')).toBe(true)
        await page.reload()
        await page.locator('.looked-at').waitFor()
        expect(await isWithin(page, '.looked-at')).toBe(false)
      },
    },
    Board: { ArrowRight: toColumn(0, 1), ArrowLeft: toColumn(1, 0) },
    Chart: {
      ArrowRight: next,
      ArrowDown: next,
      ArrowLeft: before,
      ArrowUp: before,
      Home: inChart('stage.delivered', 'stage'),
      End: inChart('stage.delivered', 'pod'),
      Enter: async (page, press) => {
        for (const id of ['stage', 'stage.delivered', folded, 'stage.live stage.rejected']) {
          await page.locator(`[data-state="${id}"], [data-line="${id}"]`).focus()
          await press()
          await page.locator('.card.table h3', { hasText: id.replace(' ', ' → ') }).waitFor()
        }
        expect(await state(page, inner).count()).toBe(0)
      },
      ' ': async (page, press) => {
        await state(page, folded).focus()
        await press()
        await state(page, inner).waitFor()
        await press()
        await state(page, inner).waitFor({ state: 'detached' })
        expect(await page.locator('.card.table').count()).toBe(0)
        await state(page, 'stage.delivered').focus()
        await press()
        await page.locator('.card.table h3', { hasText: 'stage.delivered' }).waitFor()
      },
      Escape: async (page, press) => {
        await state(page, 'stage').focus()
        await press()
        expect(await focused(page)).toBe('Chart of the task machine')
      },
      '+': zooms(true),
      '-': zooms(false),
    },
  }
  const listed = Object.entries(keyTable).flatMap(([place, rows]: [string, readonly Key[]]) =>
    rows.flatMap(({ keys, does }) => keys.map((key) => ({ place, key, name: printed(key), does }))),
  )

  test.each(listed)('$place: $name $does', async ({ place, key }) => {
    await withChart(task, {}, async (page) => {
      await page.locator('.history tbody button').nth(2).waitFor()
      await page.locator('.actor').nth(2).waitFor()
      const press = (): Promise<void> => page.keyboard.press(key)
      const effect = effects[place]?.[key]
      expect(effect).toBeDefined()
      await effect?.(page, press)
    })
  })

  test('the list has each key that this file presses', () => {
    expect(listed.map(({ place, key }) => `${place} ${key}`)).toEqual(
      Object.entries(effects).flatMap(([place, keys]) => Object.keys(keys).map((key) => `${place} ${key}`)),
    )
  })
})
