/** The rows of a key of the model (MODEL-KEY, docs/rules.md): held back for all, tried by one. */
import { newModelKey, type ModelKeyContext } from '../../../machines/model-key/context.ts'
import type { ModelKeyEvent } from '../../../machines/model-key/events.ts'
import { Asking, type Mutable, type Rows } from './draft.ts'

const minute = 60_000
type Draft = Mutable<ModelKeyContext>
type Withheld = Extract<ModelKeyEvent, { readonly type: 'key.withheld' }>

/** MODEL-KEY-3: 15, 30, 60 and then 120 minutes; a window's reset alone may be later. */
function dueAt(k: Draft, { cause, resetsAt = 0 }: Withheld): number {
  const minutes = [15, 30, 60, 120][Math.min(3, k.refusals)]!
  const tried = k.at + minutes * minute
  if (resetsAt <= k.at) return tried
  return cause === 'usage_limit' || resetsAt < tried ? resetsAt : tried
}

/** The state that follows, if another does. */
class Step {
  readonly asking = new Asking()
  readonly k: Draft
  state: string
  isHeldAnew = false

  constructor(k: Draft, state: string) {
    this.k = k
    this.state = state
  }

  tell(project: string, again: { readonly again?: true } = {}): void {
    const { id, hold } = this.k
    if (hold === null) this.asking.tell(`queue:${project}`, 'queue.served', { key: id })
    else this.asking.tell(`queue:${project}`, 'queue.withheld', { key: id, ...hold, ...again })
  }

  hold(event: Withheld): void {
    const { k } = this
    const { cause, message } = event
    k.hold = { cause, message, since: k.hold?.since ?? k.at, until: dueAt(k, event) }
    this.rest()
    this.state = 'withheld'
    this.isHeldAnew = true
    k.projects.forEach((project) => this.tell(project))
  }

  rest(): void {
    this.k.probe = ''
    this.k.toAsk = []
  }

  ask(projects: readonly string[]): void {
    this.k.toAsk = projects
    this.state = projects.length === 0 ? 'vacant' : 'asking'
    if (projects[0] !== undefined) this.asking.tell(`queue:${projects[0]}`, 'queue.probe', { key: this.k.id })
  }
}

function hear(step: Step, event: ModelKeyEvent): void {
  const { k, state } = step
  const isAsked = 'project' in event && state === 'asking' && event.project === k.toAsk[0]
  const isProbe = 'task' in event && state === 'trying' && event.task === k.probe
  switch (event.type) {
    case 'key.joined':
      k.knownSince ??= k.at
      k.projects = [...k.projects.filter((one) => one !== event.project), event.project].toSorted()
      return step.tell(event.project, { again: true })
    case 'key.left':
      k.projects = k.projects.filter((one) => one !== event.project)
      k.toAsk = k.toAsk.filter((one) => one !== event.project)
      return isAsked ? step.ask(k.toAsk) : undefined
    case 'key.withheld': {
      const isLonger =
        state === 'withheld' && event.cause === 'usage_limit' && Number(event.resetsAt ?? 0) > k.hold!.until
      if (isProbe) k.refusals += 1
      return state === 'serving' || isLonger || isProbe ? step.hold(event) : undefined
    }
    case 'key.served':
      if (!isProbe) return
      Object.assign(k, { hold: null, refusals: 0 })
      step.rest()
      step.state = 'serving'
      return k.projects.forEach((project) => step.tell(project))
    case 'key.probing':
      if (!isAsked) return isProbe || state === 'serving' ? undefined : step.tell(event.project)
      Object.assign(k, { probe: event.task, toAsk: [] })
      step.state = 'trying'
      return
    case 'key.idle':
      return isAsked ? step.ask(k.toAsk.slice(1)) : undefined
    case 'key.wanted':
      if (state === 'asking' && !k.toAsk.includes(event.project)) k.toAsk = [...k.toAsk, event.project]
      return state === 'vacant' ? step.ask([event.project]) : undefined
    case 'key.probeEnded':
      if (!isProbe) return
      k.hold = { ...k.hold!, until: k.at + minute }
      step.rest()
      step.state = 'withheld'
  }
}

export const modelKeyRows: Rows = (before, event, id) => {
  const k: Draft = { ...(before ? (before.context as ModelKeyContext) : newModelKey(id)) }
  const step = new Step(k, before ? String(before.value) : 'serving')
  k.at = Math.max(k.at, event.at)
  if (event.type.startsWith('xstate.after.pause')) step.ask(k.projects)
  else hear(step, event as unknown as ModelKeyEvent)
  return {
    leaves: [step.state],
    context: k,
    effects: step.asking.effects,
    timers: step.state === 'withheld' ? ['pause'] : [],
    rearms: step.isHeldAnew ? ['pause'] : [],
    delays: { pause: Math.max(0, (k.hold?.until ?? k.at) - k.at) },
  }
}
