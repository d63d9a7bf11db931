/** Forges answer with short or empty lists for a moment: what one reading misses is doubted, and only a second one ends it (MIRROR-12). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ForgeComment, ForgePort } from '../../port.ts'
import { threadReader } from '../threads.ts'
import { withTelling } from '../facts/hands.ts'
import { mirrorRules, type MirrorRules } from '../facts/rules.ts'
import { withApprovedIssue, type ApprovedIssue } from '../testing/approved-issue.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'
const MINUTE = 60_000

const everything = (): boolean => true
const nothing = (): boolean => false

/** Which comments the lists of the forge leave out. */
class ShortLists {
  isMissing: (comment: ForgeComment) => boolean = nothing
  /** What a late answer still has. */
  late: readonly ForgeComment[] = []

  readonly before = (port: ForgePort): ForgePort => {
    const shown = (listed: readonly ForgeComment[]): readonly ForgeComment[] => [
      ...listed.filter((one) => !this.isMissing(one)),
      ...this.late,
    ]
    return {
      ...port,
      listComments: async (...asked) => shown(await port.listComments(...asked)),
      listReviews: async (...asked) => shown(await port.listReviews(...asked)),
    }
  }
}

async function withShortLists(
  use: (approved: ApprovedIssue, lists: ShortLists) => Promise<void>,
  rules: MirrorRules = mirrorRules,
): Promise<void> {
  const lists = new ShortLists()
  await withApprovedIssue({ rules, before: lists.before }, (approved) => {
    // Nobody has just written it.
    approved.fixture.clock.advance(10 * MINUTE)
    return use(approved, lists)
  })
}

async function read({ fixture, number }: ApprovedIssue): Promise<void> {
  await fixture.quiet(fixture.edge.mirror.refresh('default/demo', 'library', 'issue', number))
}

const unlisted = [expect.stringMatching(/^the forge does not list http.*issuecomment/)]

const it = testInside<[ApprovedIssue, ShortLists]>((use) => withShortLists(use))

describe('MIRROR-12: an approval that a reading misses', () => {
  it('merges nothing, is not revoked, and merges once the next reading lists it (APPROVAL-14, LAW-24)', async (approved, lists) => {
    await approved.change()
    lists.isMissing = everything
    expect(await approved.merge()).toEqual(unlisted)
    expect([approved.isGranted, approved.isMerged]).toEqual([true, false])
    lists.isMissing = nothing
    approved.fixture.clock.advance(2 * MINUTE)
    expect(await approved.merge()).toEqual([])
    expect([approved.isGranted, approved.isMerged]).toEqual([true, true])
  })
  it('is revoked by a second reading that begins a minute later, and not before (APPROVAL-7)', async (approved) => {
    await approved.change()
    approved.loseWebhooks()
    approved.delete('maintainer', approved.approval)
    expect(await approved.merge()).toEqual(unlisted)
    approved.fixture.clock.advance(MINUTE - 1)
    expect(await approved.merge()).toEqual(unlisted)
    approved.fixture.clock.advance(1)
    expect(await approved.merge()).toEqual(['approval-revoked'])
    expect([approved.isGranted, approved.isMerged]).toEqual([false, false])
  })
  it('leaves no doubt behind once it was listed: a later miss is the first one again', async (approved, lists) => {
    for (const isMissing of [everything, nothing, everything]) {
      lists.isMissing = isMissing
      await read(approved)
      approved.fixture.clock.advance(MINUTE)
    }
    expect(approved.isGranted).toBe(true)
  })
  it('and that was taken for deleted approves again when it is listed again', async (approved, lists) => {
    lists.isMissing = everything
    await read(approved)
    approved.fixture.clock.advance(MINUTE)
    await read(approved)
    expect(approved.facts.approvals).toEqual([])
    lists.isMissing = nothing
    await read(approved)
    approved.claim(approved.approval)
    expect(approved.isGranted).toBe(true)
  })
  it('and that its author deleted by his own hand stays deleted, though a late answer lists it (APPROVAL-7)', async (approved, lists) => {
    const { fixture, number, approval } = approved
    const [row] = await fixture.edge.mirror.comments('demo', 'library', 'issue', number)
    lists.isMissing = everything
    await read(approved)
    await fixture.quiet(approved.delete('maintainer', approval))
    expect(approved.facts.approvals).toEqual([])
    lists.late = [row!.comment]
    await read(approved)
    expect(approved.facts.approvals).toEqual([])
  })
  it('is cited by no claim meanwhile, and opens no protected path (APPROVAL-2)', async (approved, lists) => {
    const { fixture, number } = approved
    await approved.sayHeard('maintainer', '/allow-ci-changes')
    fixture.clock.advance(10 * MINUTE)
    const { mirror } = fixture.edge
    const reader = threadReader(mirror, fixture.directory)
    const granting = async (): Promise<readonly number[]> => [
      (await reader.comments('demo', 'library', number, 'issue')).length,
      (await mirror.maintainerCommandTimes('demo', 'library', 'issue', number, 'allow-ci-changes')).length,
    ]
    expect(await granting()).toEqual([2, 1])
    lists.isMissing = everything
    await read(approved)
    expect(await granting()).toEqual([0, 0])
    lists.isMissing = nothing
    await read(approved)
    expect(await granting()).toEqual([2, 1])
  })
})

