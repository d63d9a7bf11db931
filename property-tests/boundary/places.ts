/** Which suites want a pod, and which walls, of a Kubernetes cluster. */
import type { Suite } from './attack.ts'
import { openClones } from './stages/clones.ts'
import { openPods } from './stages/pods.ts'
import { openScreens } from './stages/screens.ts'
import { openViews, openViewsWithoutOverlay } from './stages/views.ts'
import { openWires } from './stages/wires.ts'

/**
 * `pod`: its stage starts pods, with the agent's CLI. `inside`: its stage opens a wrapper's walls where it runs itself, so a
 * pod runs the stage. `none`: it attacks the forge's, the gateway's and the orchestrator's side, which is the same everywhere.
 */
export type Place = 'pod' | 'inside' | 'none'

const walled: readonly unknown[] = [openClones, openScreens, openViews, openViewsWithoutOverlay, openWires]

export function placeOf({ open }: Pick<Suite, 'open'>): Place {
  if ((open as unknown) === openPods) return 'pod'
  return walled.includes(open) ? 'inside' : 'none'
}
