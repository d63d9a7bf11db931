import type { ActorKind } from '../machines/definition.ts'
import type { ActorView, Runtime } from './runtime.ts'

const readAtOnce = 500

/** Every actor of a kind whose id begins with the prefix, in order of ids, however many there are. */
export async function* allActors(
  runtime: Pick<Runtime, 'list'>,
  kind: ActorKind,
  idPrefix = '',
): AsyncGenerator<ActorView> {
  for (let after = ''; ;) {
    const views: readonly ActorView[] = await runtime.list(kind, { idPrefix, after, limit: readAtOnce })
    yield* views
    if (views.length < readAtOnce) return
    after = views.at(-1)?.id ?? ''
  }
}
