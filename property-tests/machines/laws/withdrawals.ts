import type { IssueFacts } from '../../../machines/issue/events.ts'
import type { ActorAddress } from '../../../machines/definition.ts'
import { issueIn, kindOf, taskIn, type Moment, type Performed, type Stepped } from '../world/trace.ts'

/** By Issue: which telling it heard as the newest, and whether a withdrawal stood by then that no maintainer took back. */
export type Heard = Readonly<Record<string, { readonly revision: number; readonly isHeld: boolean }>>

function toldIn({ event, isHeld }: Stepped): { readonly revision: number; readonly isHeld: boolean } | undefined {
  if (event.type !== 'issue.observed' || isHeld === undefined) return undefined
  return { revision: (event['facts'] as IssueFacts).revision ?? 0, isHeld }
}

export function keepHeard(heard: Heard, moment: Moment): Heard {
  const told = moment.kind === 'stepped' ? toldIn(moment) : undefined
  if (moment.kind !== 'stepped' || !told || (heard[moment.actor]?.revision ?? 0) > told.revision) return heard
  return { ...heard, [moment.actor]: told }
}

/** After the moment; `heard` with it. */
export function overruled(heard: Heard, moment: Moment): readonly string[] {
  if (moment.kind === 'performed') return mergedOver(heard, moment)
  const isGranted = kindOf(moment.actor) === 'issue' && issueIn(moment.after).grant !== null
  return isGranted && heard[moment.actor]?.isHeld === true ? [`${moment.actor} grants what a maintainer withdrew`] : []
}

function mergedOver(heard: Heard, { effect, result, actors }: Performed): readonly string[] {
  const task = actors.get(effect.actor)
  if (effect.type !== 'mergeMergeRequest' || result !== 'merged' || !task) return []
  return taskIn(task)
    .forge.issues.map(({ issue }): ActorAddress => `issue:${issue}`)
    .filter((issue) => heard[issue]?.isHeld === true && !isClosed(actors.get(issue)))
    .map((issue) => `${effect.actor} merged what a maintainer withdrew on ${issue}`)
}

/** One of several that was closed drops out. */
function isClosed(snapshot: Parameters<typeof issueIn>[0] | undefined): boolean {
  return snapshot === undefined || issueIn(snapshot).facts?.state === 'closed'
}
