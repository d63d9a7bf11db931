import { expect, test } from 'vitest'
import { simulatedClock, type SimulatedClock } from '../../../runtime/simulated-clock.ts'
import { NotFoundError } from '../errors.ts'
import type { ForgeComment, ForgeIssue, ForgeMergeRequest, ForgePage, ForgePort } from '../port.ts'
import { projectId, type ProjectDirectory, type ProjectSettings } from '../projects.ts'
import { aProject, withSql } from '../testing/fixture.ts'
import { createHistoryBudget, type Spend } from './history-budget.ts'
import { createMirror, type Mirror } from './mirror.ts'
import { mirrorRules } from './facts/rules.ts'

const author = { login: 'maria', id: '7', bot: false }
const minute = 60_000

/** A forge with nothing new in any repository, and a past: closed issues with a comment, merged changes. It counts what the past costs. */
class Past {
  /** Requests by path. */
  readonly asked = new Map<string, number>()
  readonly read: string[] = []
  readonly comments = new Map<number, ForgeComment[]>()
  /** In no list, and nobody reads them. */
  readonly hidden = new Set<number>()
  pageSize = Infinity
  /** What changed since the mirror asked last; undefined: the forge fails. */
  changed: readonly number[] | undefined = []
  readonly #issues: readonly ForgeIssue[]
  readonly #changes: readonly ForgeMergeRequest[]

  constructor({ issues = 0, changes = 0 }: { readonly issues?: number; readonly changes?: number }) {
    const items = Array.from({ length: issues + changes }, (_, index) => subject(index + 1))
    this.#issues = items.slice(0, issues).map((one) => ({ ...one, state: 'closed', comments: 1 }))
    this.#changes = items.slice(issues).map((one) => ({ ...one, ...change, state: 'merged' }))
  }

  get total(): number {
    return [...this.asked.values()].reduce((sum, count) => sum + count, 0)
  }