it.for([
  ['a hold', '/hold', undefined],
  ['a doubt', 'Please hold off, legal has to look.', undefined],
  ['an approving review that withdraws', 'Good, but:\n/hold', 'APPROVE'],
] as const)(
  'MIRROR-12, LAW-24: %s withholds, however often readings miss it',
  async ([, body, event], approved, lists) => {
    const { fixture } = approved
    const { number } = await approved.change()
    if (event === undefined) fixture.forge.comment('acme', REPO, number, body)
    else await fixture.forge.review('acme', REPO, number, { event, body })
    await fixture.quiet()
    lists.isMissing = ({ author }) => author.login === 'acme'
    for (let reading = 0; reading < 3; reading++) {
      expect(await approved.merge()).toHaveLength(1)
      fixture.clock.advance(2 * MINUTE)
    }
    expect([approved.isMerged, approved.facts.takenBack]).toEqual([false, []])
  },
)

type Move = { readonly after: number; readonly does: 'list' | 'miss' | 'delete' }

const moves = fc.array(
  fc.record<Move>({
    after: fc.constantFrom(1, MINUTE / 2, MINUTE, 30 * MINUTE),
    does: fc.constantFrom('list', 'list', 'miss', 'miss', 'miss', 'delete'),
  }),
  { minLength: 2, maxLength: 6 },
)

/** It approves unless two readings a minute apart missed it, and none listed it since. */
function approvesAfter(all: readonly Move[]): boolean {
  let [now, missedAt, isThere, isDeleted] = [0, Infinity, true, false]
  for (const { after, does } of all) {
    now += after
    if (does === 'delete') isThere = false
    const isListed = isThere && does === 'list'
    missedAt = isListed ? Infinity : Math.min(missedAt, now)
    isDeleted = !isListed && (isDeleted || now - missedAt >= MINUTE)
  }
  return !isDeleted
}

async function play(approved: ApprovedIssue, lists: ShortLists, all: readonly Move[]): Promise<boolean> {
  lists.isMissing = nothing
  const id = approved.say('maintainer', '/approve')
  let isGone = false
  await read(approved)
  for (const { after, does } of all) {
    approved.fixture.clock.advance(after)
    lists.isMissing = does === 'miss' ? everything : nothing
    if (does === 'delete' && !isGone) approved.delete('maintainer', id)
    isGone ||= does === 'delete'
    await read(approved)
  }
  return approved.facts.approvals.some(({ commentId }) => commentId === String(id))
}

const missedTwice: Move[] = [
  { after: 1, does: 'miss' },
  { after: MINUTE, does: 'miss' },
]
const examples: [Move[]][] = [
  [[...missedTwice, { after: 1, does: 'list' }]],
  [[{ after: 1, does: 'miss' }, { after: MINUTE, does: 'list' }, ...missedTwice.slice(0, 1)]],
]

async function isBroken(rules: MirrorRules): Promise<boolean> {
  let isFailed = false
  await withShortLists(async (approved, lists) => {
    approved.loseWebhooks()
    const law = fc.asyncProperty(moves, async (all) => {
      expect(await play(approved, lists, all)).toBe(approvesAfter(all))
    })
    isFailed = (await fc.check(law, { numRuns: 15, seed: 20261128, endOnFailure: true, examples })).failed
  }, rules)
  return isFailed
}

test('MIRROR-12: an approval stands until two readings a minute apart miss it, and again once one lists it', async () => {
  expect(await isBroken(mirrorRules)).toBe(false)
})

test.each<[string, MirrorRules['hands']]>([
  [
    'what was taken for deleted stays so',
    (row, ...telling) => {
      const next = withTelling(row, ...telling)
      return next && row?.deletedAt !== undefined ? { ...next, deletedAt: row.deletedAt } : next
    },
  ],
  [
    'a doubt outlives a reading that lists the word',
    (row, ...telling) => {
      const next = withTelling(row, ...telling)
      return next && row?.missingSince !== undefined ? { ...next, missingSince: row.missingSince } : next
    },
  ],
])('a mirror with a planted bug breaks it: %s', async (_name, hands) => {
  expect(await isBroken({ ...mirrorRules, hands })).toBe(true)
})
