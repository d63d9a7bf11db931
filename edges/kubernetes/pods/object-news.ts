/** What the Events of an object say. */
import { KubeError } from '../api/answers.ts'
import { pathOf, type KubeClient, type KubeObject, type KubeResource } from '../api/api.ts'

const events: KubeResource = { apiVersion: 'v1', plural: 'events' }
/** The controller manager writes it of each claim whose class waits for a pod (pkg/controller/volume/events/event.go). */
const waitsForConsumer = 'WaitForFirstConsumer'

/** `words`: of the newest Event; empty: there is none. `forConsumer`: nothing binds the claim before a pod has it. */
export interface ObjectNews {
  readonly words: string
  readonly forConsumer: boolean
}

/** Where its Events cannot be read, nobody knows that a claim waits for a pod. */
export async function newsOf(
  client: Pick<KubeClient, 'ask'>,
  { metadata: { namespace = 'default', uid } }: KubeObject,
): Promise<ObjectNews> {
  const query = { fieldSelector: `involvedObject.uid=${uid}` }
  try {
    const list = await client.ask<EventList>('GET', pathOf(events, { namespace }), { query })
    const all = (list.items ?? []).toSorted((one, other) => timeOf(other) - timeOf(one))
    return { words: all[0]?.message ?? '', forConsumer: all.some(({ reason }) => reason === waitsForConsumer) }
  } catch (error) {
    if (error instanceof KubeError) return { words: `its Events cannot be read (${error.message})`, forConsumer: false }
    throw error
  }
}

interface EventList {
  readonly items?: readonly HappenedEvent[] | null
}

interface HappenedEvent {
  readonly reason?: string
  readonly message?: string
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly metadata: { readonly creationTimestamp: string }
}

function timeOf({ lastTimestamp, eventTime, metadata }: HappenedEvent): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp)
}
