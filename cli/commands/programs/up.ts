import { resolve } from 'node:path'
import { count, flag, readArgs, text } from '../../args.ts'
import { collectAtRest } from '../../collect-at-rest.ts'
import { issueOf } from '../../demo/people.ts'
import type { Report } from '../../demo/report.ts'
import { play, startNamed } from '../../demo/run.ts'
import { forgeChoice } from '../../local/forge-choice.ts'
import { findEndpoints, isRunning } from '../../local/endpoints.ts'
import { aborted, untilInterrupted } from '../../local/processes/interrupt.ts'
import { modelChoice } from '../../local/model-choice.ts'
import { findPeople } from '../../local/people-file.ts'
import { readyLines } from '../../local/ready-lines.ts'
import type { Stack } from '../../local/stack.ts'
import { triggerLabel } from '../../local/stack-names.ts'
import {
  anyScenarioFile,
  defaultScenarioFile,
  loadScenario,
  playingOthers,
  type Scenario,
} from '../../local/standins.ts'
import { confirmed, outliveTerminal, print } from '../../output/terminal.ts'

const usage = `usage: statewright up [options]

Starts everything on this machine and stays until Ctrl-C: the orchestrator, its pods, the memory service, and the inspector
at http://127.0.0.1:8080/inspector. Stand-ins replace the forge, the identity provider and the model. It prints a link for each
person of the local forge: who opens it can open issues, approve and comment there. statewright apply, get and query talk to it.

  --demo                  play the main job of the scenario once: people and agents turn an issue into a merged change.
                          Without it, up asks on a terminal where DIR is new, and plays nothing elsewhere
  --port N                port of the orchestrator (default 8080); the memory service uses N+1, the internal listener N+2
  --dir DIR               write state to DIR; it survives restarts (default .statewright)
  --forge NAME            the forge speaks the API of github (default) or gitlab
  --repo, --scenario, --test-command, --model-provider, --unsafe-no-isolation: see statewright demo --help

The scripted model plays the demo's issue. Of any other issue it says that it is a script, and adds one file that quotes it.`

const options = {
  demo: { type: 'boolean' },
  port: { type: 'string' },
  dir: { type: 'string' },
  forge: { type: 'string' },
  repo: { type: 'string' },
  scenario: { type: 'string' },
  'test-command': { type: 'string' },
  'model-provider': { type: 'string' },
  'unsafe-no-isolation': { type: 'boolean' },
} as const

export async function up(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const given = text(parsed, 'dir')
  const dir = resolve(given ?? '.statewright')
  const running = findEndpoints(dir)
  if (running !== undefined && isRunning(running))
    throw new Error(`${dir} is in use by process ${running.pid}: ${running.inspector}`)
  const isNew = running === undefined
  const interrupted = untilInterrupted()
  outliveTerminal()
  const scenario = await scenarioOf(text(parsed, 'scenario'))
  const isAsked = flag(parsed, 'demo') || (isNew && process.stdin.isTTY && (await confirmed(demoQuestion, interrupted)))
  const repository = text(parsed, 'repo')
  const testCommand = text(parsed, 'test-command')
  const tested = testCommand === undefined ? {} : { testCommand }
  const started = await startNamed({
    dir,
    ...forgeChoice(text(parsed, 'forge')),
    scenario,
    ...(repository === undefined ? {} : { repository: resolve(repository) }),
    ...tested,
    port: count(parsed, 'port', 8080),
    model: modelChoice(text(parsed, 'model-provider') ?? 'scripted', process.env),
    unsafeNoIsolation: flag(parsed, 'unsafe-no-isolation'),
    memory: true,
    write: print,
  })
  const { stack } = started
  const printReady = (): void =>
    print([
      '',
      ...readyLines({ endpoints: stack.endpoints, persons: findPeople(dir) ?? {}, triggerLabel, dir: given }),
      '',
    ])
  const rest = collectAtRest()
  try {
    printReady()
    const plays = { scenario, ...tested, memory: true, keep: true, timeoutMs: dayMs, signal: interrupted }
    if (!interrupted.aborted && (isAsked || isDemoOpen(stack, scenario))) {
      print(verdictLines((await play(started, plays)).report))
      if (!interrupted.aborted) printReady()
    }
    await aborted(interrupted)
  } finally {
    rest.stop()
    print('stopping')
    await stack.stop()
  }
  return 0
}

const demoQuestion = 'Play the demo once, in which people and agents turn an issue into a merged change?'
const dayMs = 24 * 60 * 60_000

/** The scenario's own issue is played as it says; the others by a script that works on any repository. */
async function scenarioOf(file: string | undefined): Promise<Scenario> {
  if (file !== undefined) return loadScenario(file)
  return playingOthers(await loadScenario(defaultScenarioFile), await loadScenario(anyScenarioFile))
}

/** Its people and agents go on where an earlier start was stopped. */
function isDemoOpen({ forge, fullName }: Stack, scenario: Scenario): boolean {
  return issueOf(forge, fullName, scenario)?.state === 'open'
}

function verdictLines({ ok, faults }: Report): readonly string[] {
  return ok
    ? ['', 'the demo is done: its change is on the main branch and its tests pass']
    : ['', 'the demo failed:', ...faults.map((fault) => `  - ${fault}`)]
}
