/** What the forge requires of a head, read by a token that administers nothing. */
import { describe, expect, test } from 'vitest'
import type { CiReport, ForgeMergeRequest, RequiredChecks } from '../port.ts'
import { withForgeEdge, type EdgeFixture } from '../testing/fixture.ts'
import type { OutboundDeps, Target } from './deps.ts'
import { obstacleOf, type Obstacle } from './merge-readiness.ts'
import { mergeWhenKnown, openChange } from './testing/merges.ts'

const REPO = { owner: 'acme', repo: 'library' }
const BUILD = 'slow / build'
const byProtection = { protection: { main: { requiredChecks: [BUILD] } } }
const byRuleset = { rulesets: [{ branches: ['main'], requiredChecks: [BUILD] }] }
const permissions = { maintainer: 'admin', bot: 'write', reader: 'read' } as const

const reporter =
  (fixture: EdgeFixture, { sha }: { sha: string }) =>
  (name: string, conclusion: 'success' | 'failure'): Promise<unknown> =>
    fixture.octokit('maintainer').checks.create({ ...REPO, name, head_sha: sha, status: 'completed', conclusion })

test.each([
  ['protection of the branch', { ...byProtection, permissions }],
  ['a ruleset', { ...byRuleset, permissions }],
  ['protection, and the bot counts as an admin', byProtection],
])(
  'MERGE-4, MERGE-15: a check required by %s is awaited when it is late, and red it is no optional one',
  async (_by, repository) => {
    await withForgeEdge({ repository }, async (fixture) => {
      const change = await openChange(fixture)
      const report = reporter(fixture, change)
      await report('lint', 'success')
      const [late] = await mergeWhenKnown(fixture, change)
      expect(late?.event).toMatchObject({ type: 'mr.ciPending', reason: `not reported yet: ${BUILD}` })
      await report(BUILD, 'failure')
      const [red] = await mergeWhenKnown(fixture, change)
      expect(red?.event.type).toBe('mr.ciRed')
      expect(red?.event).not.toHaveProperty('optional')
    })
  },
)

test.each([
  ['protection', '/repos/acme/library/branches/main', 'the protection of main'],
  ['rulesets', '/repos/acme/library/rules/branches/main', 'the rulesets of main'],
])(
  'MERGE-15: a red check is no optional one where %s cannot be read; the answer names what is unread',
  async (_what, path, unread) => {
    const faults = [{ kind: 'errorBeforeWrite', method: 'GET', path, status: 403, times: 99 }] as const
    await withForgeEdge({ repository: byProtection, faults }, async (fixture) => {
      const change = await openChange(fixture)
      const report = reporter(fixture, change)
      await report(BUILD, 'success')
      await report('codecov', 'failure')
      const [red] = await mergeWhenKnown(fixture, change)
      expect(red?.event).toMatchObject({
        type: 'mr.ciRed',
        unclear: ['codecov'],
        reason: expect.stringMatching(`^codecov: failure; whether the forge requires it is unknown: ${unread} `),
      })
      expect(red?.event).not.toHaveProperty('optional')
    })
  },
)

/** Nobody may read what main requires. */
const unreadMain = [
  { kind: 'errorBeforeWrite', method: 'GET', path: '/repos/acme/library/*/branches/main', status: 403, times: 99 },
] as const

test('MERGE-15: a go-ahead leaves an unclear check aside, and the forge has the last word', async () => {
  await withForgeEdge({ repository: byRuleset, faults: unreadMain }, async (fixture) => {
    const change = await openChange(fixture)
    const report = reporter(fixture, change)
    await report(BUILD, 'failure')
    const [refused] = await mergeWhenKnown(fixture, change, { despite: [BUILD] })
    expect(refused?.event).toMatchObject({ type: 'mr.mergeRefused', reason: expect.stringContaining('is failing') })
    const other = await openChange(fixture, 'platform/other', { 'OTHER.md': 'x' })
    await reporter(fixture, other)(BUILD, 'success')
    await reporter(fixture, other)('codecov', 'failure')
    expect(await mergeWhenKnown(fixture, other, { despite: ['codecov'] })).toEqual([])
  })
})

test('MERGE-5: a check that the forge expects is pending, though nobody could read that it is required', async () => {
  await withForgeEdge({ repository: byRuleset, faults: unreadMain }, async (fixture) => {
    const change = await openChange(fixture)
    const report = reporter(fixture, change)
    await report('lint', 'success')
    expect(await mergeWhenKnown(fixture, change)).toMatchObject([
      { event: { type: 'mr.ciPending', reason: expect.stringContaining(`"${BUILD}" is expected`) } },
    ])
    await report(BUILD, 'success')
    expect(await mergeWhenKnown(fixture, change)).toEqual([])
  })
})

describe('a forge that requires the whole pipeline', () => {
  const seen = (status: CiReport['status'], required: RequiredChecks): Promise<Obstacle | undefined> => {
    const checks = status === 'none' ? [] : [{ name: 'unit', status }]
    const forge = {
      ci: async (_path: string, sha: string) => ({ sha, status, unfinished: false, checks }),
      requiredChecks: async () => required,
    }
    const target = { forge, path: 'acme/library' } as unknown as Target
    const found = { headSha: 'a'.repeat(40), baseBranch: 'main', mergeable: true, draft: false } as ForgeMergeRequest
    return obstacleOf({} as OutboundDeps, target, found)
  }
  const all = { names: [], all: true } as const

  test('MERGE-15: has no red check that is an optional one', async () => {
    expect(await seen('failure', all)).toEqual({ type: 'mr.ciRed', reason: 'unit: failure' })
    expect(await seen('failure', { names: [] })).toMatchObject({ optional: ['unit'] })
  })

  test('MERGE-4: waits where no check was reported, however long ago the head came', async () => {
    expect(await seen('none', all)).toMatchObject({ type: 'mr.ciPending' })
    expect(await seen('success', all)).toBeUndefined()
  })
})
