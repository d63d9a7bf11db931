import { resolve } from 'node:path'
import { count, flag, readArgs, text } from '../args.ts'
import { collectAtRest } from '../collect-at-rest.ts'
import { runMainJob } from '../demo/run.ts'
import { forgeChoice } from '../local/forge-choice.ts'
import { findEndpoints } from '../local/endpoints.ts'
import { aborted, untilInterrupted } from '../local/interrupt.ts'
import { modelChoice } from '../local/model-choice.ts'
import { defaultScenarioFile, loadScenario } from '../local/standins.ts'
import { outliveTerminal, print } from '../terminal.ts'

const usage = `usage: statewright up [options]

Starts everything on this machine and stays until Ctrl-C: the orchestrator, its pods, the memory service, and the inspector
at http://127.0.0.1:8080/inspector. Stand-ins replace the forge, the identity provider and the model. It plays the main job
of the scenario once. Then statewright apply, get and query talk to it.

  --port N                port of the orchestrator (default 8080); the memory service uses N+1, the internal listener N+2
  --dir DIR               write state to DIR; it survives restarts (default .statewright)
  --forge NAME            the forge speaks the API of github (default) or gitlab
  --repo, --scenario, --test-command, --model-provider, --unsafe-no-isolation: see statewright demo --help`

const options = {
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
  const dir = resolve(text(parsed, 'dir') ?? '.statewright')
  const running = findEndpoints(dir)
  if (running !== undefined && isRunning(running.pid))
    throw new Error(`${dir} is in use by process ${running.pid}: ${running.inspector}`)
  const interrupted = untilInterrupted()
  outliveTerminal()
  const repository = text(parsed, 'repo')
  const testCommand = text(parsed, 'test-command')
  const { stack, report } = await runMainJob({
    dir,
    ...forgeChoice(text(parsed, 'forge')),
    scenario: await loadScenario(text(parsed, 'scenario') ?? defaultScenarioFile),
    ...(repository === undefined ? {} : { repository: resolve(repository) }),
    ...(testCommand === undefined ? {} : { testCommand }),
    port: count(parsed, 'port', 8080),
    model: modelChoice(text(parsed, 'model-provider') ?? 'scripted', process.env),
    unsafeNoIsolation: flag(parsed, 'unsafe-no-isolation'),
    timeoutMs: 24 * 60 * 60_000,
    keep: true,
    memory: true,
    signal: interrupted,
    write: print,
  })
  if (!interrupted.aborted) {
    print(
      report.ok
        ? ['', 'the main job is done; everything stays up until Ctrl-C']
        : ['', 'the main job failed:', ...report.faults.map((fault) => `  - ${fault}`)],
    )
    print(`inspector: ${stack.endpoints.inspector} (statewright inspector prints a link that signs in)`)
    if (stack.endpoints.signInCode !== undefined) print(`sign-in code: ${stack.endpoints.signInCode}`)
    const rest = collectAtRest()
    await aborted(interrupted)
    rest.stop()
  }
  print('stopping')
  await stack.stop()
  return 0
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
