import type { ActorKind } from '../machines/definition.ts'
import type { ActorView, ListQuery, Runtime } from './runtime.ts'

const readAtOnce = 500

/** Every actor of a kind, and of a status where one is given, whose id begins with the prefix, in order of ids, however many there are. */
export async function* allActors<Kind extends ActorKind>(
  runtime: Pick<Runtime, 'list'>,
  kind: Kind,
  idPrefix = '',
  of: Pick<ListQuery, 'status'> = {},
): AsyncGenerator<ActorView<Kind>> {
  for (let after = ''; ;) {
    const views: readonly ActorView<Kind>[] = await runtime.list(kind, { ...of, idPrefix, after, limit: readAtOnce })
    yield* views
    if (views.length < readAtOnce) return
    after = views.at(-1)?.id ?? ''
  }
}
