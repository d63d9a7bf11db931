import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../clock.ts'
import { openPlainSpace } from '../../space/space.ts'
import { makeOrigin, realClock, runGit } from '../../testing/pod.ts'
import { rememberingLogger } from '../../testing/quiet-log.ts'
import { openInside, type Inside } from './inside.ts'

const look = { name: 'lib', branch: 'main' }
const fine = { isAtHome: true, isDirty: false }

describe('the workspace worker', () => {
  let dir: string
  let inside: Inside | undefined
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'worker-'))))
  afterEach(() => {
    inside?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  function open(program?: string, clock: Clock = realClock): Inside {
    inside = openInside({
      space: openPlainSpace(),
      node: process.execPath,
      workspaceDir: dir,
      path: process.env['PATH']!,
      identity: { login: 'bot', email: 'bot@example.invalid' },
      clock,
      logger: rememberingLogger().logger,
      ...(program === undefined ? {} : { program }),
    })
    return inside
  }

  /** A worker that an agent got hold of: answers the first time with `says`, and from then on well. */
  function liar(says: string): string {
    const program = join(dir, 'liar.mjs')
    writeFileSync(
      program,
      `import { appendFileSync, existsSync } from 'node:fs'
       import { createInterface } from 'node:readline'
       const first = !existsSync('told')
       appendFileSync('told', 'x')
       createInterface({ input: process.stdin }).on('line', (line) => {
         const { id } = JSON.parse(line)
         if (first) { ${says} }
         else process.stdout.write(JSON.stringify({ id, answer: ${JSON.stringify(fine)} }) + '\\n')
       })`,
    )
    return program
  }

  test('answers for a clone in the workspace', async () => {
    runGit(dir, 'clone', '--quiet', makeOrigin(dir), join(dir, 'lib-clone'))
    const head = runGit(join(dir, 'lib-clone'), 'rev-parse', 'HEAD')
    expect(await open().ask('look', { name: 'lib-clone', branch: 'main' })).toEqual({ ...fine, head })
  })

  test('says why it could not do what it was asked for, and lives on', async () => {
    const asked = open().ask('look', look)
    await expect(asked).rejects.toThrow(/git status|ENOENT|cwd/)
    await expect(inside!.ask('head', look)).rejects.toThrow()
    expect(await inside!.ask('gather', { name: 'lib', stamp: 's' })).toMatchObject({ state: 'none' })
  })

  test('refuses a name that leads out of the workspace', async () => {
    await expect(open().ask('gather', { name: '../other', stamp: 's' })).rejects.toThrow('protocol does not know')
  })

  const lies: readonly [what: string, says: string, reason: RegExp][] = [
    ['garbage', `process.stdout.write('garbage\\n')`, /what nobody asked/],
    ['an answer to another question', `process.stdout.write('{"id":99,"answer":{}}\\n')`, /what nobody asked/],
    [
      'an answer of another shape',
      `process.stdout.write(JSON.stringify({ id, answer: { isAtHome: 'yes', isDirty: false } }) + '\\n')`,
      /answer to look is none/,
    ],
    [
      'a member that nobody asked for',
      `process.stdout.write(JSON.stringify({ id, answer: { isAtHome: true, isDirty: false, pushed: true } }) + '\\n')`,
      /answer to look is none/,
    ],
    [
      'a head that is no sha',
      `process.stdout.write(JSON.stringify({ id, answer: { isAtHome: true, isDirty: false, head: '--upload-pack=x' } }) + '\\n')`,
      /answer to look is none/,
    ],
    ['a line without end', `setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)`, /too long/],
    ['nothing but its end', `process.exit(3)`, /ended with 3/],
    ['its end by a signal', `process.kill(process.pid, 'SIGKILL')`, /ended with SIGKILL/],
  ]
  test.each(lies)('that says %s is believed nothing, ended and started anew', async (_what, says, reason) => {
    const worker = open(liar(says))
    const both = await Promise.allSettled([worker.ask('look', look), worker.ask('look', look)])
    expect(String((both[0] as PromiseRejectedResult).reason)).toMatch(reason)
    expect(both.map(({ status }) => status)).toContain('rejected')
    expect(await worker.ask('look', look)).toEqual(fine)
    expect(readFileSync(join(dir, 'told'), 'utf8').length).toBe(2)
  })

  test('that answers too late is ended and started anew', async () => {
    const rings: (() => void)[] = []
    const clock: Clock = {
      now: () => 0,
      setTimer: (_delayMs, run) => (rings.push(run), { cancel: () => undefined }),
    }
    const worker = open(liar(''), clock)
    const asked = worker.ask('look', look)
    rings[0]!()
    await expect(asked).rejects.toThrow(/took longer than/)
    // The first one never came to life far enough to leave its mark.
    writeFileSync(join(dir, 'told'), 'x')
    expect(await worker.ask('look', look)).toEqual(fine)
  })
})
