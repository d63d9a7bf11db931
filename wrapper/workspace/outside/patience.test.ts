import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../clock.ts'
import { freePort, startGateway, type TestGateway } from '../../testing/gateway.ts'
import { makeOrigin, realClock, runGit } from '../../testing/pod.ts'
import { openWorkspace } from '../../testing/workspace.ts'
import type { Git, GitResult } from '../git.ts'
import { createOutsideGit } from './git.ts'
import { outage, patientGit, type Patience } from './patience.ts'
import { Workspace } from './workspace.ts'

const refused: GitResult = { code: 128, stdout: '', stderr: "fatal: unable to access 'x': Couldn't connect to server" }
const fine: GitResult = { code: 0, stdout: '', stderr: '' }
const remote = { cwd: '/', remote: 'http://gateway.invalid/' }

/** Time passes only by waiting. */
function waitingClock(): Clock {
  let now = 0
  return {
    now: () => now,
    setTimer: (delayMs, run) => {
      now += delayMs
      queueMicrotask(run)
      return { cancel: () => undefined }
    },
  }
}

function scripted(results: readonly GitResult[]): { git: Git; asked: () => number } {
  let asked = 0
  return { git: async () => results[Math.min(asked++, results.length - 1)]!, asked: () => asked }
}

describe('patience with a gateway that is away', () => {
  const waits: number[] = []
  let clock: Clock
  const patient = (git: Git, limitMs = 60_000): Git =>
    patientGit(git, { clock, random: () => 1, limitMs: () => limitMs, onWait: ({ waitMs }) => waits.push(waitMs) })
  beforeEach(() => {
    waits.length = 0
    clock = waitingClock()
  })

  test('waits longer each time, and gives the answer that came at last', async () => {
    const { git } = scripted([refused, refused, refused, fine])
    expect(await patient(git)(['push'], remote)).toBe(fine)
    expect(waits).toEqual([500, 1000, 2000])
  })

  test('of two pods comes back at two moments, and says once that the gateway answers', async () => {
    const answers: number[] = []
    for (const drawn of [0.25, 0.75]) {
      const { git } = scripted([refused, refused, fine, fine])
      const drawing = patientGit(git, {
        clock,
        random: () => drawn,
        limitMs: () => 60_000,
        onWait: ({ waitMs }) => waits.push(waitMs),
        onAnswer: (failures) => answers.push(failures),
      })
      await drawing(['push'], remote)
      await drawing(['push'], remote)
    }
    expect(waits).toEqual([125, 250, 375, 750])
    expect(answers).toEqual([2, 2])
  })

  test('ends with the last failure when the limit is reached, and not before (WORK-PUSH-8)', async () => {
    const { git, asked } = scripted([refused])
    expect(await patient(git)(['push'], remote)).toBe(refused)
    expect(clock.now()).toBe(60_000)
    expect(asked()).toBe(waits.length + 1)
  })

  test('waits one outage out once: the next repository is asked once, and waited for again after an answer', async () => {
    const { git, asked } = scripted([refused])
    const shared = patient(git)
    await shared(['push'], remote)
    const before = asked()
    expect(await shared(['push'], remote)).toBe(refused)
    expect(asked()).toBe(before + 1)
    const recovered = scripted([refused, fine, refused, fine])
    const again = patient(recovered.git, 1000)
    await again(['push'], remote)
    expect(await again(['push'], remote)).toBe(fine)
  })

  test('a limit that shrinks meanwhile holds at once', async () => {
    let limitMs = 60_000
    const { git, asked } = scripted([refused])
    const hurried = patientGit(git, { clock, random: () => 1, limitMs: () => limitMs, onWait: () => (limitMs = 0) })
    expect(await hurried(['push'], remote)).toBe(refused)
    expect(asked()).toBe(2)
  })

  test('what needs no remote is never repeated', async () => {
    const { git, asked } = scripted([refused])
    await patient(git)(['status'], { cwd: '/' })
    expect(asked()).toBe(1)
  })
})

