import { readFile } from 'node:fs/promises'
import { chromium, type Browser, type Page, type WebSocketRoute } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { issueFacts, playStory, withFixture, withPage, type Fixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

/** Each test opens a store, a platform and a page. */
vi.setConfig({ testTimeout: 120_000 })

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The agent of the story's Task has asked, and read what was answered: its plan waits for the approval. */
async function endTurn({ send, runtime }: Fixture, task: `task:${string}`): Promise<void> {
  const { journal } = (await runtime.read(task))!.context as { readonly journal?: { readonly eventSequence: number } }
  await send(task, { type: 'turn.accepted', pod: 1, turn: 0, eventsUpTo: journal!.eventSequence })
  await send(task, { type: 'agent.asked', pod: 1, repository: 'lib', number: 7 })
  const turn = { pod: 1, turn: 0, purpose: 'work', finalText: '', usage: {}, pushed: [], failed: [] }
  await send(task, { type: 'turn.ended', ...turn })
}

describeRequiring('chromium', 'the inspector in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
  })
  afterAll(() => browser.close())

  async function withStory(use: (fixture: Fixture, task: string) => Promise<void>): Promise<void> {
    await withFixture(async (fixture) => use(fixture, await playStory(fixture)))
  }

  /** Drawn, or named in a folded branch. */
  const isActive = (page: Page, state: string): Promise<boolean> => {
    const keys = state.split('.')
    const folded = keys.slice(1).map((_, index) => {
      const [branch, leaf] = [keys.slice(0, index + 1).join('.'), keys.slice(index + 1).join('.')]
      return `.state.active[data-state="${branch}"]:has(text.lit:text-is("${leaf}"))`
    })
    return page
      .locator([`.state.active[data-state="${state}"]`, ...folded].join(', '))
      .waitFor()
      .then(() => true)
  }

  const it = testInside(withStory)

  it('a link shows where a Task stands, why, and what would move it', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      expect(await isActive(page, 'stage.live.active.implementing.clocked')).toBe(true)
      expect(await isActive(page, 'pod.working.busy')).toBe(true)
      expect(page.url()).not.toContain('ticket')
      const facts = page.getByRole('region', { name: 'Facts' })
      expect(await facts.innerText()).toMatch(/working\s+agent[\s\S]*Moves on: the turn ends/)
      expect(await facts.innerText()).toContain('implementingBudget in 2 d 23 h')
      await page.reload()
      expect(await isActive(page, 'pod.working.busy')).toBe(true)
    })
  })

  it('a Task that waits for a maintainer says so in badge, list and first card, and is not green', async (fixture, task) => {
    await withPage(browser, { colorScheme: 'light' }, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await page.locator('h2 .badge.goes', { hasText: '► working' }).waitFor()
      await endTurn(fixture, task as `task:${string}`)
      await page.locator('h2 .badge.asks', { hasText: '? waits for approval' }).waitFor()
      expect(await page.locator('.goes .state.active, h2 .badge.goes').count()).toBe(0)
      await page.locator('.actor[aria-current] .words.asks', { hasText: 'waits for approval' }).waitFor()
      const card = page.locator('.card').first()
      expect(await card.innerText()).toMatch(/maintainer[\s\S]*The plan waits/)
      expect(await card.innerText()).toContain('/approve')
      expect(await card.getByRole('link', { name: 'lib#7' }).getAttribute('href')).toContain('/lib/issues/7')
    })
  })

  it('it opens on the board: what waits for people, for me, works, is queued and ended, and a card leads to its Task', async (fixture, task) => {
    const facts = { ...issueFacts(12), title: '<b>Leave months out</b>', selfProposed: true }
    const limits = { maxConcurrentAgents: 9, capacity: 9, alertCapacity: 1 }
    await fixture.send('issue:default/lib-12', { type: 'issue.observed', facts })
    await fixture.send('queue:default/demo', { type: 'queue.configured', ...limits })
    await withPage(browser, {}, async (page) => {
      const charts: string[] = []
      page.on('request', (request) => request.url().includes('/charts/') && charts.push(request.url()))
      await page.goto(fixture.link())
      const column = (name: RegExp) => page.locator('.column', { has: page.getByRole('heading', { name, level: 2 }) })
      const mine = column(/^Waits for/).getByRole('link', { name: '<b>Leave months out</b>' })
      await column(/^Waits for people/)
        .getByText('Leave months out')
        .waitFor()
      await column(/^Working/)
        .getByText('Parse durations with 7 units')
        .waitFor()
      await column(/^Ended/)
        .getByText('Parse durations with 8 units')
        .waitFor()
      await page.getByLabel('Waits for me').fill('mallory')
      await mine.waitFor({ state: 'detached' })
      await page.getByLabel('Waits for me').fill('maria')
      await mine.waitFor()
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      await column(/^Ended/)
        .getByText('Parse durations with 7 units')
        .waitFor()
      expect(charts).toEqual([])
      await mine.click()
      await page.locator('h2 .badge').waitFor()
      expect(page.url()).toMatch(/&view=story$/)
      await page.getByRole('link', { name: 'Statewright' }).click()
      await column(/^Waits for maria/).waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    })
  })

  it('a card of the board leads to the story of its Task: lanes, words for each bar, and the way to a step, by key (INSPECTOR-6)', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      await endTurn(fixture, task as `task:${string}`)
      await page.goto(fixture.link())
      await page.getByRole('link', { name: 'Parse durations with 7 units' }).click()
      const story = page.getByRole('region', { name: 'Story', exact: true })
      const lane = (name: string) => story.locator('.lane', { has: page.locator('.name', { hasText: name }) })
      await lane('Waits for').locator('li', { hasText: 'person: waits for approval' }).waitFor()
      await lane('Pods').locator('.bar', { hasText: 'pod 1: working' }).waitFor()
      const pods = lane('Pods').locator('summary')
      expect(await lane('Pods').locator('li').first().isVisible()).toBe(false)
      await pods.press('Enter')
      await lane('Pods').locator('li', { hasText: 'pod 1: boots' }).first().waitFor()
      expect(await story.getByRole('link', { name: 'lib#7' }).getAttribute('href')).toContain('/lib/issues/7')
      expect(await story.innerText()).toContain('Parse units one by one')
      await lane('Waits for').getByRole('link', { name: 'step 1', exact: true }).press('Enter')
      expect(await isActive(page, 'pod.starting')).toBe(true)
      expect(page.url()).toMatch(/&seq=1$/)
      await page.getByRole('button', { name: 'show story' }).click()
      expect(page.url()).toMatch(/&seq=1&view=story$/)
      await page.reload()
      await story.waitFor()
      await page.goBack()
      expect(await isActive(page, 'pod.starting')).toBe(true)
    })
  })

  it('what a stranger wrote into a plan is text in the story, and no markup', async (fixture, task) => {
    const body = '<img src=x onerror="document.title=1"><script>document.title=2</script> [x](javascript:alert(1))'
    const note = { pod: 1, id: 'note-2', kind: 'plan', bodyHash: 'p2', body }
    await fixture.send(task as `task:${string}`, { type: 'note.written', ...note })
    await withPage(browser, { viewport: { width: 390, height: 844 } }, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await page.getByRole('button', { name: 'story', exact: true }).click()
      await page.locator('.story .card pre', { hasText: '<script>document.title=2</script>' }).waitFor()
      expect(await page.locator('.story img, .story script').count()).toBe(0)
      expect(await page.title()).toBe('lib#7: Parse durations with 7 units · Statewright')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    })
  })

  it('a step that is committed while one looks moves the light, without a reload', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await isActive(page, 'stage.live.active.implementing.clocked')
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      expect(await isActive(page, 'stage.rejected')).toBe(true)
      expect(await isActive(page, 'pod.stopping')).toBe(true)
      await page.locator('.taken-label', { hasText: 'task.close' }).waitFor()
      await page.locator('.actor[aria-current]', { hasText: 'stage.rejected' }).waitFor()
      expect(await page.locator('.state.active[data-state^="stage.live"]').count()).toBe(0)
    })
  })

  it('a Task that moved while somebody looked at the board is shown as it stands now, once they come back', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await page.locator('h2 .badge.goes').waitFor()
      await page.getByRole('link', { name: 'Statewright' }).click()
      await page.locator('.column').first().waitFor()
      await page.locator('[role=status].open').waitFor()
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      const { seq } = (await fixture.runtime.read(task as `task:${string}`))!
      await page.locator('.actor', { hasText: 'stage.rejected' }).nth(1).waitFor()
      await page.goBack()
      expect(await isActive(page, 'stage.rejected')).toBe(true)
      await page.getByRole('button', { name: `Show step ${seq}`, exact: true }).waitFor()
      expect(await page.locator('h2 .badge.goes, .goes .state.active').count()).toBe(0)
    })
  })

  it('a step that is committed while the list is on its way shows in the list', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      const read = Promise.withResolvers<void>()
      const isStepped = Promise.withResolvers<void>()
      await page.route('**/inspector/api/actors?kind=task&**', async (route) => {
        const response = await route.fetch()
        read.resolve()
        await isStepped.promise
        await route.fulfill({ response })
      })
      await page.goto(`${fixture.link()}#actor=${task}`)
      await isActive(page, 'stage.live.active.implementing.clocked')
      await page.locator('[role=status].open').waitFor()
      await read.promise
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      expect(await isActive(page, 'stage.rejected')).toBe(true)
      isStepped.resolve()
      await page.locator('.actor[aria-current]', { hasText: 'stage.rejected' }).waitFor()
    })
  })

  it('a step that is committed before the line is open shows in the list and in the chart', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      const isStepped = Promise.withResolvers<void>()
      await page.routeWebSocket('**/inspector/live**', async (line) => {
        await isStepped.promise
        line.connectToServer()
      })
      await page.goto(`${fixture.link()}#actor=${task}`)
      await isActive(page, 'stage.live.active.implementing.clocked')
      await page.locator('.actor[aria-current]', { hasText: 'implementing' }).waitFor()
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      isStepped.resolve()
      expect(await isActive(page, 'stage.rejected')).toBe(true)
      await page.locator('.actor[aria-current]', { hasText: 'stage.rejected' }).waitFor()
    })
  })

  it('a row of the history shows the chart as it was then, by mouse, by key and by address', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await page.getByRole('button', { name: 'Show step 1' }).click()
      expect(await isActive(page, 'pod.starting')).toBe(true)
      expect(await page.locator('.then').innerText()).toContain('after step 1')
      expect(page.url()).toMatch(/&seq=1$/)
      await page.getByRole('button', { name: 'Show step 1', exact: true }).press('ArrowUp')
      expect(await isActive(page, 'pod.working.busy')).toBe(true)
      expect(page.url()).toMatch(/&seq=2$/)
      await page.goBack()
      expect(await isActive(page, 'pod.starting')).toBe(true)
      await page.getByRole('button', { name: 'Back to now' }).click()
      expect(await isActive(page, 'pod.working.busy')).toBe(true)
      expect(await page.locator('.then').count()).toBe(0)
    })
  })

  it('the table of a state opens by key', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await page.locator('.state[data-state="stage.live.active.implementing.clocked"]').focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await page.locator('.card.table', { hasText: 'model.withheld' }).waitFor()
      await page.getByRole('button', { name: 'Close the table of this state' }).click()
      expect(await page.locator('.card.table').count()).toBe(0)
    })
  })

  it('a chart opens readable: text of 11 px, what is active shown, branches far from it folded, which a click or a key opens', async (fixture, task) => {
    await withPage(browser, { reducedMotion: 'reduce' }, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await isActive(page, 'pod.working.busy')
      // The browser's names are none of this file's: the scripts are text.
      const size = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('.state text:not(.name)')).fontSize`,
      )
      const scale = await page.evaluate<number>(
        `(({ viewBox, clientWidth }) => clientWidth / viewBox.baseVal.width)(document.querySelector('.canvas svg'))`,
      )
      expect(Number.parseFloat(size) * scale).toBeGreaterThanOrEqual(10.99)
      const over = await page.evaluate<readonly number[]>(
        `(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
            [scrollWidth - clientWidth, scrollHeight - clientHeight])(document.querySelector('.canvas'))`,
      )
      expect(over).toEqual([0, 0])
      const merging = page.locator('.state[data-state="stage.live.active.merging"]')
      const inner = page.locator('.state[data-state="stage.live.active.merging.settling"]')
      expect(await inner.count()).toBe(0)
      expect(await merging.getAttribute('aria-expanded')).toBe('false')
      await merging.click()
      await inner.waitFor()
      await merging.focus()
      await page.keyboard.press(' ')
      await inner.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Open all' }).click()
      await inner.waitFor()
      expect(await page.locator('.state[aria-expanded=false]').count()).toBe(0)
    })
  })

  it('a chart is dragged, and Ctrl with the wheel makes it larger around the pointer', async (fixture, task) => {
    await withPage(browser, { reducedMotion: 'reduce' }, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await isActive(page, 'pod.working.busy')
      await page.getByRole('button', { name: 'Open all' }).click()
      const state = page.locator('.state[data-state="stage.live.minted"] .box')
      const place = async () => (await state.boundingBox())!
      await state.scrollIntoViewIfNeeded()
      const before = await place()
      const canvas = (await page.locator('.canvas').boundingBox())!
      await page.mouse.move(canvas.x + 300, canvas.y + 400)
      await page.mouse.down()
      await page.mouse.move(canvas.x + 300, canvas.y + 300, { steps: 4 })
      await page.mouse.up()
      expect((await place()).y).toBeCloseTo(before.y - 100, 0)
      expect(await page.locator('.card.table').count()).toBe(0)
      await page.mouse.move(canvas.x + 300, canvas.y + 300)
      await page.keyboard.down('Control')
      await page.mouse.wheel(0, -300)
      await page.keyboard.up('Control')
      await expect.poll(async () => (await place()).width).toBeGreaterThan(before.width * 1.5)
      await page.getByRole('button', { name: 'Fit' }).click()
      await expect.poll(async () => (await place()).width).toBeLessThan(before.width)
    })
  })

  it('a chart is saved as SVG, PNG and Mermaid, with what is active', async (fixture, task) => {
    await withPage(browser, { colorScheme: 'light' }, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}`)
      await isActive(page, 'pod.working.busy')
      const saved = async (format: string): Promise<Buffer> => {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: `Save as ${format}` }).click()
        return readFile(await (await download).path())
      }
      const svg = (await saved('SVG')).toString()
      expect(svg).toContain('data-state="stage.live.active.implementing.clocked"')
      expect(svg).toMatch(/^<svg[^>]* xmlns="http:..www.w3.org.2000.svg"/)
      expect(svg).toContain('fill="rgb(218, 251, 225)"')
      expect((await saved('PNG')).subarray(1, 4).toString()).toBe('PNG')
      const mermaid = (await saved('Mermaid')).toString()
      expect(mermaid).toMatch(/^stateDiagram-v2\n[\s\S]*class task_stage,.*task_pod_working_busy active\n$/)
    })
  })

  test('a new actor shows at its place in the list, though more of its kind wait behind it', async () => {
    await withFixture(async (fixture) => {
      const observe = (number: number): Promise<void> =>
        fixture.send(`issue:default/lib-${number}`, {
          type: 'issue.observed',
          facts: { ...issueFacts(number), wanted: false },
        })
      for (let number = 100; number < 125; number++) await observe(number)
      await withPage(browser, {}, async (page) => {
        await page.goto(`${fixture.link()}#view=actors`)
        await page.locator('[role=status].open').waitFor()
        await page.locator('.actor').nth(9).waitFor()
        expect(await page.locator('.actor').count()).toBe(10)
        await observe(1000)
        await page.locator('.actor .id', { hasText: /^default\/lib-1000$/ }).waitFor()
        expect((await page.locator('.actor .id').allInnerTexts())[1]).toBe('default/lib-1000')
        await observe(999)
        expect(await page.locator('.actor').count()).toBe(11)
      })
    })
  })

  it('a search leaves what matches', async (fixture) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(fixture.link())
      await page.locator('.actor').nth(5).waitFor()
      await page.getByRole('searchbox').fill('lib-9')
      await page.locator('.actor').nth(1).waitFor({ state: 'detached' })
      expect(await page.locator('.actor').innerText()).toContain('default/lib-9')
      await page.getByRole('searchbox').fill('nowhere')
      await page.locator('.actors').getByText('Nothing matches').waitFor()
      await page.getByRole('searchbox').fill('units lib-8')
      await page.locator('.actor .title').nth(1).waitFor()
      expect(await page.locator('.count').allInnerTexts()).toEqual(['1', '1'])
    })
  })

  it('filters stand in the address, so that a link shows the same list to somebody else', async (fixture) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${fixture.link()}#kind=issue&person=rosa&sort=newest`)
      await page.getByText('Filters (3)').click()
      await page.locator('.actor').nth(2).waitFor()
      expect((await page.locator('.actor .id').allInnerTexts()).toSorted().join()).toBe(
        'default/lib-7,default/lib-8,default/lib-9',
      )
      await page.getByRole('combobox', { name: 'person' }).fill('nobody')
      await page.getByText('Nothing matches kind “issue” and person “nobody”').waitFor()
      expect(new URL(page.url()).hash).toBe('#kind=issue&person=nobody&sort=newest')
      await page.getByRole('button', { name: 'Clear' }).click()
      await page.locator('.actor').nth(5).waitFor()
      expect(new URL(page.url()).hash).toBe('')
    })
  })

  it('a line that breaks is said, comes back, and nothing is missed', async (fixture, task) => {
    await withPage(browser, {}, async (page) => {
      const lines: WebSocketRoute[] = []
      let isCut = false
      await page.routeWebSocket('**/inspector/live**', (line) => {
        if (isCut) return void line.close()
        lines.push(line)
        line.connectToServer()
      })
      await page.goto(`${fixture.link()}#actor=${task}`)
      await page.locator('[role=status].open').waitFor()
      isCut = true
      await lines[0]!.close()
      await page.getByText('disconnected').waitFor()
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      expect(await page.locator('.state.active[data-state="stage.rejected"]').count()).toBe(0)
      isCut = false
      expect(await isActive(page, 'stage.rejected')).toBe(true)
      await page.locator('[role=status].open').waitFor()
    })
  })

  test('a page whose session is over says so, and how to open a new one', async () => {
    await withFixture(async (fixture) => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const lines: WebSocketRoute[] = []
      await page.routeWebSocket('**/inspector/live**', (line) => {
        lines.push(line)
        line.connectToServer()
      })
      await page.goto(fixture.link())
      await page.locator('[role=status].open').waitFor()
      await context.clearCookies()
      await lines[0]!.close()
      await page.getByText('The session is over').waitFor()
      await context.close()
    })
  })

  test('before anything lives the page says what it waits for', async () => {
    await withFixture(async (fixture) => {
      await withPage(browser, {}, async (page) => {
        await page.goto(fixture.link())
        await page.getByText('No actor lives yet').waitFor()
        await fixture.send('project:default/demo', {
          type: 'project.applied',
          generation: 1,
          maxConcurrentAgents: 1,
          capacity: 1,
          alertCapacity: 1,
        })
        await page.locator('.actor', { hasText: 'default/demo' }).first().waitFor()
      })
    })
  })

  it('on a narrow screen the chart that a link names is at its active states once its tab opens', async (fixture, task) => {
    await withPage(browser, { viewport: { width: 400, height: 800 }, reducedMotion: 'reduce' }, async (page) => {
      await fixture.send(task as `task:${string}`, { type: 'task.close', by: 'mira' })
      await page.goto(`${fixture.link()}#actor=${task}`)
      // Far below what the chart shows first.
      const active = page.locator('.state.active[data-state="stage.rejected"]')
      await active.waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'chart', exact: true }).click()
      const isInView = async (): Promise<boolean> => {
        const [frame, state] = await Promise.all([page.locator('.canvas').boundingBox(), active.boundingBox()])
        if (!frame || !state) return false
        const inside = (at: number, size: number, from: number, room: number): boolean =>
          at >= from && at + size <= from + room
        return (
          inside(state.x, state.width, frame.x, frame.width) && inside(state.y, state.height, frame.y, frame.height)
        )
      }
      await expect.poll(isInView, { timeout: 10_000 }).toBe(true)
    })
  })

  it.for(['light', 'dark'] as const)(
    'a narrow %s screen shows one part at a time, and nothing is wider than it',
    async (colorScheme, fixture, task) => {
      await withPage(browser, { viewport: { width: 400, height: 800 }, colorScheme }, async (page) => {
        await page.goto(`${fixture.link()}#actor=${task}`)
        await page.getByRole('button', { name: 'actors', exact: true }).click()
        await page
          .locator('.actor', { hasText: task.slice('task:'.length) })
          .first()
          .click()
        expect(await isActive(page, 'pod.working.busy')).toBe(true)
        for (const [tab, part] of [
          ['facts', '.facts'],
          ['story', '.story'],
          ['history', '.history'],
          ['actors', '.actors'],
          ['chart', '.chart'],
        ] as const) {
          await page.getByRole('button', { name: tab, exact: true }).click()
          await page.locator(part).waitFor({ state: 'visible' })
          expect(await page.locator('main:visible').count()).toBe(1)
          if (tab !== 'actors') expect(await page.locator('h2:visible').count()).toBe(1)
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400)
        }
      })
    },
  )
})
