import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { checkChart, kubernetesOf, memoryStackOf, portOf } from '../../demo/given.ts'
import { runMainJob, type RunOptions, type RunResult } from '../../demo/run.ts'
import { removeFolder } from '../../../edges/local/pod-folder.ts'
import { requirePostgres } from '../../local/cluster/memory-stack.ts'
import { forgeChoice } from '../../local/forge-choice.ts'
import { aborted, untilInterrupted } from '../../local/processes/interrupt.ts'
import { modelChoice } from '../../local/model-choice.ts'
import { defaultScenarioFile, loadScenario, rememberingScenarioFile } from '../../local/standins.ts'
import { print, printError } from '../../output/terminal.ts'
import { program } from '../../program.ts'

const usage = `usage: statewright demo [options]

Runs the main job on this machine and ends: an issue becomes a reviewed, merged change. Stand-ins on the loopback replace
the forge, the identity provider and the model. The agent program, its tools, git and the platform are real.

Exit code 0: the main branch contains the change, its tests pass, and the forge's audit log agrees. 1: anything else.

  --json                  print the result as one line of JSON at the end; the story goes to standard error
  --forge NAME            the forge speaks the API of github (default) or gitlab
  --repo PATH             with --scenario: serve this repository in place of the scenario's own. For yours: statewright try PATH
  --scenario FILE         play this scenario (default: standins/scenarios/default.yaml; its README explains the format)
  --test-command CMD      test the repository with CMD (default: npm test where the repository has one)
  --chaos N               send SIGKILL to the orchestrator and the wrappers N times, while a maintainer writes remarks,
                          /hold and doubts beside the kills; an undisturbed run comes first
  --seed N                draw kills and words from N (default: a random number, which the demo prints)
  --kubernetes            run pods in a Kubernetes of its own: a real API server, and a kubelet that runs them as processes
                          here; it needs Go or its cached program, and PostgreSQL
  --memory light          with --kubernetes: the Project has a memory stack of its own in pods, a PostgreSQL of this machine
                          and the memory service, which its agents write into and ask; it plays
                          standins/scenarios/remembers.yaml; it needs PostgreSQL's server
  --kubeconfig FILE       with --kubernetes: run pods in this cluster, in a namespace of its own, which goes at the end;
                          nothing else is touched. An administrator's; the definitions of crd/generated must be there
  --image IMAGE           the wrapper's, as the cluster pulls it (deploy/Dockerfile.wrapper)
  --operator-url URL      how pods reach the orchestrator here. Identity provider and model listen at its host too, so pods and
                          this machine must reach its port P, and P+2, P+3, P+4. This machine must reach pods' addresses
  --internal-url URL      how pods reach its second listener (default: http, the host of --operator-url, P+2)
  --storage-class CLASS   of workspaces, ReadWriteMany (default: the cluster's)
  --chart                 with --kubernetes: build the images' trees, and let Helm install the orchestrator from deploy/chart;
                          it needs Go or the cached programs
  --upgrade               with --chart: run helm upgrade while the agent's first turn is open
  --keep                  leave everything running after the job until Ctrl-C
  --dir DIR               write state to DIR (default: .statewright/demo-<time>)
  --port N                port P of the orchestrator (default: that of --operator-url, else a free one)
  --timeout SECONDS       fail after this many seconds (default 600)
  --model-provider NAME   scripted (default) or anthropic, with a key in ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN
  --unsafe-no-isolation   run pods and agents without namespaces, even with a real model; whatever the agent starts can
                          then read the model's key, speak in the agent's name and change your files

Example: statewright demo --chaos 10 --seed 7`

const options = {
  json: { type: 'boolean' },
  forge: { type: 'string' },
  repo: { type: 'string' },
  scenario: { type: 'string' },
  'test-command': { type: 'string' },
  chaos: { type: 'string' },
  seed: { type: 'string' },
  kubernetes: { type: 'boolean' },
  memory: { type: 'string' },
  kubeconfig: { type: 'string' },
  image: { type: 'string' },
  'operator-url': { type: 'string' },
  'internal-url': { type: 'string' },
  'storage-class': { type: 'string' },
  chart: { type: 'boolean' },
  upgrade: { type: 'boolean' },
  keep: { type: 'boolean' },
  dir: { type: 'string' },
  port: { type: 'string' },
  timeout: { type: 'string' },
  'model-provider': { type: 'string' },
  'unsafe-no-isolation': { type: 'boolean' },
} as const

export async function demo(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  kubernetesOf(parsed, '')
  const dir = resolve(text(parsed, 'dir') ?? join('.statewright', `demo-${stamp()}`))
  if (existsSync(join(dir, 'forge')))
    throw new UsageError(`${dir} contains an earlier demo: name another folder with --dir`)
  checkChart(parsed, dir)
  if (memoryStackOf(parsed)) await requirePostgres()
  // Ctrl-C ends the run, and with it everything that it started.
  const interrupted = untilInterrupted()
  const result = await (
    parsed.values['chaos'] === undefined
      ? runMainJob(await runOptions(parsed, dir, interrupted))
      : disturbed(parsed, dir, interrupted)
  ).catch((cause: unknown) => {
    // What it asked then ended with it.
    throw interrupted.aborted ? new Error('the demo was stopped before its end', { cause }) : cause
  })
  printReport(parsed, result, dir)
  const left = flag(parsed, 'keep') ? await untilStopped(result, write(parsed), interrupted) : []
  return result.report.ok && left.length === 0 ? 0 : 1
}

