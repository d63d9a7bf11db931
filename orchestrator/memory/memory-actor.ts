/** What the actors of a Project's memory are told: the one that fills it, and the one of its stack. */
import { lookOf } from '../../machines/memory-stack/context.ts'
import type { StackSight } from '../../machines/memory-stack/events.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'

/** Of a Project whose memory nobody has ever filled there is none, and nothing to deliver. `project`: `<namespace>/<name>`. */
export async function deliverToMemory(
  runtime: Pick<Runtime, 'deliver' | 'read'>,
  project: string,
  delivery: Pick<Delivery, 'key' | 'event'>,
): Promise<void> {
  const to = `memory:${project}` as const
  if ((await runtime.read(to)) !== undefined) await runtime.deliver({ to, ...delivery })
}

/** A part of its stack ended by itself: the actor hears it as its newest look's answer, and looks again soon. One that ends or is gone stays so. */
export async function deliverSight(
  runtime: Pick<Runtime, 'deliver' | 'read'>,
  project: string,
  { key, at, sight }: { readonly key: string; readonly at: number; readonly sight: StackSight },
): Promise<void> {
  const to = `memory-stack:${project}` as const
  const stack = await runtime.read(to)
  if (stack === undefined) return
  await runtime.deliver({ to, key, event: { type: 'stack.seen', at, run: lookOf(stack.context), ...sight } })
}
