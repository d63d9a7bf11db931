import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../clock.ts'
import { makeOrigin, runGit } from '../../testing/pod.ts'
import { rememberingLogger } from '../../testing/quiet-log.ts'
import { openWorkspace } from '../../testing/workspace.ts'
import { startSafetyPush } from './safety-push.ts'
import { Workspace } from './workspace.ts'

const branch = 'platform/task-1'

/** Rings when told to, and says when the round that it began has set the next alarm. */
class HandClock implements Clock {
  readonly delays: number[] = []
  #alarm: (() => void) | undefined
  #armed: () => void = () => undefined

  now(): number {
    return 0
  }

  setTimer(delayMs: number, run: () => void): { cancel(): void } {
    this.delays.push(delayMs)
    this.#alarm = run
    this.#armed()
    return { cancel: () => (this.#alarm = undefined) }
  }

  get isArmed(): boolean {
    return this.#alarm !== undefined
  }

  async ring(): Promise<void> {
    const run = this.#alarm!
    const armed = new Promise<void>((resolve) => (this.#armed = resolve))
    this.#alarm = undefined
    run()
    await armed
  }
}

describe('the push in the middle of a turn', () => {
  let dir: string
  let origin: string
  let clone: string
  let workspace: Workspace
  let clock: HandClock
  let results: string[]
  let lines: readonly string[]
  let turnRuns: boolean
  let net: { stop(): void }

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'safety-'))
    origin = makeOrigin(dir)
    const fixture = openWorkspace({ dir, url: origin, branch })
    clone = fixture.clone
    const { bare } = await fixture.boot()
    workspace = new Workspace({ ...fixture, patient: () => fixture.git, bares: [bare] })
    clock = new HandClock()
    results = []
    turnRuns = true
    net = open(120_000)
  })
  afterEach(() => {
    net.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  function open(intervalMs: number): { stop(): void } {
    const { logger, lines: logged } = rememberingLogger()
    lines = logged
    return startSafetyPush({
      workspace,
      clock,
      logger,
      intervalMs,
      mayPush: () => turnRuns,
      onResult: (result) => results.push(result),
    })
  }
  const write = (name: string): void => writeFileSync(join(clone, name), name)
  const commit = (): void => {
    runGit(clone, 'add', '-A')
    runGit(clone, 'commit', '-qm', 'work')
  }
  const onOrigin = (name: string): boolean => {
    const files = runGit(origin, 'for-each-ref', '--format=%(refname)', `refs/heads/${branch}`)
    return files !== '' && runGit(origin, 'ls-tree', '--name-only', branch).split('\n').includes(name)
  }

  test('pushes what is committed every interval, and neither adds nor commits (WORK-PUSH-1, WORK-PUSH-2)', async () => {
    write('committed.txt')
    commit()
    write('open.txt')
    await clock.ring()
    expect(clock.delays).toEqual([120_000, 120_000])
    expect([onOrigin('committed.txt'), onOrigin('open.txt')]).toEqual([true, false])
    expect(runGit(clone, 'status', '--porcelain')).toBe('?? open.txt')
    expect(results).toEqual(['ok'])
  })

  test('counts nothing to push and a remote that is ahead as success (WORK-PUSH-3)', async () => {
    await clock.ring()
    write('mine.txt')
    commit()
    await clock.ring()
    runGit(clone, 'commit', '-q', '--amend', '-m', 'rewritten')
    await clock.ring()
    expect(results).toEqual(['ok', 'ok', 'ok'])
    expect(runGit(origin, 'log', '-1', '--format=%s', branch)).toBe('work')
  })

  test('counts a refusal, says its reason, and goes on', async () => {
    writeFileSync(join(origin, 'hooks', 'pre-receive'), '#!/bin/sh\necho "no grant yet" >&2\nexit 1\n', { mode: 0o755 })
    write('mine.txt')
    commit()
    await clock.ring()
    expect([results, lines.join()]).toEqual([['failed'], expect.stringContaining('no grant yet')])
    rmSync(join(origin, 'hooks', 'pre-receive'))
    await clock.ring()
    expect([results, onOrigin('mine.txt')]).toEqual([['failed', 'ok'], true])
  })

  test('tells of many failures in a row at doubling distance, and once that it works again', async () => {
    const hook = join(origin, 'hooks', 'pre-receive')
    writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    write('mine.txt')
    commit()
    for (let round = 0; round < 9; round++) await clock.ring()
    rmSync(hook)
    await clock.ring()
    await clock.ring()
    expect(results).toHaveLength(11)
    const failures = lines.map((line) => (JSON.parse(line) as { readonly failures: number }).failures)
    expect(failures).toEqual([1, 2, 4, 8, 9])
  })

  test('leaves the repositories alone while no turn runs', async () => {
    write('mine.txt')
    commit()
    turnRuns = false
    await clock.ring()
    expect([results, onOrigin('mine.txt')]).toEqual([[], false])
  })

  test('is off with an interval of 0, and after it was stopped (WRAPPER-ENV-12, WORK-PUSH-4)', async () => {
    net.stop()
    expect(clock.isArmed).toBe(false)
    open(0)
    expect(clock.isArmed).toBe(false)
  })

  test('a push on demand names what was refused and pushes the rest', async () => {
    write('mine.txt')
    commit()
    rmSync(join(origin, 'HEAD'))
    expect(await workspace.pushAll()).toMatchObject({
      pushed: [],
      failed: [{ repo: 'lib', error: expect.any(String) }],
    })
    writeFileSync(join(origin, 'HEAD'), 'ref: refs/heads/main\n')
    expect(await workspace.pushAll()).toEqual({ pushed: ['lib'], failed: [] })
    expect(await workspace.pushAll()).toEqual({ pushed: [], failed: [] })
  })
})