async function runOptions(parsed: Parsed, dir: string, signal: AbortSignal): Promise<RunOptions> {
  const repository = text(parsed, 'repo')
  const testCommand = text(parsed, 'test-command')
  const memoryStack = memoryStackOf(parsed)
  return {
    dir,
    ...forgeChoice(text(parsed, 'forge')),
    scenario: await loadScenario(
      text(parsed, 'scenario') ?? (memoryStack ? rememberingScenarioFile : defaultScenarioFile),
    ),
    ...(repository === undefined ? {} : { repository: resolve(repository) }),
    ...(testCommand === undefined ? {} : { testCommand }),
    port: portOf(parsed),
    model: modelChoice(text(parsed, 'model-provider') ?? 'scripted', process.env),
    unsafeNoIsolation: flag(parsed, 'unsafe-no-isolation'),
    timeoutMs: count(parsed, 'timeout', 600) * 1000,
    kubernetes: kubernetesOf(parsed, randomUUID().slice(0, 8)),
    chart: flag(parsed, 'chart'),
    upgrade: flag(parsed, 'upgrade'),
    keep: flag(parsed, 'keep'),
    // Pods of a cluster do not reach what listens on this machine alone.
    memory: !flag(parsed, 'kubernetes'),
    memoryStack,
    signal,
    write: write(parsed),
  }
}

/** The same job twice: undisturbed, to know how long it takes, and then with the kills spread over that length. */
async function disturbed(parsed: Parsed, dir: string, signal: AbortSignal): Promise<RunResult> {
  const kills = count(parsed, 'chaos', 0)
  const seed = count(parsed, 'seed', Math.floor(Math.random() * 2 ** 31))
  const log = write(parsed)
  log(`chaos: ${kills} kills, seed ${seed}; first an undisturbed run, to know its length`)
  const quiet = `${dir}-undisturbed`
  const { report } = await runMainJob({ ...(await runOptions(parsed, quiet, signal)), keep: false })
  const why = report.faults.join('; ')
  if (!report.ok) throw new Error(`the undisturbed run failed already: ${why}; its state is in ${quiet}`)
  removeFolder(quiet)
  // From the minting of the Task to its end.
  const times = report.task.stages.map(({ at }) => Date.parse(at))
  const lengthMs = Math.max(...times) - Math.min(...times)
  log(`chaos: undisturbed, the job took ${(lengthMs / 1000).toFixed(1)} s from the issue to the end`)
  return runMainJob({ ...(await runOptions(parsed, dir, signal)), chaos: { kills, seed, lengthMs } })
}

function write(parsed: Parsed): (line: string) => void {
  return flag(parsed, 'json') ? printError : print
}

function printReport(parsed: Parsed, { report }: RunResult, dir: string): void {
  const log = write(parsed)
  const took = (report.durationMs / 1000).toFixed(1)
  log('')
  log(report.ok ? `done in ${took} s: the change is on the main branch and its tests pass` : 'failed:')
  for (const fault of report.faults) log(`  - ${fault}`)
  if (report.kills) log(`  ${report.kills.length} kills, ${report.restarts} restarts of the orchestrator`)
  for (const line of stackLines(report)) log(line)
  log(`state: ${dir}`)
  const commit = report.mergeRequest?.mergeCommit ?? 'HEAD'
  if (report.ok) log(`see the change: git -C ${report.repository} show --first-parent -m ${commit}`)
  if (!flag(parsed, 'keep')) log(`${program} up stays, and lets you take part; --keep leaves a demo running`)
  if (flag(parsed, 'json')) print(JSON.stringify(report))
}

function stackLines({ memory, kubernetes }: RunResult['report']): readonly string[] {
  if (memory === undefined) return []
  const { profile, phase, endpoint, asked } = memory
  return [
    `memory stack: profile ${profile}, ${phase} at ${endpoint}`,
    ...asked.map(({ agent, tool, text, answered }) => {
      const known = Object.values(answered).filter((content) => content !== null).length
      return `  ${agent} called ${tool} "${text}": ${known} of ${Object.keys(answered).length} memories in the answer are in the stack`
    }),
    ...(kubernetes === undefined ? [] : [`  after the Project these stay: ${kubernetes.stays.join(', ') || 'none'}`]),
  ]
}

async function untilStopped(
  { stack }: RunResult,
  log: (line: string) => void,
  interrupted: AbortSignal,
): Promise<readonly string[]> {
  log(`everything stays up until Ctrl-C: ${stack.endpoints.inspector}`)
  await aborted(interrupted)
  const left = await stack.stop()
  for (const one of left) log(`  - ${one}`)
  return left
}

function stamp(): string {
  return new Date().toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
}