describe('with real git', () => {
  let dir: string
  let git: Git
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'patience-'))
    git = createOutsideGit({
      path: process.env['PATH']!,
      home: dir,
      identity: { login: 'bot', email: 'bot@example.invalid' },
    })
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const answers: readonly [string, RequestListener, boolean][] = [
    ['a 502', (_, response) => void response.writeHead(502).end(), true],
    ['a 503', (_, response) => void response.writeHead(503).end(), true],
    ['a reset connection', (request) => void request.socket.resetAndDestroy(), true],
    ['a closed connection', (request) => void request.socket.end(), true],
    ['a 403', (_, response) => void response.writeHead(403).end('no'), false],
    ['a 404', (_, response) => void response.writeHead(404).end(), false],
    ['a 429', (_, response) => void response.writeHead(429).end(), false],
  ]
  test.each(answers)('%s is an outage or an answer', async (_what, listener, isOutage) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`
      const result = await git(['ls-remote', url], { cwd: dir, remote: url })
      expect(result.code).not.toBe(0)
      expect(outage(result) !== undefined).toBe(isOutage)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  test('nobody listening is an outage', async () => {
    const url = `http://127.0.0.1:${await freePort()}/x.git`
    expect(outage(await git(['ls-remote', url], { cwd: dir, remote: url }))).toMatch(/Failed to connect/)
  })

  test('a refusal in words of an outage is a refusal, and is asked for once', async () => {
    const origin = makeOrigin(dir)
    const clone = join(dir, 'clone')
    runGit(dir, 'clone', '--quiet', origin, clone)
    runGit(clone, 'commit', '--quiet', '--allow-empty', '-m', 'x')
    writeFileSync(
      join(origin, 'hooks', 'update'),
      '#!/bin/sh\necho "The requested URL returned error: 503" >&2\nexit 1\n',
      { mode: 0o755 },
    )
    const waits: unknown[] = []
    const patient = patientGit(git, {
      clock: waitingClock(),
      random: () => 1,
      limitMs: () => 60_000,
      onWait: (wait) => waits.push(wait),
    })
    const result = await patient(['push', '--porcelain', origin, 'HEAD:refs/heads/x'], {
      cwd: clone,
      remote: origin,
    })
    expect(result.stdout).toContain('[remote rejected]')
    expect(waits).toEqual([])
  })

  test('clone, fetch and push find a gateway that comes up late, and every line arrives (WORK-PUSH-8)', async () => {
    const origin = makeOrigin(dir)
    runGit(origin, 'config', 'http.receivepack', 'true')
    const port = await freePort()
    const token = 'token'
    let gateway: TestGateway | undefined
    const open = async (): Promise<void> => void (gateway ??= await startGateway(dir, token, port))
    const close = async (): Promise<void> => {
      await gateway?.close()
      gateway = undefined
    }
    const waits: string[] = []
    const patience: Patience = {
      clock: realClock,
      random: () => 1,
      limitMs: () => 60_000,
      onWait: ({ command }) => {
        waits.push(command)
        void open()
      },
    }
    // Any name and password in the address are enough here; a pod's git asks its wrapper.
    const url = `http://x-pod:${token}@127.0.0.1:${port}/git/lib.git`
    const fixture = openWorkspace({ dir, url, branch: 'platform/t' })
    const boot = (): ReturnType<typeof fixture.boot> =>
      fixture.boot({ wrap: { git: (own) => patientGit(own, patience), wire: (own) => own } })
    try {
      await boot()
      await close()
      const { bare, result } = await boot()
      expect(result).toBe('up_to_date')
      await close()
      writeFileSync(join(fixture.clone, 'work.txt'), 'work\n')
      // The gateway is back for the fetch of the base, and gone once more at the push.
      let cuts = 0
      const cutAtPush: Git = async (args, run) => {
        if (args[0] === 'push' && (cuts += 1) === 1) await close()
        return fixture.git(args, run)
      }
      const workspace = new Workspace({ ...fixture, patient: () => patientGit(cutAtPush, patience), bares: [bare] })
      const heads = await workspace.heads()
      expect((await workspace.pushOnly(bare.repository)).state).toBe('nothing')
      expect(await workspace.publish(heads, 'turn')).toEqual({ pushed: ['lib'], failed: [] })
      expect(waits).toEqual(['fetch', 'fetch', 'fetch', 'push'])
      expect(runGit(origin, 'show', 'platform/t:work.txt')).toBe('work')
    } finally {
      await close()
    }
  })
})