  forge(): ForgePort {
    const costs = (path: string, requests: number): void =>
      void this.asked.set(path, (this.asked.get(path) ?? 0) + requests)
    const calls: Partial<ForgePort> = {
      repository: async (path) => ({ path, id: path, defaultBranch: 'main', private: false, mergeMethods: [] }),
      listIssues: async () => [],
      listMergeRequests: async () => [],
      listCommentsSince: async () => {
        if (this.changed === undefined) throw new Error('the forge is away')
        return this.changed.map((number) => comment(number, `${number}-new`))
      },
      issueHistory: async (path, from) => (costs(path, 1), this.#page(this.#issues, from)),
      mergeRequestHistory: async (path, from) => (costs(path, 1), this.#page(this.#changes, from)),
      issue: async (path, number) => {
        costs(path, 1)
        const found = this.#issues.find((one) => one.number === number && !this.hidden.has(number))
        if (found === undefined) throw new NotFoundError('read issue', `#${number}`)
        return found
      },
      listComments: async (path, on, number) => {
        costs(path, on === 'mr' ? 2 : 1)
        this.read.push(`${on} ${number}`)
        return this.comments.get(number) ?? []
      },
      listReviews: async (path) => (costs(path, 1), []),
    }
    return calls as ForgePort
  }

  /** Newest first, as forges list; what is hidden takes its place on its page. */
  #page<Item extends { readonly number: number }>(all: readonly Item[], from = '0'): ForgePage<Item> {
    const end = Number(from) + this.pageSize
    const items = all.toReversed().slice(Number(from), end)
    const shown = items.filter(({ number }) => !this.hidden.has(number))
    return { items: shown, ...(end < all.length ? { next: `${end}` } : {}) }
  }
}

function subject(number: number): Omit<ForgeIssue, 'state' | 'comments'> {
  const url = `http://forge/${number}`
  return { number, title: '', body: '', author, labels: [], url, createdAt: number, updatedAt: number }
}

const change = {
  headSha: 'sha',
  headBranch: 'fix',
  headRepository: 'acme/library',
  baseBranch: 'main',
  draft: false,
  mergeable: null,
} as unknown as ForgeMergeRequest

function comment(number: number, id: string, at = 0): ForgeComment {
  const url = `http://forge/${number}#${id}`
  return { id, sort: 'comment', on: 'issue', number, author, body: id, url, createdAt: at, updatedAt: at }
}

/** Projects of two repositories each, over one mirror: one process. */
async function withPast(
  past: Past,
  projects: number,
  use: (mirror: Mirror, clock: SimulatedClock, ids: readonly string[]) => Promise<void>,
): Promise<void> {
  await withSql(async (sql) => {
    const given = Array.from({ length: projects }, (_, index): ProjectSettings => {
      const name = `p${index}`
      const repositories = ['one', 'two'].map((one) => ({
        name: one,
        url: `http://forge/acme/${name}-${one}.git`,
        defaultBranch: 'main',
      }))
      const fixture = { forge: { apiUrl: '', url: 'http://forge', gitUrl: () => '' } } as never
      return aProject(fixture, { uid: `uid-${name}`, name, repositories })
    })
    const clock = simulatedClock(Date.UTC(2026, 10, 25))
    const directory = {
      project: async (id: string) => given.find((one) => projectId(one) === id),
    } as unknown as ProjectDirectory
    const mirror = createMirror({
      sql,
      clock,
      directory,
      openForge: async () => past.forge(),
      deliver: async ({ key }) => ({ key, applied: true, seq: 1 }),
      threadsOf: async () => [],
      rules: mirrorRules,
    })
    await use(mirror, clock, given.map(projectId))
  })
}

test('the past of all Projects costs 600 requests in half an hour together, and each repository gets some (FORGE-BUDGET-6)', async () => {
  const past = new Past({ changes: 60 })
  await withPast(past, 2, async (mirror, clock, ids) => {
    for (const id of ids) await mirror.resync(id)
    // Of each list a page, and then threads.
    expect([...past.asked.values()].filter((requests) => requests > 2)).toHaveLength(4)
    clock.advance(29 * minute)
    for (const id of ids) await mirror.resync(id)
    expect(past.total).toBeGreaterThan(500)
    expect(past.total).toBeLessThanOrEqual(600)
  })
})

test('half an hour later there are 600 requests for the past again, of which one repository gets half (FORGE-BUDGET-6)', () => {
  const clock = simulatedClock(0)
  const budget = createHistoryBudget(clock)
  const spendAll = (spend: Spend): number => {
    let spent = 0
    while (spend(1)) spent += 1
    return spent
  }
  expect(spendAll(budget.share())).toBe(300)
  const early = budget.share()
  while (spendAll(budget.share()) > 0);
  expect(early(1)).toBe(false)
  clock.advance(30 * minute)
  expect(spendAll(budget.share())).toBe(300)
})

test('a resync reads 100 threads that no Task owns, newest change first, and the next one goes on (TOOL-SCM-READ-6)', async () => {
  const past = new Past({ issues: 130 })
  await withPast(past, 1, async (mirror, clock, [id]) => {
    const numbers = (from: number, to: number): readonly string[] =>
      Array.from({ length: from - to + 1 }, (_, index) => `issue ${from - index}`)
    await mirror.resync(id!)
    expect(past.read.slice(0, 100)).toEqual(numbers(130, 31))
    const isRead = async (number: number): Promise<unknown> => (await mirror.issue(id!, 'one', number))?.complete
    expect([await isRead(31), await isRead(30)]).toEqual([true, false])
    clock.advance(30 * minute)
    past.read.length = 0
    await mirror.resync(id!)
    expect(past.read.slice(0, 30)).toEqual(numbers(30, 1))
    expect(await isRead(1)).toBe(true)
  })
})

test('what somebody wrote in a thread without a Task is here an hour later, even if the resync between fails (TOOL-SCM-READ-6)', async () => {
  const past = new Past({ issues: 1 })
  await withPast(past, 1, async (mirror, clock, [id]) => {
    await mirror.resync(id!)
    const written = comment(1, '1-new', clock.now())
    past.comments.set(1, [written])
    past.changed = undefined
    clock.advance(30 * minute)
    await expect(mirror.resync(id!)).rejects.toThrow('the forge is away')
    past.changed = [1]
    clock.advance(30 * minute)
    await mirror.resync(id!)
    expect((await mirror.comments(id!, 'one', 'issue', 1)).map((one) => one.comment.body)).toEqual(['1-new'])
  })
})

test.each([
  ['in the midst of a page', [5]],
  ['at the ends of two pages', [28, 27, 26, 25]],
  ['the newest and the oldest', [30, 1]],
  ['a whole page', [18, 17, 16]],
])(
  'what was deleted or hidden, %s, is gone here too, though no webhook told it and no Task owns it (MIRROR-11)',
  async (_where, numbers) => {
    const past = new Past({ issues: 30 })
    past.pageSize = 3
    await withPast(past, 1, async (mirror, clock, [id]) => {
      const left = async (): Promise<readonly number[]> =>
        (await mirror.issues(id!, { repository: 'one', limit: 100 }))
          .filter(({ notes }) => notes.deleted !== true)
          .map(({ number }) => number)
      await mirror.resync(id!)
      expect(await left()).toHaveLength(30)
      for (const number of numbers) past.hidden.add(number)
      // Ten pages are one walk.
      clock.advance(30 * minute)
      await mirror.resync(id!)
      expect((await left()).filter((number) => past.hidden.has(number))).toEqual([])
      expect(await left()).toHaveLength(30 - numbers.length)
    })
  },
)

test('a walk of many pages goes on where the last run ended', async () => {
  const past = new Past({ issues: 90 })
  past.pageSize = 3
  await withPast(past, 1, async (mirror, clock, [id]) => {
    for (let run = 0; run < 4; run++) {
      await mirror.resync(id!)
      clock.advance(30 * minute)
    }
    for (const number of [64, 60, 30, 2]) past.hidden.add(number)
    for (let run = 0; run < 4; run++) {
      await mirror.resync(id!)
      clock.advance(30 * minute)
    }
    const gone = (await mirror.issues(id!, { repository: 'one', limit: 100 })).filter(
      ({ notes }) => notes.deleted === true,
    )
    expect(gone.map(({ number }) => number).toSorted((one, other) => other - one)).toEqual([64, 60, 30, 2])
  })
})
