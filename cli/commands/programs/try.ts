import { existsSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultTokensPerTurn } from '../../../machines/rules/spending.ts'
import { people } from '../../../standins/people.ts'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { startNamed } from '../../demo/run.ts'
import { aborted, untilInterrupted } from '../../local/processes/interrupt.ts'
import { modelChoice, type ModelChoice } from '../../local/model-choice.ts'
import type { Stack } from '../../local/stack.ts'
import { triggerLabel } from '../../local/stack-names.ts'
import { whileNamed } from '../../local/processes/while-named.ts'
import { anyScenarioFile, loadScenario } from '../../local/standins.ts'
import { asked, outliveTerminal, print } from '../../output/terminal.ts'
import { checkTests, testsOf } from '../../try/tests.ts'
import { copyOwn, openOwn, type OwnCopy } from '../../try/own-copy.ts'
import { changeLines, goOnLines, takeOverLines } from '../../try/result.ts'
import { play, type End } from '../../try/play.ts'
import { createVoice } from '../../try/voice.ts'

const usage = `usage: statewright try PATH [--issue TEXT] [options]

Turns an issue into a reviewed, merged change of your repository, on this machine. It copies the last commit of PATH into a
local forge, opens the issue there as ${people.reporter}, and shows you the agent's plan: you approve it as ${people.maintainer}, here or on a page. At the
end it shows the diff, and the git fetch that brings the change to you. Your repository stays untouched.

With a key in ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN a real model works, behind walls. Without one a script does: it adds
one file that quotes the issue.

Exit code 0: merged. 1: failed, or you rejected the plan. 2: called wrongly. 3: a person has to act, and there is no terminal.

  --issue TEXT            the issue: its first line is the title. Without it, try asks on a terminal
  --test-command CMD      test each change with CMD (default: npm test where there is one, after an install of what it needs)
  --model-provider NAME   scripted or anthropic (default: anthropic where there is a key)
  --tokens N              the most that a real model may use (default 10000000)
  --keep                  wait for a person on the page, also without a terminal, and leave everything running until Ctrl-C
  --dir DIR               write state to DIR (default: a new folder in ~/.statewright). One of before goes on where it ended

Example: statewright try . --issue "Say in the README how to run the tests"`

const options = {
  issue: { type: 'string' },
  'test-command': { type: 'string' },
  'model-provider': { type: 'string' },
  tokens: { type: 'string' },
  keep: { type: 'boolean' },
  dir: { type: 'string' },
} as const

/** Exit code of a command that ends because a person has to act. */
const waits = 3
const failed = 1

/** `statewright try PATH`: an issue of a person's own repository, from a word to a merged change. */
export async function tryOwn(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [path, ...more] = parsed.positionals
  if (!path || more.length > 0) throw new UsageError(`try takes one PATH\n\n${usage}`)
  const own = resolve(path)
  const dir = resolve(text(parsed, 'dir') ?? join(homedir(), '.statewright', `try-${basename(own)}-${Date.now()}`))
  const to = join(dir, 'own', `${basename(own)}.git`)
  const goesOn = existsSync(join(dir, 'forge'))
  if (goesOn && !existsSync(to)) throw new UsageError(`${dir} holds no try of ${own}: name another folder with --dir`)
  const model = modelOf(parsed)
  const limit = count(parsed, 'tokens', 10_000_000)
  if (!goesOn && text(parsed, 'issue') === undefined && !process.stdin.isTTY)
    throw new UsageError('try needs --issue TEXT where there is no terminal')
  const interrupted = untilInterrupted()
  interrupted.addEventListener('abort', () => print('stopping'), { once: true })
  const issue = (text(parsed, 'issue') ?? (goesOn ? '' : await asked('What should change?', interrupted))).trim()
  if (!goesOn && issue === '' && !interrupted.aborted) throw new UsageError('the issue is empty')
  const given = text(parsed, 'test-command')
  const one = { own, dir, to, goesOn, given, issue, model, limit, keep: flag(parsed, 'keep'), interrupted }
  const copied = await copyAndCheck(one)
  if (copied === undefined && !goesOn) {
    print('interrupted before the issue was opened: nothing is left of it')
    return failed
  }
  const end = copied && (await endOf(one, copied))
  const passed = ['test-command', 'model-provider', 'tokens'].map((name) => [`--${name}`, text(parsed, name)] as const)
  const call = [own, '--dir', dir, ...passed.flatMap(([name, value]) => (value === undefined ? [] : [name, value]))]
  const goOn = goOnLines(end ?? 'interrupted', call, one.keep)
  if (goOn.length > 0) print(goOn)
  return end === 'merged' ? 0 : end === 'waits' ? waits : failed
}

interface Try {
  readonly own: string
  readonly dir: string
  /** Of the copy. */
  readonly to: string
  /** An earlier one, whose copy and issue are there. */
  readonly goesOn: boolean
  /** The command of the checks, as it was given. */
  readonly given: string | undefined
  /** Empty: the one that is there. */
  readonly issue: string
  readonly model: ModelChoice
  readonly limit: number
  readonly keep: boolean
  readonly interrupted: AbortSignal
}

