import { Type, type TSchema } from 'typebox'
import type { CallRefusal } from '../../machines/turn/schema.ts'
import type { Why } from '../../machines/why/why.ts'
import { flag, readArgs, UsageError } from '../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../server/connect.ts'
import type { RefusingTurn } from '../../orchestrator/refused-calls.ts'
import type { WhyAnswer } from '../../orchestrator/why.ts'
import { table } from '../table.ts'
import { print } from '../terminal.ts'

const usage = `usage: statewright why TASK [--json] [options]

Explains a Task's state: why it rests, who can move it, its place in the queue, its next timer, what it may cost,
and the shortest way to delivered. It also lists tool calls that the wrapper refused because the model did not make them,
and what its pod names that delays the turn, such as a model that does not answer.

  --json            print the whole answer as JSON, events with their fields
${serverUsage}

Example: statewright why implement-lib-1-x7k2p`

export async function why(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' }, ...serverOptions }, usage)
  if (parsed === undefined) return 0
  const [task, ...more] = parsed.positionals
  if (task === undefined || more.length > 0) throw new UsageError(`why takes one Task\n\n${usage}`)
  const client = await connectOrchestrator(parsed)
  const answer = await client.ask(Answer, 'GET', `/operations/why?task=${encodeURIComponent(task)}`)
  print(flag(parsed, 'json') ? JSON.stringify(answer, null, 2).split('\n') : sayWhy(answer))
  return 0
}

const nullOr = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Resting = Type.Object({ reason: Type.String(), unblocks: Type.String() })

/** What is read of it here. */
const Answer = Type.Unsafe<WhyAnswer>(
  Type.Object({
    task: Type.String(),
    stage: Type.String(),
    resting: nullOr(Type.Intersect([Resting, Type.Object({ owner: Type.String() })])),
    detail: nullOr(Type.String()),
    below: Type.Array(Resting),
    queue: nullOr(Type.Object({ position: Type.Number(), reason: Type.String() })),
    nextTimer: nullOr(Type.Object({ name: Type.String(), dueAt: Type.Number() })),
    reviewRounds: nullOr(Type.Number()),
    spending: nullOr(Type.Array(Type.Object({ name: Type.String(), limit: Type.Number(), spent: Type.Number() }))),
    worstCase: Type.Object({ stages: Type.Array(Type.Object({ stage: Type.String() })), laps: Type.Boolean() }),
    path: nullOr(Type.Array(Type.Object({ by: Type.String(), does: Type.String(), stage: Type.String() }))),
    refusedCalls: Type.Array(Type.Object({ pod: Type.Number(), turn: Type.Number() })),
    memory: Type.Array(Type.Object({ repository: Type.String(), commit: Type.String(), due: Type.Number() })),
    firings: Type.Optional(Type.Number()),
    hindrance: Type.Optional(Type.Object({ sentence: Type.String() })),
  }),
)

function sayWhy(why: WhyAnswer): readonly string[] {
  const { task, stage, resting, detail, below, queue, nextTimer, spending, worstCase } = why
  const facts: (readonly [string, string])[] = [
    ...(resting === null
      ? [['why', 'it has ended'] as const]
      : [
          ['why', `${resting.says} (${resting.reason})`] as const,
          ['who', resting.owner] as const,
          ['moved by', resting.unblocks] as const,
        ]),
    ...(detail === null ? [] : [['detail', detail] as const]),
    ...below.map(
      ({ reason, says, unblocks }) => [reason.slice(0, reason.indexOf('/')), `${says}: ${unblocks}`] as const,
    ),
    ...(queue === null ? [] : [['queue', `position ${queue.position}: ${queue.reason}`] as const]),
    ...(nextTimer === null
      ? []
      : [['timer', `${nextTimer.name} at ${new Date(nextTimer.dueAt).toISOString()}`] as const]),
  ]
  if (why.hindrance !== undefined) facts.push(['hindrance', why.hindrance.sentence])
  if (why.firings !== undefined) facts.push(['alert', `fired ${grouped(why.firings)} times`])
  if (why.reviewRounds !== null) facts.push(['rounds', `${why.reviewRounds} reviews requested changes`])
  const costs: (readonly [string, string])[] = [
    ...(spending ?? []).map(
      ({ name, limit, spent, reserved }) => ['spent', sayAccount(name, limit, spent, reserved)] as const,
    ),
    ...(resting === null ? [] : [['cost', sayWorst(worstCase)] as const]),
  ]
  facts.push(
    ...costs,
    ...why.memory.map((held) => ['memory', heldLine(held)] as const),
    ...sayRefused(why.refusedCalls).map((said) => ['refused', said] as const),
  )
  const width = Math.max(...facts.map(([name]) => name.length))
  const lines = facts.map(([name, said]) => `  ${name.padEnd(width)}  ${said}`)
  return [`${task}: ${stage}`, ...lines, ...sayPath(why)]
}

function heldLine({ repository, commit, due, trouble }: WhyAnswer['memory'][number]): string {
  const holds = commit === '' ? 'holds no commit whole yet' : `holds commit ${commit.slice(0, 12)}`
  const lacks = due === 0 ? '' : `lacks ${grouped(due)} files, commits and issues`
  return `${repository}: ${[holds, lacks, trouble].filter(Boolean).join('; ')}`
}

/** Of more the newest are said; `--json` has them all. */
const mostRefusals = 10

const refusedBecause: Readonly<Record<CallRefusal, string>> = {
  'no-turn': 'while no turn ran',
  'no-block': 'that the model did not make',
  'other-tool': 'under the id of a call of another tool',
  'other-arguments': 'with other arguments than the model gave',
  'too-deep': 'whose arguments nest too deep to compare',
}

function sayRefused(turns: readonly RefusingTurn[]): readonly string[] {
  const all = turns.flatMap(({ pod, turn, calls }) =>
    calls.map(({ tool, reason, count }) => {
      const what = `${grouped(count)} ${count === 1 ? 'call' : 'calls'} of ${tool === '' ? 'other tools' : `\`${tool}\``}`
      return `turn ${turn} of pod ${pod}: the wrapper refused ${what} ${refusedBecause[reason]}`
    }),
  )
  const before = all.length - mostRefusals
  return before > 0 ? [`${before} more before these; --json has them`, ...all.slice(-mostRefusals)] : all
}

function sayAccount(name: string, limit: number, spent: number, reserved: number): string {
  const open = reserved > 0 ? `, ${grouped(reserved)} reserved` : ''
  return `${name}: ${grouped(spent)}${open}${limit === 0 ? '' : ` of ${grouped(limit)}`} tokens`
}

/** What the table and the ledger promise, in one line. */
function sayWorst({ stages, tokensPerPass, laps, tokensAtMost }: Why['worstCase']): string {
  const turns = stages.map(({ stage, turns: most }) => `${stage} ${most ?? 'any number of'} turns`).join(', ')
  const pass =
    tokensPerPass === null ? 'no bound' : `at most ${grouped(tokensPerPass)} tokens${laps ? ' per round' : ''}`
  const held = tokensAtMost === null ? 'no limit is set' : `limit ${grouped(tokensAtMost)}`
  return `${pass} (${turns}); ${held}`
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

function sayPath({ path, resting }: Why): readonly string[] {
  if (resting === null) return []
  if (path === null) return ['', 'No way to delivered is known from here.']
  const rows = path.map(({ by, does, stage: then }, index) => [`${index + 1}.`, by, does, then])
  const title = `The shortest way to delivered, ${path.length} ${path.length === 1 ? 'event' : 'events'}:`
  return ['', title, ...table(['', 'WHO', 'DOES', 'THEN'], rows)]
}
