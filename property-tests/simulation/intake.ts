/**
 * How a life fills a memory. It asks the service as `statewright ingest` does: a bounded number of jobs a step, the commit
 * in the last one, then the code graph. Whatever is cut is done again by the next step, which goes by what is there.
 */
import type { GitCache } from '../../edges/git/store/cache.ts'
import type { MemoryIntake, MemorySource } from '../../edges/ports/memory-intake.ts'
import type { Indexed } from '../../machines/memory/events.ts'
import type { Lifeline } from '../runtime/simulation/lifeline.ts'
import type { Held } from './memory.ts'
import { callOverNetwork, type Outside } from './network.ts'

const issuesOfAJob = 2
const mostJobs = 2
const longestJobMs = 6000

export function intakeOf(line: Lifeline, outside: Outside): MemoryIntake {
  return async (source, signal) => {
    const { memory, forge } = outside
    const end = memory.begin(line, source.project, forge.place)
    try {
      return await fill(source, { line, outside, signal })
    } finally {
      end()
    }
  }
}

interface Way {
  readonly line: Lifeline
  readonly outside: Outside
  readonly signal: AbortSignal
}

async function fill(source: MemorySource, way: Way): Promise<Indexed> {
  const held = way.outside.memory.held(source.repository)
  const jobs = await ask('record', way, () => jobsFor(source, held))
  const sent = jobs.slice(0, mostJobs)
  let refused = 0
  for (const work of sent) refused += (await job(way, () => work(held))) ? 0 : 1
  const due = jobs.length - sent.length + refused
  const commit = await ask('record', way, () => held.commit)
  if (commit === source.commit && commit !== source.known)
    await ask('graph', way, () => {
      held.graph = commit
    })
  return { commit, due, trouble: refused === 0 ? '' : `the memory did not take ${refused} of the jobs` }
}

type Job = (held: Held) => void

/** What is gone goes first; the last one has the files, and with them the commit. */
function jobsFor({ issues, commit }: MemorySource, held: Held): readonly Job[] {
  const gone = [...held.issues.keys()].filter((number) => !issues.some((issue) => issue.number === number))
  const changed = issues.filter((issue) => JSON.stringify(issue) !== JSON.stringify(held.issues.get(issue.number)))
  const acts: readonly Job[] = [
    ...gone.map(
      (number) =>
        ({ issues: kept }: Held) =>
          void kept.delete(number),
    ),
    ...changed.map(
      (issue) =>
        ({ issues: kept }: Held) =>
          void kept.set(issue.number, issue),
    ),
  ]
  const jobs = Array.from({ length: Math.ceil(acts.length / issuesOfAJob) }, (_, index): Job => {
    const own = acts.slice(index * issuesOfAJob, (index + 1) * issuesOfAJob)
    return (one) => own.forEach((act) => act(one))
  })
  return held.commit === commit ? jobs : [...jobs, (one) => void (one.commit = commit)]
}

/** False: the service answered that it did not take all. */
async function job(way: Way, work: () => void): Promise<boolean> {
  const { line, outside } = way
  await rest(line, outside.memory.pace.fraction() * longestJobMs)
  return ask('job', way, (isFailing) => {
    if (!isFailing) work()
    return !isFailing
  })
}

function rest(line: Lifeline, ms: number): Promise<void> {
  return new Promise((resolve) => line.world.after(ms, () => line.hear(resolve)))
}

type Call = 'record' | 'job' | 'graph'

async function ask<T>(call: Call, { line, outside, signal }: Way, work: (isFailing: boolean) => T): Promise<T> {
  const { memory, faults } = outside
  const what = faults.nextMemory()
  if (memory.silenceMs !== undefined) await rest(line, memory.silenceMs)
  signal.throwIfAborted()
  return callOverNetwork(
    { line, point: `memory ${call}` },
    async () => {
      if (what === 'away' || memory.silenceMs !== undefined) throw new Error('the memory does not answer')
      return work(what === 'failed')
    },
    what === 'unheard' ? 'unanswered' : undefined,
  )
}

/** Bare copies without files: their heads are those of the forge. */
export function copiesOf(line: Lifeline, outside: Outside): GitCache {
  return {
    update: ({ repository }) =>
      callOverNetwork({ line, point: 'memory fetch' }, async () => {
        const heads = outside.forge.heads(repository)
        return {
          dir: `/copies/${repository}`,
          heads: () => Promise.resolve(heads),
          quarantine: () => Promise.reject(new Error('pods push past the gateway here')),
        }
      }),
    forget: () => Promise.resolve(),
  }
}
