/** Board, list and filters, by mouse and by key, in Chromium. */
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Page,
  type Request,
  type WebSocketRoute,
} from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Board } from '../../../machines/why/board.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { issueFacts, openFixture, playStory, withPage, type Fixture } from '../testing/fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

describeRequiring('chromium', 'board and list in a browser', () => {
  let browser: Browser
  let fixture: Fixture
  let end: () => Promise<void>

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
    ;({ fixture, end } = await openFixture())
    await playStory(fixture)
    // One more Project, with a Task that waits for people.
    const facts = { ...issueFacts(3), project: 'default/other', repository: 'Handbook', author: 'Otto' }
    await fixture.send('issue:default/handbook-3', { type: 'issue.observed', facts: { ...facts, wanted: false } })
  })
  afterAll(async () => {
    await end()
    await browser.close()
  })

  const withBoard = (hash: string, use: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) =>
    withPage(browser, options, async (page) => {
      await page.goto(`${fixture.link()}${hash}`)
      await use(page)
    })

  const rows = (page: Page) => page.locator('.actors .actor')

  test('a filter offers what there is in the words of the page, with how many, by mouse and by key; the address keeps the value', async () => {
    await withBoard('', async (page) => {
      const asked: string[] = []
      page.on('request', (request) => request.url().includes('/api/choices') && asked.push(request.url()))
      await page.getByText('Filters', { exact: true }).click()
      await page.locator('select[name=project]').selectOption({ label: 'default/demo (7)' })
      await rows(page).filter({ hasText: 'handbook' }).waitFor({ state: 'detached' })
      await page.locator('select[name=reason]').selectOption({ label: 'the agent works on a turn (1)' })
      expect(new URL(page.url()).hash).toBe('#project=default/demo&reason=pod.working.busy')
      await expect.poll(() => rows(page).count(), { timeout: 20_000 }).toBe(1)
      await page.getByRole('button', { name: 'Clear' }).click()
      await page.locator('select[name=state]').focus()
      await page.keyboard.type('task: implementing')
      await page.keyboard.press('Enter')
      await expect.poll(() => new URL(page.url()).hash).toBe('#kind=task&state=stage.live.active.implementing')
      await expect.poll(() => rows(page).count(), { timeout: 20_000 }).toBe(1)
      await page.getByRole('searchbox').pressSequentially('parse')
      expect(asked).toHaveLength(1)
    })
  })

  test('a filter offers what there is now, each time the filters open and after a line that missed something', async () => {
    await withBoard('', async (page) => {
      // No reading of the page that is open already counts.
      await page.goto('about:blank')
      let count = 0
      await page.route('**/inspector/api/choices?*', (route) => {
        const value = `default/reading-${++count}`
        return route.fulfill({ json: { items: [{ filter: 'project', kind: 'task', value, text: value, count: 1 }] } })
      })
      const lines: WebSocketRoute[] = []
      await page.routeWebSocket('**/inspector/live**', (line) => {
        lines.push(line)
        line.connectToServer()
      })
      await page.goto(`${fixture.url}/inspector#sort=newest`)
      await page.locator('[role=status].open').waitFor()
      const offered = (reading: number) =>
        page.locator('select[name=project] option', { hasText: `reading-${reading}` }).waitFor({ state: 'attached' })
      const summary = page.getByText('Filters (1)')
      await offered(1)
      await summary.click()
      await offered(2)
      await summary.click()
      await summary.click()
      await offered(3)
      lines[0]!.send(JSON.stringify({ feed: 'another', missed: true, now: Date.now() }))
      await offered(4)
      expect(count).toBe(4)
    })
  })

  test('a value of the address is chosen in any case, and one that is not there is named', async () => {
    await withBoard('#project=DEFAULT/Other&person=OTTO', async (page) => {
      await rows(page).first().waitFor()
      expect(await rows(page).allInnerTexts()).toEqual([expect.stringContaining('handbook-3')])
      await page.getByText('Filters (2)').click()
      const chosen = () => page.locator('select[name=project] option:checked').innerText()
      await expect.poll(chosen).toBe('default/other (1)')
      await page.goto(`${fixture.url}/inspector#project=default/gone`)
      await expect.poll(chosen).toBe('default/gone')
    })
  })

  test('filters that match nothing say which one to drop, and a click drops it', async () => {
    await withBoard('#project=default/other&person=otto&repository=lib', async (page) => {
      await page.getByText('Nothing matches project “default/other” and repository “lib” and person “otto”.').waitFor()
      const drops = page.locator('.actors .empty button')
      await expect.poll(() => drops.allInnerTexts(), { timeout: 20_000 }).toEqual(['Drop repository “lib”'])
      await drops.click()
      await expect
        .poll(() => rows(page).allInnerTexts(), { timeout: 20_000 })
        .toEqual([expect.stringContaining('handbook-3')])
      expect(new URL(page.url()).hash).toBe('#project=default/other&person=otto')
    })
  })

  test('an empty list asks what each filter left out one reading after another, of the kinds that have such words, and stops with the next key', async () => {
    await withBoard('', async (page) => {
      const asked: string[] = []
      const one = /\/api\/actors\?(.*&)?limit=1(&|$)/
      let [open, most] = [0, 0]
      page.on('request', (request) => {
        if (!one.test(request.url())) return
        asked.push(new URL(request.url()).searchParams.get('kind') ?? '')
        most = Math.max(most, ++open)
      })
      const end = (request: Request): void => void (one.test(request.url()) && --open)
      page.on('requestfinished', end)
      page.on('requestfailed', end)
      const answered = Promise.withResolvers<void>()
      await page.route(one, async (route) => {
        await answered.promise
        await route.continue()
      })
      const nothing = page.locator('.actors').getByText('Nothing matches')
      const dropped = page.waitForEvent('requestfailed')
      await page.goto(`${fixture.url}/inspector#project=default/other&person=otto&repository=lib`)
      await nothing.waitFor()
      await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(1)
      await page.getByRole('searchbox').fill('handbook')
      expect((await dropped).url()).toContain('limit=1')
      answered.resolve()
      await page.getByRole('searchbox').fill('')
      asked.length = 0
      const drops = page.locator('.actors .empty button')
      await expect.poll(() => drops.allInnerTexts(), { timeout: 20_000 }).toEqual(['Drop repository “lib”'])
      await expect.poll(() => [...new Set(asked)].toSorted(), { timeout: 20_000 }).toEqual(['issue', 'pod', 'task'])
      expect(most).toBe(1)
    })
  })

  test('the board has the filters of list and search, says so, and one click shows all', async () => {
    await withBoard('#q=units+lib%238', async (page) => {
      const titles = () => page.locator('.task h3').allInnerTexts()
      const only = page.getByText('Only what matches the search “units lib#8”.')
      await only.waitFor()
      await expect.poll(titles).toEqual(['Parse durations with 8 units'])
      await page.getByRole('searchbox').fill('')
      await only.waitFor({ state: 'detached' })
      await expect.poll(async () => (await titles()).length, { timeout: 20_000 }).toBe(3)
      await page.getByText('Filters', { exact: true }).click()
      await page.locator('select[name=project]').selectOption({ label: 'default/other (1)' })
      await page.getByText('Only what matches project “default/other”.').waitFor()
      await expect.poll(titles, { timeout: 20_000 }).toEqual([])
      expect(await page.locator('.column .empty').allInnerTexts()).toEqual(Array(4).fill('Nothing matches.'))
      await page.getByRole('button', { name: 'Show all' }).click()
      await expect.poll(async () => (await titles()).length, { timeout: 20_000 }).toBe(3)
      expect(new URL(page.url()).hash).toBe('')
      await expect.poll(() => rows(page).count(), { timeout: 20_000 }).toBeGreaterThan(7)
    })
  })

  test('arrow keys go from card to card of the board, which is one stop; Tab goes on to the links of a card, Enter opens its story', async () => {
    await withBoard('', async (page) => {
      const focused = (): Promise<string> =>
        page.evaluate<string>(
          `document.activeElement.className + ': ' + document.activeElement.innerText.split('\\n')[0]`,
        )
      await page.locator('.task').nth(2).waitFor()
      const titles = await page.locator('.column .task:first-of-type h3').allInnerTexts()
      expect(await page.locator('.task[tabindex="0"], .task a:not([tabindex="-1"])').count()).toBe(3)
      await page.locator('.task').first().focus()
      await page.keyboard.press('ArrowRight')
      expect(await focused()).toBe(`task: ${titles[1]}`)
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(`: ${titles[1]}`)
      await page.keyboard.press('Tab')
      expect(await focused()).toMatch(/^: lib#/)
      await page.keyboard.press('ArrowLeft')
      expect(await focused()).toBe(`task: ${titles[0]}`)
      await page.keyboard.press('End')
      expect(await focused()).toBe(`task: ${titles.at(-1)}`)
      await page.keyboard.press('Enter')
      await page.locator('.story h3', { hasText: titles.at(-1) ?? '' }).waitFor()
    })
  })

  test('inline code of a forge is code on card and row, and what else a stranger wrote stays text', async () => {
    const title = 'Say `<b>no</b>` to ``a`b``, <img src=x onerror=document.title=1> and one ` alone'
    const facts = { ...issueFacts(31), title }
    await fixture.send('issue:default/lib-31', { type: 'issue.observed', facts })
    await withBoard('', async (page) => {
      const row = rows(page).filter({ hasText: 'default/lib-31' }).locator('.title')
      const card = page.locator('.task h3', { hasText: 'one ` alone' })
      for (const part of [row, card]) {
        await part.waitFor()
        expect(await part.locator('code').allInnerTexts()).toEqual(['<b>no</b>', 'a`b'])
        expect(await part.innerText()).toBe(
          'Say <b>no</b> to a`b, <img src=x onerror=document.title=1> and one ` alone',
        )
      }
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.title()).toBe('Statewright inspector')
    })
  })

  test('a card of a scripted model says that nothing is spent, and one of a model what its turns used', async () => {
    await withBoard('', async (page) => {
      let isScripted = true
      await page.route('**/api/board*', async (route) => {
        const response = await route.fetch()
        const board = (await response.json()) as Board
        const cards = board.working.cards.map((card) => ({ ...card, turns: 3, tokens: 1_234_567 }))
        await route.fulfill({ response, json: { ...board, isScripted, working: { cards, more: 0 } } })
      })
      const cost = page.locator('.task .cost').first()
      await page.reload()
      await cost.filter({ hasText: '3 turns; no model is asked, and nothing is spent' }).waitFor()
      isScripted = false
      await page.reload()
      await cost.filter({ hasText: '3 turns, 1,234,567 tokens so far' }).waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    })
  })

  test('what an address names and the page does not take is said, and an answer that refuses is shown in its own words', async () => {
    await withBoard(`#q=${'x'.repeat(3000)}&seq=abc&project=default/other`, async (page) => {
      const note = page.locator('.note')
      await note.filter({ hasText: 'q of 3,000 characters and seq “abc”' }).waitFor()
      await expect
        .poll(() => rows(page).allInnerTexts(), { timeout: 20_000 })
        .toEqual([expect.stringContaining('handbook-3')])
      await page.getByRole('button', { name: 'Show all' }).click()
      await note.waitFor({ state: 'detached' })
      const problem = { status: 400, title: 'Invalid input', detail: '/rests: must be less', code: 'invalid-input' }
      // A status of 400 alone is an error in the console of the browser.
      await page.evaluate(
        `ownFetch = fetch; fetch = () => Promise.resolve(new Response('${JSON.stringify(problem)}', { status: 400 }))`,
      )
      await page.getByRole('searchbox').fill('units')
      await note.filter({ hasText: 'The server refuses what is asked for: /rests: must be less.' }).waitFor()
      await page.locator('.actors').getByText('Nothing was read.').waitFor()
      expect(await page.getByText('disconnected').count()).toBe(0)
      await page.evaluate('fetch = ownFetch')
      await page.getByRole('searchbox').fill('lib-9')
      await note.waitFor({ state: 'detached' })
      await rows(page).filter({ hasText: 'lib-9' }).first().waitFor()
    })
  })

  test('a board without a Task says the next three commands: of a Project, or of its first issue', async () => {
    await withBoard('', async (page) => {
      const nothing = { cards: [], more: 0 }
      const board = {
        now: Date.now(),
        withheld: null,
        waiting: nothing,
        working: nothing,
        queued: nothing,
        ended: nothing,
      }
      const project = { project: 'default/demo', fault: null, hold: '', slots: 2, used: 0, budgets: [] }
      const shown = async (projects: readonly object[]): Promise<readonly string[]> => {
        await page.route('**/inspector/api/board*', (route) => route.fulfill({ json: { ...board, projects } }))
        await page.reload()
        await page.locator('.first').waitFor()
        return page.locator('.first :is(h2, code)').allInnerTexts()
      }
      expect(await shown([])).toEqual([
        'There is no Project yet',
        'statewright apply -f project.yaml',
        'statewright get projects',
        'statewright waiting',
      ])
      expect(await shown([project])).toEqual([
        'No Task today, and none waits',
        'statewright get projects',
        'statewright get repositories',
        'statewright waiting',
      ])
    })
  })

  test('a long title ends with a sign after three lines on card and row, and is whole where the pointer rests', async () => {
    const title = `${'Parse durations of many units '.repeat(6)}to the end`
    await fixture.send('issue:default/lib-41', { type: 'issue.observed', facts: { ...issueFacts(41), title } })
    await withBoard('', async (page) => {
      const row = rows(page).filter({ hasText: 'default/lib-41' })
      const card = page.locator('.task h3 a', { hasText: 'to the end' })
      await card.waitFor()
      for (const part of [row.locator('.title'), card]) {
        const hidden = await part.evaluate((element) => element.scrollHeight - element.clientHeight)
        expect(hidden).toBeGreaterThan(0)
      }
      for (const part of [row, card]) expect(await part.getAttribute('title')).toContain(title)
    })
  })

  test('a board of a reading that is some seconds old says of when it is, and a new one does not', async () => {
    await withBoard('', async (page) => {
      const aged = page.locator('.home').getByText(/^As it was 1 min( \d+ s)? ago\.$/)
      await page.locator('.task').first().waitFor()
      expect(await aged.count()).toBe(0)
      await page.clock.install()
      await page.reload()
      await page.locator('.task').first().waitFor()
      // Nobody waits for the next reading, which is due in a while.
      await page.route('**/api/board*', () => {})
      await page.clock.runFor(20_000)
      expect(await page.locator('.home').getByText('As it was').count()).toBe(0)
      await page.clock.resume()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.route('**/api/board*', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...((await response.json()) as Board), now: Date.now() - 60_000 } })
      })
      await page.reload()
      await aged.waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    })
  })

  test('a reading of before a step, which pages share, is asked for again, so that the step shows without another one', async () => {
    await withBoard('', async (page) => {
      const said: string[] = []
      await page.route('**/api/board*', async (route) => {
        const response = await route.fetch()
        said.push(await response.text())
        await route.fulfill({ response, body: (said.length <= 3 ? said[0] : said.at(-1)) ?? '' })
      })
      await page.reload()
      await page.locator('.task').first().waitFor()
      const facts = { ...issueFacts(12), title: 'Leave months out', selfProposed: true }
      await fixture.send('issue:default/lib-12', { type: 'issue.observed', facts })
      // Without a step the board is read each half minute.
      await page.locator('.task', { hasText: 'Leave months out' }).waitFor({ timeout: 20_000 })
      await page.unrouteAll({ behavior: 'wait' })
    })
  })
})
