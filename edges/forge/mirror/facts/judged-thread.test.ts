import { describe, expect, test } from 'vitest'
import type { ForgeAccount, ForgeComment } from '../../port.ts'
import { aProject } from '../../testing/fixture.ts'
import { withTelling } from './hands.ts'
import { judgedThread } from './judged-thread.ts'
import { peopleOf } from './people.ts'
import type { MirroredComment } from './records.ts'

const written = 1_800_000_000_000
const later = written + 60_000

const account = (login: string, bot = false): ForgeAccount => ({ login, id: `id-${login}`, bot })

/** Who may write to the repository, and where the forge names nobody. */
const ranks = {
  'the author, a maintainer': account('mike'),
  'the owner, who maintains': account('olga'),
  'another maintainer': account('mona'),
  'a collaborator': account('carl'),
  'a reporter': account('rita'),
  'a stranger': account('sam'),
  'the bot': account('bot', true),
  'nobody known': undefined,
} as const
type Rank = keyof typeof ranks

const given = aProject({
  forge: { apiUrl: 'http://forge', url: 'http://forge', gitUrl: () => 'http://forge' },
} as never)
const scm = { ...given.scm, maintainerLogins: ['mike', 'olga', 'mona', 'bot'], reporterLogins: ['rita'] }
const people = peopleOf({ ...given, scm }, given.repositories[0]!, new Map())

type Act = readonly [before: string, after: string | 'deleted']

function done([before, after]: Act, by: ForgeAccount | undefined, author: ForgeAccount): MirroredComment {
  const place = { id: '7', sort: 'comment', on: 'issue', number: 1, url: '', author } as const
  const first: ForgeComment = { ...place, body: before, createdAt: written, updatedAt: written }
  const row = withTelling(undefined, first, { action: 'created', by: author, news: true }, written)!
  const isDeleted = after === 'deleted'
  const next = isDeleted ? first : { ...first, body: after, updatedAt: later }
  const unnamed = isDeleted ? 'deleted' : 'read'
  const named = isDeleted ? 'deleted' : 'edited'
  const hint = by === undefined ? { action: unnamed, news: false } : { action: named, by, news: false }
  return withTelling(row, next, hint as never, later) ?? row
}

function comesTo(row: MirroredComment): string {
  const { approvals, withdrawnBy, takenBack, unclear } = judgedThread([row], people)
  const said = [
    approvals.length > 0 && 'approves',
    withdrawnBy !== undefined && 'withdraws',
    takenBack.length > 0 && 'takes back',
    unclear.length > 0 && 'is asked',
  ]
  return said.filter((one) => one !== false).join(', ') || 'says nothing'
}

const nothing = 'says nothing'

/** What a maintainer's comment comes to: by its author, by other named hands, by nobody known. */
const acts: readonly (readonly [Act, own: string, others: string, unknown: string])[] = [
  [['hm', '/approve'], 'approves, takes back', nothing, 'is asked'],
  [['/approve', 'hm'], 'takes back', nothing, nothing],
  [['/approve', '/approve, thanks'], 'approves, takes back', nothing, 'is asked'],
  [['/approve', 'deleted'], 'takes back', nothing, nothing],
  [['hm', '/hold'], 'withdraws', nothing, 'withdraws'],
  [['/approve', '/hold'], 'withdraws', nothing, 'withdraws'],
  [['/hold', 'hm'], 'takes back', 'withdraws', 'withdraws, is asked'],
  [['/hold', '/hold (typo)'], 'withdraws', 'withdraws', 'withdraws, is asked'],
  [['/hold', '/approve'], 'approves, takes back', 'withdraws', 'withdraws, is asked'],
  [['/hold', 'deleted'], 'takes back', 'withdraws', 'withdraws'],
]

function expected(rank: Rank, [, own, others, unknown]: (typeof acts)[number]): string {
  if (rank === 'nobody known') return unknown
  return rank === 'the author, a maintainer' ? own : others
}

describe.each(Object.keys(ranks) as Rank[])('%s makes of a maintainer’s comment', (rank) => {
  test.each(acts.map((row) => [...row[0], expected(rank, row), row[0]] as const))(
    '"%s" "%s": it %s',
    (_before, _after, comes, act) => {
      expect(comesTo(done(act, ranks[rank], ranks['the author, a maintainer']))).toBe(comes)
    },
  )
})

describe.each(['a collaborator', 'a reporter', 'a stranger', 'the bot'] as const)(
  'a comment of %s comes to nothing',
  (author) => {
    test.each(Object.keys(ranks) as Rank[])('whatever %s makes of it', (rank) => {
      for (const [act] of acts) expect(comesTo(done(act, ranks[rank], ranks[author]!))).toBe(nothing)
    })
  },
)
