import type { ActorKind } from '../../machines/definition.ts'
import { allActors } from '../../runtime/all-actors.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'

/** Contexts of a kind in the namespace of a Project, however many there are; those that have ended are passed over. */
export async function* liveActors<Kind extends ActorKind>(
  runtime: Pick<Runtime, 'list'>,
  kind: Kind,
  project: string,
): AsyncGenerator<ActorView<Kind>['context']> {
  const idPrefix = project.slice(0, project.indexOf('/') + 1)
  for await (const view of allActors(runtime, kind, idPrefix)) if (view.status === 'active') yield view.context
}
