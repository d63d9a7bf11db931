/**
 * docs/first-session.md is the record of this test: `up`, an issue that a person opens on the forge's page, an approval, a merge,
 * a second start. With UPDATE=1 it writes the page anew.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { programDir } from '../program.ts'
import { requireEndpoints } from './endpoints.ts'
import { findPeople } from './people-file.ts'
import { freePort } from './processes/ports.ts'

const page = join(programDir, 'docs', 'first-session.md')
const program = join(programDir, 'bin', 'statewright.mjs')
const dir = join(realpathSync(mkdtempSync(join(tmpdir(), 'first-session-'))), '.statewright')
const running = new Set<ChildProcess>()
const limitMs = 120_000

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(join(dir, '..'), { recursive: true, force: true, maxRetries: 5 })
})

interface Up {
  /** All that it printed. */
  printed(): string
  until(text: string): Promise<void>
  end(): Promise<void>
}

function up(port: number): Up {
  const child = spawn(process.execPath, [program, 'up', '--port', String(port)], {
    cwd: join(dir, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return {
    printed: () => printed,
    async until(text) {
      const limit = performance.now() + limitMs
      while (!printed.includes(text)) {
        if (performance.now() > limit) throw new Error(`up never printed "${text}":\n${printed}`)
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    },
    async end() {
      const exited = once(child, 'exit')
      child.kill('SIGINT')
      await exited
      running.delete(child)
    },
  }
}

async function statewright(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: join(dir, '..') })
  return stdout.trimEnd()
}

/** As a browser sends the form of the page. */
async function openIssue(login: string, title: string): Promise<void> {
  const { forge } = requireEndpoints(dir)
  const start = `${forge}/as/${findPeople(dir)?.[login]?.key}/`
  const repository = `${start}acme/duration`
  const shown = async (url: string): Promise<string> => (await fetch(url)).text()
  expect(await shown(start)).toContain('>acme/duration</a>')
  expect(await shown(`${repository}/issues`)).toContain('>New issue</a>')
  expect(await shown(`${repository}/issues/new`)).toMatch(/>platform<\/span> <small>The platform works on/)
  const form = new URLSearchParams({ title, body: 'A report of last week was empty.', 'label[]': 'platform' })
  const answer = await fetch(`${repository}/issues/new`, { method: 'POST', headers: { origin: forge }, body: form })
  expect([answer.ok, answer.url]).toEqual([true, `${repository}/issues/1`])
}

/** What differs from one run to the next. */
function masked(text: string): string {
  return text
    .replaceAll(/\/as\/[0-9a-f]{40}\//g, '/as/…/')
    .replaceAll(/(sign-in code +)[0-9a-f]+/g, '$1…')
    .replaceAll(/127\.0\.0\.1:\d+/g, (host) => (host.endsWith(String(port)) ? '127.0.0.1:8080' : '127.0.0.1:41000'))
    .replaceAll(/(implement-duration-1-)[a-z0-9]{5}/g, '$1x7k2p')
    .replaceAll(/#issuecomment-\d+/g, '#issuecomment-…')
    .replaceAll(/(?<= )\d+[sm]$/gm, '…')
}

/** From the line that says so. */
function ready(printed: string): string {
  return printed.slice(printed.indexOf('ready:')).split('\n\n  ', 1)[0]?.trimEnd() ?? ''
}

let port = 0

test('a person on up opens an issue, approves its plan and sees it merged, and again after a restart', async () => {
  port = await freePort()
  const session: string[] = []
  const record = (command: string, output: string): void => void session.push(`$ ${command}\n${masked(output)}`)
  const first = up(port)
  await first.until('next: open an issue')
  record('npm start', ready(first.printed()))
  await openIssue('rita', 'Weeks are missing')
  await first.until('the plan is published on the issue')
  let waiting = ''
  // Its turn ends a moment after the plan is there.
  for (let at = 0; at < 100 && !waiting.includes('awaiting-approval'); at += 1)
    waiting = await statewright('get', 'tasks')
  record('npx statewright get tasks', waiting)
  const task = /implement-duration-1-\w+/.exec(waiting)?.[0] ?? 'none'
  record(
    `npx statewright approve ${task} --as maria --yes`,
    await statewright('approve', task, '--as', 'maria', '--yes'),
  )
  await first.until('merging -> delivered')
  record('npx statewright get tasks', await statewright('get', 'tasks'))
  await first.end()
  const second = up(port)
  await second.until('next: open an issue')
  record('npm start', ready(second.printed()))
  await second.end()
  const block = ['```', session.join('\n\n').replaceAll(task, 'implement-duration-1-x7k2p'), '```'].join('\n')
  const text = readFileSync(page, 'utf8')
  const written = text.replace(/```[\s\S]*```/, () => block)
  if (process.env['UPDATE'] === '1') writeFileSync(page, written)
  expect(written).toBe(readFileSync(page, 'utf8'))
}, 600_000)
