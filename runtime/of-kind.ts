import type { ActorKind } from '../machines/definition.ts'
import type { ActorView } from './runtime.ts'

/** Of a view of any kind: whether it is of this one, and so what its context is. */
export function isOfKind<Kind extends ActorKind>(view: ActorView, kind: Kind): view is ActorView<Kind> {
  return view.kind === kind
}
