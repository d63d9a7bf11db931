import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { childrenOf, familyOf, findByVariable, identify, isAlive, signal } from './processes.ts'
import { withChild } from './testing/fixture.ts'

const tree = ['/bin/sh', '-c', 'sleep 300 & sleep 300 & wait']
const lonely = ['sleep', '300']

test('a process is known by its pid and start time, and alive until it ends (DEPLOYMENT-7)', async () => {
  await withChild(lonely, async ({ identity, process: child, ended }) => {
    expect(identity.pid).toBe(child.pid)
    expect(identity.startTime).toMatch(/^\d+$/)
    expect(isAlive(identity)).toBe(true)
    child.kill('SIGKILL')
    await ended
    expect(identify(identity.pid)).toBeUndefined()
    expect(isAlive(identity)).toBe(false)
  })
})

test('another process under the same pid is not the one that was recorded, and gets no signal', async () => {
  await withChild(lonely, async ({ identity }) => {
    const earlier = { pid: identity.pid, startTime: String(Number(identity.startTime) - 1) }
    expect(isAlive(earlier)).toBe(false)
    expect(signal(earlier, 'SIGKILL')).toBe(false)
    expect(isAlive(identity)).toBe(true)
  })
})

test('a zombie counts as gone', async () => {
  // The shell becomes a program that never waits for the child that it had.
  await withChild(['/bin/sh', '-c', 'sleep 0 & exec sleep 300'], async ({ identity: { pid } }) => {
    const zombie = await vi.waitFor(() => zombieChildOf(pid), { timeout: 5_000 })
    expect(identify(zombie)).toBeUndefined()
    expect(childrenOf({ pid, startTime: '' })).toEqual([])
  })
})

function zombieChildOf(pid: number): number {
  const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
  if (!readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z ')) throw new Error('no zombie yet')
  return child
}

test('a command whose name holds brackets and spaces is read like any other', async () => {
  await withChild(['/bin/sh', '-c', 'printf ") R 1 (" > /proc/self/comm; sleep 300 & wait'], async ({ identity }) => {
    await vi.waitFor(() => expect(childrenOf(identity)).toHaveLength(1), { timeout: 5_000 })
    expect(isAlive(identity)).toBe(true)
  })
})

test('a family is the process and all that descend from it, children first', async () => {
  await withChild(['/bin/sh', '-c', '(sleep 300 & sleep 300 & wait) & wait'], async ({ identity }) => {
    await vi.waitFor(() => expect(familyOf(identity).length).toBeGreaterThanOrEqual(4), { timeout: 5_000 })
    const family = familyOf(identity)
    expect(family.at(-1)).toEqual(identity)
    expect(family.map(({ pid }) => pid)).toContain(childrenOf(identity)[0]?.pid)
    expect(family.length).toBeGreaterThan(childrenOf(identity).length + 1)
  })
})

test('a process is found by the variable it was started with, and the oldest that has it is told', async () => {
  const value = `/nowhere/${process.pid}/state`
  await withChild(
    tree,
    async ({ identity }) => {
      await vi.waitFor(() => expect(childrenOf(identity)).toHaveLength(2), { timeout: 5_000 })
      expect(findByVariable('STATE_DIR', value)).toEqual(identity)
      expect(findByVariable('STATE_DIR', `${value}/other`)).toBeUndefined()
      expect(findByVariable('STATE_DIR', value.slice(0, -1))).toBeUndefined()
    },
    { env: { STATE_DIR: value } },
  )
  await vi.waitFor(() => expect(findByVariable('STATE_DIR', value)).toBeUndefined(), { timeout: 5_000 })
})

test('a signal to a living process arrives, one to a process that ended is told as such', async () => {
  await withChild(lonely, async ({ identity, ended }) => {
    expect(signal(identity, 'SIGTERM')).toBe(true)
    await ended
    expect(signal(identity, 'SIGTERM')).toBe(false)
  })
})
