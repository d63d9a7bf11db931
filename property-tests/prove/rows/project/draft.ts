/** A Project on its way through one step: its readiness, and a region for everything that it does by itself. */
import { newProject, type Block, type ProjectContext, type Scheduled } from '../../../../machines/project/context.ts'
import type { BlockName, ProjectEvent, ScheduleSettings } from '../../../../machines/project/events.ts'
import type { Snapshot } from '../../../machines/world/trace.ts'
import { Asking, leavesOf, type Mutable } from '../draft.ts'

export type EventOf<T extends ProjectEvent['type']> = Extract<ProjectEvent, { type: T }>
export const blockNames: readonly BlockName[] = ['issueScan', 'brainstorm', 'documentation', 'upgrade']
export type Region = 'readiness' | 'refine' | 'budget' | BlockName
const regions: readonly Region[] = ['readiness', 'refine', ...blockNames, 'budget']

export class ProjectDraft extends Asking {
  readonly c: Mutable<ProjectContext>
  /** `scheduled` only: with nothing to do by itself a Project is its readiness. */
  isScheduled: boolean
  isDeleted: boolean
  /** How long each timer waits that this step arms. */
  readonly delays: Record<string, number> = {}
  /** The refine that lived when the event came. */
  refineTask = ''
  readonly at: Record<Region, string> = {
    readiness: 'notReady',
    refine: 'none',
    issueScan: 'off',
    brainstorm: 'off',
    documentation: 'off',
    upgrade: 'off',
    budget: 'off',
  }

  constructor(before: Snapshot | undefined, id: string, at: number) {
    super()
    this.c = { ...(before ? (before.context as ProjectContext) : newProject(id)) }
    this.c.at = Math.max(this.c.at, at)
    const leaves = before ? leavesOf(before.value) : ['notReady']
    this.isScheduled = leaves[0]!.startsWith('scheduled')
    this.isDeleted = leaves[0] === 'deleted'
    if (!this.isScheduled) this.at.readiness = leaves[0]!
    else
      for (const region of regions) {
        const leaf = leaves.find((one) => one.startsWith(`scheduled.${region}.`))!
        this.at[region] = leaf.slice(`scheduled.${region}.`.length)
      }
  }

  get leaves(): readonly string[] {
    if (this.isDeleted) return ['deleted']
    if (!this.isScheduled) return [this.at.readiness]
    return regions.map((region) => `scheduled.${region}.${this.at[region]}`)
  }

  get scheduled(): Mutable<Scheduled> {
    return this.c.scheduled as Mutable<Scheduled>
  }

  get settings(): ScheduleSettings | undefined {
    return this.c.scheduled?.settings
  }

  block(name: BlockName): Block {
    return this.scheduled.blocks[name]
  }

  patch(name: BlockName, patch: Partial<Block>): void {
    const { blocks } = this.scheduled
    this.c.scheduled = { ...this.scheduled, blocks: { ...blocks, [name]: { ...blocks[name], ...patch } } }
  }

  patchScheduled(patch: Partial<Scheduled>): void {
    this.c.scheduled = { ...this.scheduled, ...patch }
  }

  run(name: BlockName): string {
    return `${name}/${this.block(name).runs}`
  }

  get mayRun(): boolean {
    return !this.c.isPaused && this.c.reason === ''
  }

  tellQueue(type: string, fields: object = {}): void {
    this.tell(`queue:${this.c.id}`, type, { ...fields })
  }
}
