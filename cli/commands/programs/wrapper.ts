import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../../../runtime/clock.ts'
import { ContractRun, contractCases, type Verdict } from '../../../wrapper/selftest/suite.ts'
import { startWrapper } from '../../../wrapper/main.ts'
import { runProbe } from '../../../wrapper/probe/main.ts'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { installedCli, programDir } from '../../program.ts'
import { podServer } from '../../../edges/agents/mcp/pod-server.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright wrapper
       statewright wrapper selftest [options]

wrapper supervises one agent in one pod. It reads its settings from the environment; the orchestrator sets them.

selftest checks the behaviours of an agent CLI on which the wrapper relies. It starts the CLI with a scripted model on the
loopback. It reads and changes none of your files and needs no key. It prints which behaviours changed, and which file of
the wrapper depends on each.

Exit code 0: nothing changed. 1: a behaviour changed.

  --cli PATH     check this program (default: the CLI installed with this program, else claude on PATH)
  --only TEXT    check only cases whose name contains TEXT
  --json         print the result as one line of JSON`

/** @returns the exit code. */
export async function wrapper(args: readonly string[], version: string): Promise<number> {
  if (args.length === 0) return startWrapper(version, podServer(version, randomUUID))
  const options = { cli: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean' } } as const
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [first, what = '', ...more] = parsed.positionals
  // Not for people: `statewright doctor --cluster` runs it in pods.
  const code =
    first === 'probe' && more.length === 0 ? await runProbe(what, process.env, systemClock, programDir) : undefined
  if (code !== undefined) return code
  if (parsed.positionals.join(' ') !== 'selftest') throw new UsageError(usage)
  return selftest(programOf(text(parsed, 'cli') ?? ownCli()), text(parsed, 'only') ?? '', flag(parsed, 'json'))
}

async function selftest(cli: string, only: string, json: boolean): Promise<number> {
  const version = versionOf(cli)
  const cases = contractCases.filter(({ id }) => id.includes(only))
  if (cases.length === 0) throw new UsageError(`no case is named like ${only}`)
  const run = new ContractRun({
    cli,
    clock: systemClock,
    uuid: randomUUID,
    node: process.execPath,
    isRoot: process.getuid?.() === 0,
    path: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  })
  const verdicts: Verdict[] = []
  if (!json) print(`${cli}: ${version}`)
  try {
    for (const one of cases) {
      const verdict = await run.judge(one)
      verdicts.push(verdict)
      if (!json) print(lineOf(verdict))
    }
  } finally {
    await run.close()
  }
  const changed = verdicts.filter(({ fault }) => fault !== undefined)
  if (json) print(JSON.stringify({ cli, version, checked: verdicts.length, changed }))
  else print(`${verdicts.length} checked, ${changed.length} changed`)
  return changed.length === 0 ? 0 : 1
}

function ownCli(): string {
  const installed = installedCli(programDir)
  return existsSync(installed) ? installed : 'claude'
}

/** The CLI starts in a folder of its own, so a path from here must not depend on where here is. */
function programOf(cli: string): string {
  return cli.includes('/') ? resolve(cli) : cli
}

function lineOf({ id, fact, adapter, fault }: Verdict): readonly string[] {
  if (fault === undefined) return [`  as measured  ${id}`]
  const indent = ' '.repeat(15)
  return [
    `  CHANGED      ${id}: not true any more: ${fact}`,
    `${indent}${fault.split('\n', 1)[0]}`,
    `${indent}see ${adapter}`,
  ]
}

function versionOf(cli: string): string {
  try {
    return execFileSync(cli, ['--version'], { encoding: 'utf8', timeout: 20_000 }).trim()
  } catch (cause) {
    throw new UsageError(`${cli} --version does not run; --cli PATH names another`, { cause })
  }
}
