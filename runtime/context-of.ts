import type { ActorView } from './runtime.ts'

/** What an actor knows, in the type of its machine: whoever asked for an actor of a kind knows that kind. */
export function contextOf<Context>({ context }: Pick<ActorView, 'context'>): Context {
  return context as unknown as Context
}
