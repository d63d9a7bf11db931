import { expect } from 'vitest'
import type { ThreadKey, ThreadQuery } from '../../../ports/threads.ts'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'
import type { MirroredComment, MirroredIssue } from '../facts/records.ts'
import { upsertSubject } from '../store/subjects.ts'
import { upsertComment } from '../store/comments.ts'
import { gatedThreadReader, threadReader } from '../threads.ts'
import { testInside } from '../../../../testing/inside.ts'

/** Issues 1 to `count`; two share each time of change, and every 700th has the label. */
async function fill({ sql, edge }: EdgeFixture, count: number): Promise<void> {
  const place = await edge.mirror.repositoryKey('demo', 'library')
  await sql.tx(async (tx) => {
    for (let number = 1; number <= count; number++) {
      const labels = number % 700 === 0 ? ['rare'] : []
      const author = { login: 'maintainer', id: '2', bot: false }
      const updatedAt = Math.floor(number / 2) * 1000
      const issue = { number, title: `Issue ${number}`, body: '', state: 'open', author, labels, updatedAt }
      await upsertSubject(tx, {
        ...place,
        kind: 'issue',
        number,
        issue: issue as unknown as MirroredIssue['issue'],
        notes: { editedByOther: false, unwantedByMaintainer: false },
        complete: true,
        updatedAt,
        seenAt: 0,
        factsHash: '',
        revision: 0,
      })
    }
  })
}

async function numbersOf({ edge, directory }: EdgeFixture, query: ThreadQuery): Promise<readonly number[]> {
  const reader = threadReader(edge.mirror, directory)
  const found: number[] = []
  let after: ThreadKey | undefined
  do {
    const page = await reader.issues('default/demo', 'library', { ...query, ...(after && { after }) })
    expect(page.items.length).toBeLessThanOrEqual(query.limit!)
    found.push(...page.items.map(({ number }) => number))
    after = page.next
  } while (after !== undefined)
  return found
}

const it = testInside(withForgeEdge, {})

it('a list beyond a thousand is read to its end, page by page, each once, newest change first (TOOL-SCM-READ-21)', async (fixture) => {
  await fill(fixture, 1234)
  const all = await numbersOf(fixture, { limit: 500 })
  expect(all).toHaveLength(1234)
  expect(new Set(all).size).toBe(1234)
  expect(all.slice(0, 3)).toEqual([1234, 1232, 1233])
  expect(await numbersOf(fixture, { limit: 500, since: 616_000 })).toEqual([1234, 1232, 1233])
})

it('a label that few carry is found behind a thousand that do not (TOOL-SCM-READ-13)', async (fixture) => {
  await fill(fixture, 1500)
  expect(await numbersOf(fixture, { limit: 1, labels: ['rare'] })).toEqual([1400, 700])
})

it('of an issue that its forge shows nobody any more no agent reads a word, in no list and by no number', async (fixture) => {
  const { sql, edge, directory } = fixture
  await fill(fixture, 2)
  const place = await edge.mirror.repositoryKey('demo', 'library')
  for (const number of [1, 2])
    await sql.tx((tx) =>
      upsertComment(tx, place, {
        comment: {
          ...{ id: `c${number}`, on: 'issue', number, sort: 'comment', body: 'A word.', createdAt: 0, updatedAt: 0 },
          author: { login: 'maintainer', id: '2', bot: false },
        },
        bodyHash: '',
        notified: true,
        heard: true,
      } as unknown as MirroredComment),
    )
  const gone = (await edge.mirror.issue('default/demo', 'library', 2))!
  await sql.tx((tx) => upsertSubject(tx, { ...gone, notes: { ...gone.notes, deleted: true } }))

  const reader = gatedThreadReader(edge.mirror, directory)
  const { items } = await reader.issues('default/demo', 'library', {})
  expect(items.map(({ number }) => number)).toEqual([1])
  expect((await reader.issue('default/demo', 'library', 2))?.title).toBe('')
  const words = async (number: number): Promise<number> =>
    (await reader.comments('default/demo', 'library', number, 'issue')).length
  expect([await words(1), await words(2)]).toEqual([1, 0])
})
