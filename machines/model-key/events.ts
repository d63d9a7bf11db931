import { Type, type Static } from 'typebox'
import { At } from '../event.ts'
import { Withholding } from '../turn/schema.ts'

const Project = { project: Type.String({ description: 'id of the Project, and of its queue' }) }
const Probe = { ...Project, task: Type.String() }

export const ModelKeyEvent = Type.Union([
  /** Pods of the Project use this key -> `queue.withheld` | `queue.served` to its queue. */
  Type.Object({ type: Type.Literal('key.joined'), ...At, ...Project }),
  Type.Object({ type: Type.Literal('key.left'), ...At, ...Project }),
  /** A turn ended because the provider withholds the model from the key. */
  Type.Object({
    type: Type.Literal('key.withheld'),
    ...At,
    task: Type.String(),
    cause: Withholding,
    message: Type.String({ description: "the provider's words" }),
    resetsAt: Type.Optional(Type.Integer({ description: 'epoch milliseconds, where the provider says it' })),
  }),
  /** A turn of the Task ended well. Told while the model is withheld only. */
  Type.Object({ type: Type.Literal('key.served'), ...At, task: Type.String() }),
  /** The queue that was asked admitted one Task. */
  Type.Object({ type: Type.Literal('key.probing'), ...At, ...Probe }),
  /** Nothing waits there that its queue may admit. */
  Type.Object({ type: Type.Literal('key.idle'), ...At, ...Project }),
  /** Something waits there that nothing but the key holds back. */
  Type.Object({ type: Type.Literal('key.wanted'), ...At, ...Project }),
  /** The slot of the Task that probed is free again. */
  Type.Object({ type: Type.Literal('key.probeEnded'), ...At, ...Probe }),
])
export type ModelKeyEvent = Static<typeof ModelKeyEvent>
