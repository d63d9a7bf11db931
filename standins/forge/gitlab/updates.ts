import type { ForgeEvent } from '../store/events.ts'
import type { Repository } from '../store/records.ts'
import type { Message } from '../webhooks/sender.ts'
import type { Links } from './links.ts'
import type { Json } from './payloads/common.ts'
import { formatEvent } from './webhooks.ts'

interface Waiting {
  readonly repository: Repository
  readonly thread: number | undefined
  message: Message
}

interface ThreadPayload {
  readonly object_attributes: { readonly action: string }
  readonly changes: Readonly<Record<string, { readonly previous: unknown; readonly current: unknown }>>
}

/**
 * GitLab sends one hook for one request, where the store has an event for each label. So what one turn of the loop does
 * to one thread is one message: the picture of the last event, the changes of all.
 */
export function collectUpdates(
  links: () => Links,
  deliver: (repository: Repository, message: Message) => void,
): (event: ForgeEvent) => void {
  let waiting: Waiting[] = []

  function flush(): void {
    const all = waiting
    waiting = []
    for (const { repository, message } of all) deliver(repository, message)
  }

  return (event) => {
    for (const message of formatEvent(links(), event)) {
      const thread = threadOf(event)
      const former = waiting.findLast((one) => thread !== undefined && one.thread === thread)
      if (former && message.action === 'update' && joins(former.message))
        former.message = joined(former.message, message)
      else {
        if (waiting.length === 0) queueMicrotask(flush)
        waiting.push({ repository: event.repository, thread, message })
      }
    }
  }
}

function threadOf(event: ForgeEvent): number | undefined {
  if (event.type === 'issue.changed') return event.issue.id
  return event.type === 'pull.changed' ? event.pull.id : undefined
}

function joins({ action }: Message): boolean {
  return action === 'open' || action === 'update'
}

/** A new thread has no changes, whatever labels it was given. */
function joined(former: Message, { event, payload }: Message): Message {
  const [first, last] = [former.payload as ThreadPayload, payload as ThreadPayload & Json]
  const action = former.action ?? 'update'
  const changes = action === 'open' ? {} : merged(first.changes, last.changes)
  return {
    event,
    action,
    payload: { ...last, object_attributes: { ...last.object_attributes, action }, changes },
  }
}

function merged(first: ThreadPayload['changes'], last: ThreadPayload['changes']): ThreadPayload['changes'] {
  const both = Object.entries(last).map(([name, change]) => [
    name,
    { ...change, previous: (first[name] ?? change).previous },
  ])
  return { ...first, ...(Object.fromEntries(both) as ThreadPayload['changes']) }
}
