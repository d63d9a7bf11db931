import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childrenOf } from './boot/orphan.ts'
import { openWorld, type Pod, type PodWorld } from './testing/pod.ts'

const otherVersion = [process.execPath, join(import.meta.dirname, 'testing', 'run-other-version.ts')]

describe('a wrapper of contract version 5 under an orchestrator of 4', () => {
  let world: PodWorld
  let pod: Pod
  beforeAll(async () => {
    world = await openWorld({ decide: () => ({ kind: 'say', text: 'never' }), cli: ['false'], program: otherVersion })
    // Settings of the other release that this one would refuse.
    pod = await world.start({ TURN_TIMEOUT_SECONDS: '30m', PLATFORM_TASK: '' })
  }, 60_000)
  afterAll(() => world.close())

  it('serves its own version at /v1/session, to its orchestrator alone (WRAPPER-BOOT-19)', async () => {
    const { status, text } = await pod.call('GET', '/v1/session')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ contractVersion: 5, state: 'stopping', turnsCompleted: 0 })
    expect((await fetch(`${pod.url}/v1/session`)).status).toBe(401)
    expect((await fetch(`${pod.url}/readyz`)).status).toBe(200)
    expect(pod.log()).toContain('the orchestrator has another contract version')
  })

  it('starts no agent, no tools’ server and no clone, takes no turn, and leaves no secret file (WRAPPER-BOOT-19, TOOL-VERSION-3)', async () => {
    expect((await pod.call('POST', '/v1/messages', { text: 'begin' })).status).toBe(404)
    expect(childrenOf(pod.process.pid!)).toEqual([])
    expect(readdirSync(world.dir).filter((name) => /^(?:model-key|callback-secret)-/.test(name))).toEqual([])
    expect(existsSync(world.workspace)).toBe(false)
    expect(world.model.requests).toEqual([])
  })

  it('ends when its session is deleted (WRAPPER-BOOT-19)', async () => {
    expect((await pod.call('DELETE', '/v1/session')).status).toBe(202)
    expect(await pod.exit).toBe(0)
  })
})

it('ends on a signal while it serves another version (WRAPPER-BOOT-19)', async () => {
  const world = await openWorld({ decide: () => ({ kind: 'say', text: '' }), cli: ['false'], program: otherVersion })
  try {
    const pod = await world.start()
    pod.process.kill('SIGTERM')
    expect(await pod.exit).toBe(0)
  } finally {
    await world.close()
  }
}, 60_000)
