import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { ModelRequest, Move } from '../selftest/model.ts'
import { openWorld, realCli, type PodWorld } from '../testing/pod.ts'
import { describeRequiring } from '../../testing/requires.ts'

/** Nobody of this machine. */
const uid = 65_534

/** To become another user one has to be root, and that user has to be able to read this checkout. */
function canBecome(): boolean {
  if (process.getuid?.() !== 0) return false
  const look = `require('node:fs').accessSync(${JSON.stringify(realCli)}); require('node:fs').accessSync(${JSON.stringify(import.meta.filename)})`
  return spawnSync(process.execPath, ['--eval', look], { uid, gid: uid, stdio: 'ignore' }).status === 0
}

function decide(request: ModelRequest): Move {
  const last = JSON.stringify(request.body.messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '')
  if (last.includes('tool_result') || !last.includes('WRITE')) return { kind: 'say', text: 'done' }
  return { kind: 'call', tool: 'Bash', input: { command: 'cd lib && id -u > who.txt', description: 'who' } }
}

describeRequiring('claude', 'a pod that is not root', () => {
  let world: PodWorld | undefined
  afterEach(() => world?.close())

  test.skipIf(!canBecome())('runs wholly as another user than root, its agent too (WRAPPER-BOOT-18)', async () => {
    world = await openWorld({ decide, uid })
    const pod = await world.start()
    expect(await pod.turn('WRITE')).toMatchObject({ state: 'completed', pushed: ['lib'], failed: [] })
    expect(readFileSync(join(world.workspace, 'lib', 'who.txt'), 'utf8').trim()).toBe(String(uid))
    const agent = (JSON.parse(readFileSync(join(world.stateDir, 'agent.json'), 'utf8')) as { pid: number }).pid
    expect(readFileSync(`/proc/${agent}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}`, 'm'))
    expect(statSync(join(world.home, '.claude', 'settings.json')).uid).toBe(uid)
  })
})
