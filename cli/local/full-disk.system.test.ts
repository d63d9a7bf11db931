/** A supervisor on a disk without room, and programs whose supervisor was killed: real processes, a real file system. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { identify, isAlive } from '../../edges/local/processes.ts'

const bound = { timeout: 20_000, interval: 20 }
const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'statewright-full-disk-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
const mounts = ['unshare', ...user, '--mount', '/bin/sh', '-c']
const mountOf = (size: string): string => `mount -n -t tmpfs -o size=${size} tmpfs "$1" && shift && exec "$@"`
const refused = spawnSync(mounts[0]!, [...mounts.slice(1), mountOf('256k'), 'sh', tmpdir(), 'true']).status !== 0
const reason = 'this machine lets us mount no tmpfs in a namespace'

/** What a program said that ran with a disk of this size at `dir`. */
function onTinyDisk(
  dir: string,
  program: string,
  size = '256k',
): { readonly status: number | null; readonly said: string } {
  // A file, since the embedded store starts a thread with the arguments of its process.
  const script = join(folder(), 'program.mjs')
  writeFileSync(script, program)
  const [file = '', ...args] = [...mounts, mountOf(size), 'sh', dir, process.execPath, script]
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', timeout: 60_000 })
  return { status, said: `${stdout}${stderr}`.trim() }
}

describe.skipIf(refused)(`on a disk without room${refused ? ` (skipped: ${reason})` : ''}`, () => {
  test('a supervisor outlives its log, and reads on what its program says', () => {
    const dir = folder()
    const { status, said } = onTinyDisk(
      dir,
      `import { Supervisor } from ${source('./processes/supervisor.ts')}
      const told = Promise.withResolvers()
      const noise = 'for (let n = 0; n < 2000; n += 1) { console.error("x".repeat(500)); console.log("y".repeat(500)) }'
      const supervisor = new Supervisor({
        command: [process.execPath, '-e', noise + '; console.log(JSON.stringify({ msg: "ready" })); setInterval(() => {}, 1000)'],
        env: {}, cwd: '/', logFile: ${JSON.stringify(join(dir, 'p.log'))},
        onLine: ({ msg }) => told.resolve(msg), onFailed: (code) => told.resolve('failed ' + code),
      })
      supervisor.start()
      console.log(await told.promise, supervisor.restarts, supervisor.pid > 0)
      await supervisor.stop()`,
    )
    expect({ status, said }).toEqual({ status: 0, said: 'ready 0 true' })
  })

  test('a store says that it takes no writes, and that it takes them again', () => {
    const dir = folder()
    const { status, said } = onTinyDisk(
      dir,
      `import { rmSync, writeFileSync } from 'node:fs'
      import { diskProbe } from ${source('../../runtime/store/disk-probe.ts')}
      const probe = diskProbe(${JSON.stringify(join(dir, 'probe'))})
      const asked = () => probe().then(() => 'yes', (error) => error.code)
      const said = [await asked()]
      try { writeFileSync(${JSON.stringify(join(dir, 'large'))}, Buffer.alloc(1_000_000)) } catch {}
      said.push(...(await Promise.all([asked(), asked()])))
      rmSync(${JSON.stringify(join(dir, 'large'))})
      said.push(await asked())
      console.log(said.join(' '))`,
    )
    expect({ status, said }).toEqual({ status: 0, said: 'yes ENOSPC ENOSPC yes' })
  })

  test('the embedded store is open and the orchestrator not ready, until there is room again (HTTP-12)', () => {
    const dir = folder()
    const { status, said } = onTinyDisk(
      dir,
      `import { rmSync, writeFileSync } from 'node:fs'
      import { openFolderSql } from ${source('../../runtime/store/pglite/pglite-folder.ts')}
      import { orchestratorReadiness } from ${source('../../orchestrator/wiring/readiness.ts')}
      const sql = await openFolderSql(${JSON.stringify(join(dir, 'db'))})
      await sql.exec('create table t (n int)')
      const ask = orchestratorReadiness({ sql, isListening: () => true, degraded: async () => [] })
      const said = async () => { const { ready, reasons } = await ask(); return [ready, ...reasons].join(' ') }
      const all = [await said()]
      try { writeFileSync(${JSON.stringify(join(dir, 'large'))}, Buffer.alloc(130_000_000)) } catch {}
      all.push(await said(), (await sql.query('select 1 as n')).rows[0].n)
      rmSync(${JSON.stringify(join(dir, 'large'))})
      all.push(await said())
      await sql.query('insert into t values (1)')
      all.push((await sql.query('select count(*) as n from t')).rows[0].n)
      await sql.close()
      console.log(all.join(', '))`,
      '120m',
    )
    expect({ status, said }).toEqual({ status: 0, said: 'true, false the store accepts no writes, 1, true, 1' })
  }, 60_000)
})

test('a program ends when its supervisor was killed: nothing of it is left with its ports', async () => {
  const dir = folder()
  const child = join(dir, 'child.mjs')
  writeFileSync(
    child,
    `import { writeFileSync } from 'node:fs'
    import { untilParentEnds } from ${source('../parent.ts')}
    const running = setInterval(() => {}, 1000)
    writeFileSync(${JSON.stringify(join(dir, 'pid'))}, String(process.pid))
    await untilParentEnds(process)
    clearInterval(running)`,
  )
  const program = `import { Supervisor } from ${source('./processes/supervisor.ts')}
    new Supervisor({ command: [process.execPath, ${JSON.stringify(child)}], env: {}, cwd: '/',
      logFile: ${JSON.stringify(join(dir, 'p.log'))}, onLine() {}, onFailed() {} }).start()`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
  onTestFinished(() => void parent.kill('SIGKILL'))
  await vi.waitFor(() => expect(existsSync(join(dir, 'pid'))).toBe(true), bound)
  const identity = await vi.waitFor(() => {
    const found = identify(Number(readFileSync(join(dir, 'pid'), 'utf8')))
    if (found === undefined) throw new Error('not there yet')
    return found
  }, bound)
  expect(isAlive(identity)).toBe(true)
  parent.kill('SIGKILL')
  await vi.waitFor(() => expect(isAlive(identity)).toBe(false), bound)
})

test('a program that nobody supervises does not wait for the end of a parent', () => {
  const program = `import { untilParentEnds } from ${source('../parent.ts')}
    void untilParentEnds(process).then(() => console.log('orphaned'))`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})