interface Checked {
  readonly copy: OwnCopy
  /** Undefined: no check runs. */
  readonly command: string | undefined
}

/** Undefined: a person stopped it. What is refused or stopped here leaves nothing. */
async function copyAndCheck(one: Try): Promise<Checked | undefined> {
  const { own, dir, to, goesOn, given, interrupted } = one
  const left = existsSync(dir) ? to : dir
  try {
    interrupted.throwIfAborted()
    const copy = goesOn ? await openOwn(to) : await whileNamed(print, 'git copies the last commit', copyOwn(own, to))
    print(openingLines(one, copy))
    const command = given ?? (await testsOf(copy))
    print(
      command === undefined ? 'checks: none, for it has no npm test: give --test-command CMD' : `checks: ${command}`,
    )
    if (command !== undefined && !goesOn) await checkTests(copy, { command, signal: interrupted, write: print })
    interrupted.throwIfAborted()
    return { copy, command }
  } catch (error) {
    if (!goesOn) rmSync(left, { recursive: true, force: true })
    if (!interrupted.aborted) throw error
    return undefined
  }
}

/** What fails after Ctrl-C fails by it. */
async function endOf(one: Try, checked: Checked): Promise<End> {
  return run(one, checked).catch((error: unknown) => {
    if (one.interrupted.aborted) return 'interrupted'
    throw error
  })
}

async function run(one: Try, { copy, command }: Checked): Promise<End> {
  const { own, dir, issue, model, limit, keep, interrupted } = one
  outliveTerminal()
  const voice = createVoice()
  const { stack } = await startNamed({
    dir,
    scenario: await loadScenario(anyScenarioFile),
    repository: copy.path,
    ...(command === undefined ? {} : { testCommand: command }),
    ...(model.provider === 'scripted'
      ? {}
      : { spending: { tokensPerTurn: Math.min(limit, defaultTokensPerTurn), tokensPerTask: limit } }),
    port: 0,
    model,
    unsafeNoIsolation: false,
    write: voice.write,
  })
  try {
    // Also after Ctrl-C: the next call goes on with it.
    const number = openIssue(stack, issue)
    const seen = process.stdin.isTTY || keep
    if (seen)
      print(
        `inspector: ${stack.endpoints.inspector}, sign-in code ${stack.endpoints.signInCode ?? ''} (it asks for it)`,
      )
    const { end, spent } = await play(stack, {
      ...{ issue: number, keep, signal: interrupted, voice },
      ...{ isTerminal: process.stdin.isTTY, now: Date.now, sleep },
    })
    if (spent !== undefined && model.provider !== 'scripted') print(`spent: ${spent}`)
    if (end === 'merged') {
      print(await changeLines(stack.barePath, copy))
      const checked = stack.forge.audit().some(({ action }) => action === 'check.create')
      print([
        '',
        `merged${checked ? '; its checks passed' : ': no checks ran, so nothing shows that it works'}. To take it over:`,
        ...takeOverLines(own, stack.barePath, copy.branch),
        `the change stays in ${dir} until you remove it`,
      ])
    }
    if (keep && !interrupted.aborted) print('everything stays up until Ctrl-C')
    if (keep) await aborted(interrupted)
    return end
  } finally {
    for (const left of await stack.stop()) print(left)
  }
}

function modelOf(parsed: Parsed): ModelChoice {
  const { ANTHROPIC_API_KEY: key, CLAUDE_CODE_OAUTH_TOKEN: token } = process.env
  return modelChoice(text(parsed, 'model-provider') ?? (key || token ? 'anthropic' : 'scripted'), process.env)
}

function openingLines({ own, model, limit }: Try, { branch, commit, leftOut, large }: OwnCopy): readonly string[] {
  return [
    `${own}: commit ${commit.slice(0, 10)} as branch ${branch}`,
    ...leftOut.map((line) => `  left out: ${line}`),
    ...large.map((path) => `  large: ${path} is above 50 MB and slows each checkout`),
    model.provider === 'scripted'
      ? 'model: a script. It solves nothing: it adds one file that quotes the issue'
      : `model: a real one, on your ${model.oauth ? 'subscription' : 'key'}, with at most ${limit.toLocaleString('en-US')} tokens`,
  ]
}

/** Once: what goes on has its issue. */
function openIssue({ forge, fullName }: Stack, issue: string): number {
  const there = forge.issues(fullName).find(({ kind }) => kind === 'issue')
  if (there !== undefined) return there.number
  if (issue === '') throw new UsageError('no issue is open there yet: give --issue TEXT')
  const [title = '', ...body] = issue.split('\n')
  const input = { title: title.slice(0, 250), body: body.join('\n').trim(), labels: [triggerLabel] }
  return forge.openIssue(people.reporter, fullName, input).number
}
