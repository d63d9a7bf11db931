import { describe, expect, it } from 'vitest'
import type { CiCheck, CiReport, ForgeMergeRequest } from '../forge/port.ts'
import { testClock, type TestClock } from '../http/testing.ts'
import { createCiReads } from './ci-reads.ts'
import type { ForgeAccess } from './forge-access.ts'
import { aForge } from './testing.ts'

interface Room {
  readonly clock: TestClock
  readonly fetched: string[]
  mergeable: boolean | null
  checks: readonly CiCheck[]
  status: CiReport['status']
  failing: boolean
  read(number?: number, path?: string): Promise<Record<string, unknown>>
}

function aRoom(): Room {
  const clock = testClock(Date.UTC(2026, 10, 21, 12))
  const ci = createCiReads(clock)
  const room: Room = {
    clock,
    fetched: [],
    mergeable: true,
    checks: [],
    status: 'success',
    failing: false,
    read: async (number = 7, path = 'acme/lib') => (await ci(access(room, path), number)) as Record<string, unknown>,
  }
  return room
}

function access(room: Room, path: string): ForgeAccess {
  const forge = aForge({
    mergeRequest: async (_path, number) => {
      room.fetched.push(`${path}#${number}`)
      if (room.failing) throw new Error('away')
      return { number, headSha: 'sha-1', baseBranch: 'main', mergeable: room.mergeable } as ForgeMergeRequest
    },
    requiredChecks: async () => ['test'],
    ci: async (_path, sha) => ({ sha, status: room.status, checks: room.checks }),
  })
  return { forge, path, project: { name: 'demo' }, repository: { name: 'lib', url: '' } } as unknown as ForgeAccess
}

describe('scm_read of ci', () => {
  it('asks the forge once in 20 seconds for each merge request, and says which answers are kept ones', async () => {
    const room = aRoom()
    const [first, meanwhile] = await Promise.all([room.read(), room.read()])
    expect([first['cached'], meanwhile['cached'], room.fetched.length]).toEqual([false, true, 1])
    room.clock.advance(19_999)
    room.status = 'failure'
    expect(await room.read()).toMatchObject({ cached: true, status: 'success', fetchedAt: '2026-11-21T12:00:00.000Z' })
    room.clock.advance(1)
    expect(await room.read()).toMatchObject({ cached: false, status: 'failure', fetchedAt: '2026-11-21T12:00:20.000Z' })
    await room.read(8)
    await room.read(7, 'acme/app')
    expect(room.fetched).toEqual(['acme/lib#7', 'acme/lib#7', 'acme/lib#8', 'acme/app#7'])
  })

  it('keeps no failure: the next call asks again', async () => {
    const room = aRoom()
    room.failing = true
    await expect(room.read()).rejects.toThrow('away')
    room.failing = false
    expect(await room.read()).toMatchObject({ cached: false, headSha: 'sha-1' })
  })

  it.each<[boolean | null, CiReport['status'], boolean]>([
    [true, 'success', true],
    [true, 'none', true],
    [true, 'pending', true],
    [true, 'failure', false],
    [false, 'success', false],
    [null, 'success', false],
  ])('mergeable is no conflicts and not red: conflicts %s, %s', async (mergeable, status, expected) => {
    const room = aRoom()
    room.mergeable = mergeable
    room.status = status
    expect(await room.read()).toMatchObject({ mergeable: expected, status })
  })

  it.each<[string | undefined, CiCheck['status'], boolean]>([
    ['failure', 'failure', true],
    ['timed_out', 'failure', true],
    ['cancelled', 'cancelled', true],
    ['success', 'success', false],
    ['neutral', 'success', false],
    ['action_required', 'pending', false],
    [undefined, 'failure', true],
    [undefined, 'pending', false],
  ])('a check that concluded %s (%s) shows its log: %s', async (conclusion, status, shown) => {
    const room = aRoom()
    room.checks = [{ name: 'test', status, summary: 'the log', ...(conclusion === undefined ? {} : { conclusion }) }]
    const [check] = (await room.read())['checks'] as Record<string, unknown>[]
    expect([check?.['required'], check?.['logTail']]).toEqual([true, shown ? 'the log' : undefined])
  })

  it('shows the last 4000 bytes of the log, begun at a whole character', async () => {
    const room = aRoom()
    room.checks = [{ name: 'lint', status: 'failure', summary: `${'€'.repeat(2000)}` }]
    const [check] = (await room.read())['checks'] as { logTail: string; required: boolean }[]
    expect([check?.logTail, check?.required]).toEqual(['€'.repeat(1333), false])
  })
})
