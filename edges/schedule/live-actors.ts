import type { ActorKind } from '../../machines/definition.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'

const readAtOnce = 500

/** Contexts of a kind in the namespace of a Project, however many there are; those that have ended are passed over. */
export async function* liveActors<Context>(
  runtime: Pick<Runtime, 'list'>,
  kind: ActorKind,
  project: string,
): AsyncGenerator<Context> {
  const idPrefix = project.slice(0, project.indexOf('/') + 1)
  for (let after = ''; ;) {
    const views: readonly ActorView[] = await runtime.list(kind, { idPrefix, after, limit: readAtOnce })
    for (const view of views) if (view.status === 'active') yield view.context as unknown as Context
    if (views.length < readAtOnce) return
    after = views.at(-1)?.id ?? ''
  }
}
