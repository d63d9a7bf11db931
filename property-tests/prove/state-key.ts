/**
 * What makes two moments of a world the same state: names are the order of their first
 * use, what decides nothing is left out, what is over is dropped, time is not looked at. A part of a world that was
 * looked at before is known by its number, so that a state costs its names only.
 */
import type { ActorAddress, MachineEvent } from '../../machines/definition.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { isDeletedByAuthor, isTakenBack, writerOf } from '../../edges/forge/mirror/facts/hands.ts'
import type { MirroredComment } from '../../edges/forge/mirror/facts/records.ts'
import type { Actors } from '../machines/world/actors.ts'
import { botLogin } from '../machines/world/people.ts'
import type { Process } from '../machines/world/processes.ts'
import { kindOf, type Outstanding, type Snapshot } from '../machines/world/trace.ts'
import type { Subject } from '../machines/world/forge.ts'
import type { World } from '../machines/world/world.ts'
import type { History } from './history.ts'

/** Says when, how it reads, or what it cost: no guard asks for it. */
const words = ['at', 'title', 'body', 'text', 'goal', 'url', 'finalText', 'usage', 'config', 'summary', 'description']
const times = ['startedAt', 'enqueuedAt', 'admittedAt', 'resyncedAt', 'residencyMs']
const clocks = [
  'seenAt',
  'lastActivityAt',
  'createdAt',
  'updatedAt',
  'headSince',
  'headAt',
  'deletedAt',
  'resetsAt',
  'othersAt',
  'since',
  'until',
  'knownSince',
]
const books = ['turns', 'eventsUpTo', 'carried', 'sequence']
const counts = ['day', 'entries', 'probes', 'planHash', 'bodyHash', 'finished', 'message']
const blank: ReadonlySet<string> = new Set([...words, ...times, ...clocks, ...books, ...counts])

const names =
  /"entry":"([a-z0-9/-]+\/\d+)"|"(?:attempt|openAttempt|mergeAttempt|pod|podOrdinal|ordinal|turn|visit)":(\d+)|([a-z]+\/[a-z][a-z0-9-]*)\/(\d+)(?:\/(\d+))?|\b(?:sha|note|outcome|idea)-\d+|"c\d+"/g

interface Part {
  readonly shape: number
  readonly names: readonly string[]
}

function plainOf(value: unknown, but: ReadonlySet<string> = blank): string {
  return JSON.stringify(value, (key, inner: unknown) => (but.has(key) ? undefined : inner))
}

/** The queue's entries are its state, a Task's are a count. */
const blankOfQueue: ReadonlySet<string> = new Set([...blank].filter((name) => name !== 'entries'))

/** Of a Task: what is counted or said of it, and no guard asks for. */
const ofStage = ['enteredAt', 'clockedAt', 'spentMs', 'history', 'detail', 'reviewRounds']
const ofPods = ['recreations', 'visitResidencyMs', 'mergeAsks', 'accountUsage', 'count', 'eventSequence']
const ofLastTurn = ['last', 'lastPod', 'lastFinalText', 'lastPushedRepos', 'lastFailedRepos']
const blankOfTask: ReadonlySet<string> = new Set([...blank, ...ofStage, ...ofPods, ...ofLastTurn])

/** What is pending is text for the agent; whether there is any decides. A note counts when it is of the newest pod. */
function taskText(snapshot: Snapshot): string {
  const { stage, pod, journal, ...rest } = snapshot.context as TaskContext
  const { visit, workStartedAt, ...ofItsStage } = stage
  const { visit: podVisit, ...ofItsPod } = pod
  const { pending, notes, ...ofItsJournal } = journal
  const reduced = {
    ...rest,
    ...{ stage: ofItsStage, pod: ofItsPod, journal: ofItsJournal },
    isPending: pending.length > 0,
    isNoted: notes.some((note) => note.pod === pod.ordinal && note.kind === 'handoff'),
    isSameVisit: pod.alive && visit === podVisit,
    hasWorked: workStartedAt !== null,
  }
  return plainOf([snapshot.value, reduced], blankOfTask)
}

function actorText(address: ActorAddress, snapshot: Snapshot): string {
  const kind = kindOf(address)
  if (kind === 'task') return taskText(snapshot)
  if (kind === 'queue') return plainOf([snapshot.value, snapshot.context], blankOfQueue)
  if (kind !== 'pod') return plainOf([snapshot.value, snapshot.context])
  const { turns } = snapshot.context as { readonly turns: number }
  return `${plainOf([snapshot.value, snapshot.context])}"turn":${turns - 1}`
}

function subjectText({ row, thread, isDirty, holds }: Subject): string {
  const { kind, number, notes } = row
  const said = thread
    .filter(({ comment, notified: told }) => comment.author.login !== botLogin || !told)
    .map((one) => wordOf(one, 'othersAt' in notes ? notes.othersAt : undefined))
  const facts = row.kind === 'issue' ? row.issue : row.mergeRequest
  return plainOf([kind, number, facts, notes, isDirty]) + JSON.stringify([said, holds])
}

