/** What is told or asked twice: duplicates change nothing (law 8), and no write is asked for twice at once (law 11). */
import { kindOf } from '../machines/world/trace.ts'
import type { Moves } from './moves.ts'
import type { FiniteLaw, Seen } from './world-model.ts'

const prefix = 'again/'

/** What may come under another key too: from edges that are not sure, or out of a dead letter. */
const repeated =
  /^(queue\.\w+|slot\.granted|task\.minted|pod\.(start|stop|volumesBound|created|ready|vanished)|reservation\.(granted|settled))$/

/** It arrives, and once more. */
export const repeats: Moves = ({ actors }) =>
  actors.channels.flatMap((channel) => {
    const [mail] = actors.mail(channel)
    if (!mail || !repeated.test(mail.event.type)) return []
    const says = `${channel}: ${mail.event.type}, told twice`
    const act = (one: Parameters<Moves>[0]): void => {
      one.actors.deliver(channel)
      one.actors.ask({ ...mail, key: `${prefix}${mail.key}` })
    }
    return [{ says, cost: 1 as const, act }]
  })

const reads: ReadonlySet<string> = new Set(['answer', 'readSession'])

/** When it was heard is no change. */
function plainOf(snapshot: unknown): string {
  return JSON.stringify(snapshot, (key, inner: unknown) => (key === 'at' ? undefined : inner))
}

function changedAgain({ moment }: Seen): readonly string[] {
  if (moment.kind !== 'stepped' || !moment.heardAs?.startsWith(prefix)) return []
  const { actor, before, after, event, effects } = moment
  if (!before) return []
  const isSame =
    plainOf([before.value, before.status, before.context]) === plainOf([after.value, after.status, after.context])
  return [
    ...(isSame ? [] : [`${event.type}, told again, changes a ${kindOf(actor)}`]),
    ...effects.filter(({ type }) => !reads.has(type)).map(({ type }) => `${event.type}, told again, asks for ${type}`),
  ]
}

const writes: ReadonlySet<string> = new Set([
  'bindVolumes',
  'createPod',
  'submitTurn',
  'openMergeRequest',
  'mergeMergeRequest',
  'requestFold',
  'fileIssue',
])

/** One write under two keys would be done twice by whoever recovers after a crash. */
function askedTwice({ moment, world }: Seen): readonly string[] {
  if (moment.kind !== 'stepped' || moment.outstanding.length < 2) return []
  const asked = world.actors.outbox
    .filter(({ actor, type }) => actor === moment.actor && writes.has(type))
    .map(({ type, params }) => `${type} ${JSON.stringify(params)}`)
  return asked
    .filter((one, index) => asked.indexOf(one) !== index)
    .map((one) => `${one.split(' ')[0]} is asked for twice`)
}

export const repeatLaws: readonly FiniteLaw[] = [
  { law: 8, says: 'what is told again changes nothing', breaches: changedAgain },
  { law: 11, says: 'no write is outstanding under two keys', breaches: askedTwice },
]
