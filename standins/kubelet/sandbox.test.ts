import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { userFlags } from '../../edges/local/isolation.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { Mount } from './mounts.ts'
import { ContainerProcess } from './process.ts'
import { sandboxed } from './sandbox.ts'

const refused = spawnSync('unshare', [...userFlags(), '--mount', 'true']).status !== 0

interface Ran {
  readonly status: number | null
  readonly output: string
  /** Whether the program came to run. */
  readonly hasStarted: boolean
}

/** @param first a shell's words in a mount namespace around the container; `$0` is the volume. */
function inside(script: string, mountsIn: (volume: string) => readonly Mount[], first = 'exec "$@"'): Ran {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['root', 'volume']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'volume', 'given'), 'of the volume')
  const volume = join(folder, 'volume')
  const command = sandboxed({
    ...{ root: join(folder, 'root'), mounts: mountsIn(volume), programs: [], workingDir: '/' },
    ...{ uid: 1000, gid: 1000, isRootReadOnly: false, isProcWhole: false },
    command: ['/bin/sh', '-c', script],
  })
  const around = [...userFlags(), '--mount', '--', '/bin/sh', '-c', first, volume]
  const { status, stdout, stderr, output } = spawnSync('unshare', [...around, ...command], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  return { status, output: `${stdout}${stderr}`, hasStarted: output[3] === 'ok\n' }
}

test.skipIf(refused)('a mount may lie at any depth below /etc, and what the machine has there stays', () => {
  const etc = 'ls -A /etc /etc/ssl | grep -vxE "wrapper|some|own"; cat /etc/passwd; readlink /etc/mtab; stat -c %a /etc'
  const read = 'cat /etc/wrapper/given /etc/some/deeper/path/given /etc/ssl/own/given'
  const ran = inside(`${etc}; ${read}; ls -A / | grep layer`, (source) =>
    ['/etc/wrapper', '/etc/some/deeper/path', '/etc/ssl/own'].map((target) => ({ source, target, readOnly: true })),
  )
  const machine = spawnSync('/bin/sh', ['-c', etc], { encoding: 'utf8' }).stdout
  expect(ran).toEqual({ status: 1, hasStarted: true, output: `${machine}${'of the volume'.repeat(3)}` })
})

test.skipIf(refused)('what the machine itself mounts below /etc stays too', () => {
  const mounted = 'mount -n --bind "$0/given" /etc/hosts && exec "$@"'
  const ran = inside('cat /etc/hosts', (source) => [{ source, target: '/etc/wrapper', readOnly: true }], mounted)
  expect(ran).toEqual({ status: 0, hasStarted: true, output: 'of the volume' })
})

test.skipIf(refused)('a container writes to its volume below /etc, and nowhere else there', () => {
  const script =
    'for at in wrapper/new new some/new passwd; do (echo x > /etc/$at) 2>/dev/null && echo "$at"; done; true'
  const ran = inside(script, (source) => [
    { source, target: '/etc/wrapper', readOnly: false },
    { source, target: '/etc/some/path', readOnly: true },
  ])
  expect(ran).toEqual({ status: 0, hasStarted: true, output: 'wrapper/new\n' })
})

test('a program that ends before anybody listens has started all the same', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'kubelet-process-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const options = { folder: join(dir, 'container'), log: join(dir, 'log', '0.log'), clock: systemClock }
  const launch = { command: ['/bin/sh', '-c', 'echo ok >&3; exit 3'], env: { PATH: process.env['PATH'] ?? '' } }
  const starting = ContainerProcess.start(options, 'c', launch)
  // Its end and its report come in one turn of the loop.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  expect((await (await starting).ended).exitCode).toBe(3)
})
