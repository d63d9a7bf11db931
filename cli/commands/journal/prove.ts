import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { machines } from '../../../machines/registry.ts'
import type { ActorBundle } from '../../../runtime/journal/bundle/schema.ts'
import { whatIf, type WhatIf } from '../../../runtime/journal/bundle/what-if.ts'
import { machineHash } from '../../../runtime/step/machine-hash.ts'
import { flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { allOf, type JournalApi } from '../../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../../open-journal.ts'
import { readBundle } from './import.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright prove --against LOG [LOG...] | --all [options]

Replays recorded journals with the tables of this version, as a what-if. The command lists each Task that would have ended
otherwise, and the first event that this version decides otherwise. It changes nothing.
After that event a journal proves less: people and pods would have answered another decision.

Exit code 0: every Task would have ended as it did. 1: at least one would not. 2: a file is no bundle.

  --against LOG     a file of statewright export, or a folder of such files
  --all             every Task of a running orchestrator or of a store
  --kind KIND       other actors than Tasks: project, queue, pod, turn, issue, merge-request (default: task)
  --json            print one line of JSON for each difference
${journalUsage}

Example: statewright prove --against exports/`

const options = {
  ...journalOptions,
  against: { type: 'string' },
  all: { type: 'boolean' },
  kind: { type: 'string' },
  json: { type: 'boolean' },
} as const

const pageSize = 500

export async function prove(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const against = text(parsed, 'against')
  const logs = against === undefined ? [] : [against, ...parsed.positionals]
  if (flag(parsed, 'all') === logs.length > 0) throw new UsageError(`prove takes --against LOG, or --all\n\n${usage}`)
  const judge = judgeOf(parsed)
  const sum = { actors: 0, steps: 0, different: 0, passedOver: 0 }
  const take = (bundle: ActorBundle): void => {
    const result = judge(bundle)
    if (result === 'other kind') return
    if (result === 'passed over') {
      sum.passedOver += 1
      return
    }
    sum.actors += 1
    sum.steps += result.steps
    if (!result.endsDifferently) return
    sum.different += 1
    print(flag(parsed, 'json') ? JSON.stringify(result) : whatIfLines(result))
  }
  if (logs.length > 0) for (const file of logs.flatMap(filesOf)) readBundle(file).actors.forEach(take)
  else await withJournal(parsed, async (journal) => eachBundle(journal, kindOf(parsed), take))
  if (!flag(parsed, 'json'))
    print(
      `${sum.actors} journals, ${sum.steps} events: ${sum.different} would have ended otherwise` +
        (sum.passedOver > 0 ? `; ${sum.passedOver} skipped, because their exports do not replay` : ''),
    )
  return sum.different === 0 ? 0 : 1
}

function kindOf(parsed: Parsed): string {
  const kind = text(parsed, 'kind') ?? 'task'
  if (!machines.some((machine) => machine.kind === kind)) throw new UsageError(`there is no machine ${kind}`)
  return kind
}

function judgeOf(parsed: Parsed): (bundle: ActorBundle) => WhatIf | 'other kind' | 'passed over' {
  const kind = kindOf(parsed)
  const definition = machines.find((machine) => machine.kind === kind)!
  const known = { definition, hash: machineHash(definition) }
  return (bundle) => {
    if (bundle.kind !== kind) return 'other kind'
    return bundle.replay.ok ? whatIf(known, bundle) : 'passed over'
  }
}

function filesOf(log: string): readonly string[] {
  if (!statSync(log).isDirectory()) return [log]
  const files = readdirSync(log).filter((name) => name.endsWith('.json'))
  if (files.length === 0) throw new Error(`${log} contains no file of statewright export (*.json)`)
  return files.toSorted().map((name) => join(log, name))
}

async function eachBundle(journal: JournalApi, kind: string, take: (bundle: ActorBundle) => void): Promise<void> {
  const pages = allOf((after) =>
    journal.actors({ prefix: `${kind}:`, limit: pageSize, ...(after === undefined ? {} : { after }) }),
  )
  for await (const { address } of pages) take(await journal.bundle(address))
}

function whatIfLines({ address, first, recordedEnd, decidedEnd, fault }: WhatIf): readonly string[] {
  const end = fault === undefined ? `ended ${recordedEnd}, would end ${decidedEnd}` : `cannot be replayed: ${fault}`
  if (first === undefined) return [`${address}: ${end}`]
  const { seq, event, recorded, decided } = first
  return [`${address}: ${end}`, `  from event ${seq}, ${event}: was ${recorded}, would be ${decided}`]
}