/** Whose hands they were decides, not their name; and whether it came after others edited the text that it speaks of. */
function wordOf(row: MirroredComment, othersAt = -Infinity): readonly unknown[] {
  const { comment, deletedAt, notified: told, withdrawal } = row
  const gone = deletedAt === undefined ? '' : isDeletedByAuthor(row) ? 'by its author' : 'by others'
  const isOfThisText = comment.createdAt > othersAt
  return [
    comment.author.login,
    comment.body,
    gone,
    told,
    writerOf(row),
    isTakenBack(row),
    withdrawal?.text,
    isOfThisText,
  ]
}

function processText({ pod, isReady, turns, hasCommits, hasPushed, isClean, hasDecided, read, sent }: Process): string {
  const open = turns.map(({ key, end }) => [key, end === undefined])
  return JSON.stringify([
    pod,
    isReady,
    open.slice(-1),
    hasCommits,
    hasPushed,
    isClean,
    hasDecided,
    read,
    sent.length > 0,
  ])
}

export class StateKeys {
  readonly #shapes = new Map<string, number>()
  readonly #parts = new WeakMap<object, Map<string, Part>>()

  /** Text that two moments share exactly if they are the same state. */
  of(world: World, history: History): string {
    const known = new Map<string, number>()
    return this.#partsOf(world, history)
      .map(({ shape, names: used }) => `${shape}:${used.map((name) => numbered(known, name)).join(',')}`)
      .join(';')
  }

  /** As `of`, but by the very names and whatever came first: what two orders of the same events must share. */
  ofBoth(world: World, history: History): string {
    return this.#partsOf(world, history)
      .map(({ shape, names: used }) => `${shape}:${used.join(',')}`)
      .toSorted()
      .join(';')
  }

  /** One actor, with its own names: for what is asked once for each snapshot that is met. */
  ofActor(address: ActorAddress, snapshot: Snapshot): number {
    return this.#part(snapshot, address, () => actorText(address, snapshot)).shape
  }

  #partsOf({ actors, forge, processes, agents }: World, history: History): readonly Part[] {
    const alive = [...actors.snapshots()].filter(([, { status }]) => status === 'active')
    return [
      ...sorted(alive).map(([address, snapshot]) =>
        this.#part(snapshot, address, () => `${address} ${actorText(address, snapshot)}`),
      ),
      ...this.#mail(actors),
      ...actors.timers.map((timer) => this.#part(timer, '', () => `${timer.actor} ${timer.id}`)),
      ...actors.outbox.map((effect) => this.#effect(effect)),
      ...[...forge.issues, ...forge.mergeRequests].map((subject) => this.#text(subjectText(subject))),
      this.#text(JSON.stringify([...forge.branches])),
      // Who pushed what is asked of heads alone, and only whether there is any.
      this.#text(JSON.stringify([...forge.branches.values()].map((sha) => (forge.foreign.get(sha) ?? []).length > 0))),
      ...processes.alive.map((process) => this.#text(processText(process))),
      this.#text(agents.memories),
      this.#text(JSON.stringify(history)),
    ]
  }

  #mail(actors: Actors): readonly Part[] {
    return actors.channels
      .toSorted()
      .flatMap((channel) =>
        actors
          .mail(channel)
          .map(({ event, isHeld }) =>
            this.#part(
              event,
              channel,
              () => `${nameless(channel)} ${eventText(event)}${isHeld === true ? ' held' : ''}`,
            ),
          ),
      )
  }

  #effect(effect: Outstanding): Part {
    return this.#part(effect, '', () => `${effect.actor} ${effect.type} ${plainOf(effect.params)}`)
  }

  #part(object: object, about: string, text: () => string): Part {
    const parts = this.#parts.get(object) ?? new Map<string, Part>()
    this.#parts.set(object, parts)
    const known = parts.get(about) ?? this.#text(text())
    parts.set(about, known)
    return known
  }

  #text(text: string): Part {
    const used: string[] = []
    const shape = text.replace(
      names,
      (match: string, entry?: string, count?: string, task?: string, ...rest: unknown[]) => {
        if (entry !== undefined) used.push(`e${entry}`)
        else if (count !== undefined) return counted(match, count, used)
        else if (task !== undefined) {
          used.push(`p${String(rest[0])}`)
          if (typeof rest[1] === 'string') used.push(`turn${rest[1]}`)
          return `${task}#`
        } else used.push(match)
        return '#'
      },
    )
    const number = this.#shapes.get(shape) ?? this.#shapes.size
    this.#shapes.set(shape, number)
    return { shape: number, names: used }
  }
}

/** Zero means none, and is no name. */
function counted(match: string, count: string, used: string[]): string {
  const field = match.slice(1, match.indexOf('"', 1))
  if (count === '0') return match
  used.push(`${spaceOf[field] ?? 'p'}${count}`)
  return `${field}#`
}

const spaceOf: Readonly<Record<string, string>> = {
  attempt: 'a',
  openAttempt: 'a',
  mergeAttempt: 'a',
  turn: 'turn',
  visit: 'v',
}

/** Who answers for an effect says so by the effect's key, which counts the steps of the asker. */
function nameless(channel: string): string {
  return channel.replace(/\/\d+\/\d+>/, '>')
}

function eventText(event: MachineEvent): string {
  return plainOf(event)
}

function sorted<T>(entries: readonly (readonly [ActorAddress, T])[]): readonly (readonly [ActorAddress, T])[] {
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function numbered(known: Map<string, number>, name: string): number {
  const number = known.get(name) ?? known.size
  known.set(name, number)
  return number
}
