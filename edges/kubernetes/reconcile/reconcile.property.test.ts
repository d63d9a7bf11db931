/**
 * A process that reconciles may die between any two calls, reads caches that lag, and starts again from what there is. Under
 * any order of people's acts, of the actors' steps and of deaths:
 *
 * 1. No uid is minted twice, and nothing that the platform wrote or a backup brought back is minted at all.
 * 2. An actor is told of a Task only while the Task is held.
 * 3. No object goes while something of it lives or waits.
 * 4. In the end no resource is lost, no deleted object stays, and only what lives is held.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KubeObject } from '../api/api.ts'
import { idOf } from '../../forge/project-names.ts'
import { resourceOf } from './resources.ts'
import { hasFinalizer, isDeleting, isMadeByOrchestrator, lifeAnnotation, orchestratorMade } from '../api/marks.ts'
import { createWorld, projectSpec, startProcess, taskSpec, type Process, type World } from '../testing/reconciling.ts'

class Death extends Error {}

type Act =
  | { readonly act: 'create' | 'delete' | 'wipe status'; readonly kind: 'Project' | 'Task'; readonly name: string }
  | { readonly act: 'platform mints' | 'ends' | 'is forgotten'; readonly name: string }
  | { readonly act: 'deliver' | 'work' | 'die after'; readonly count: number }
  | { readonly act: 'catches up' | 'admit' | 'finish' | 'time passes' | 'back up' | 'restore' }

const taskNames = ['one', 'two'] as const
const task = fc.constantFrom(...taskNames)
const count = fc.integer({ min: 1, max: 12 })
const ofTask = fc.record({
  act: fc.constantFrom('create' as const, 'delete' as const),
  kind: fc.constant('Task' as const),
  name: task,
})
const ofProject = fc.record({
  act: fc.constantFrom('create' as const, 'delete' as const),
  kind: fc.constant('Project' as const),
  name: fc.constant('demo'),
})

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: ofTask },
  { weight: 2, arbitrary: ofProject },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('wipe status' as const), kind: fc.constant('Task' as const), name: task }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom('platform mints' as const, 'ends' as const, 'is forgotten' as const),
      name: fc.constantFrom('one', 'three'),
    }),
  },
  { weight: 8, arbitrary: fc.record({ act: fc.constantFrom('deliver' as const, 'work' as const), count }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('die after' as const), count }) },
  { weight: 10, arbitrary: fc.record({ act: fc.constant('catches up' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constantFrom('admit' as const, 'finish' as const, 'time passes' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('back up' as const, 'restore' as const) }) },
)

test('whatever dies between two calls, each Task is minted once and each object goes when its work is done', async () => {
  const runs = Number(process.env['STATEWRIGHT_RUNS'] ?? 300)
  const seed = process.env['STATEWRIGHT_SEED']
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
      const life = new Life()
      await life.begin()
      for (const one of acts) await life.perform(one)
      await life.end()
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
})

class Life {
  readonly #world: World = createWorld()
  readonly #broken: string[] = []
  readonly #restored = new Set<string>()
  #backup: readonly KubeObject[] = []
  #isSetBack = false
  #process!: Process
  /** Calls until the process dies; undefined: it lives. */
  #fuse: number | undefined

  async begin(): Promise<void> {
    const { api, actors } = this.#world
    api.before = api.after = () => this.#burn()
    actors.fault = (call, moment) => {
      if (moment === 'before' && call.startsWith('applied')) this.#judgeApplied(call)
      this.#burn()
    }
    api.subscribe((object, change) => change === 'gone' && this.#judgeGone(object))
    this.#process = await startProcess(this.#world, { lags: true })
    for (const name of taskNames) this.#create('Task', name)
    this.#create('Project', 'demo')
  }

  async perform(one: Act): Promise<void> {
    if (one.act === 'deliver') for (const cache of Object.values(this.#process.caches)) cache.deliver(one.count)
    else if (one.act === 'work') for (let left = one.count; left > 0; left--) await this.#process.queue.step()
    else if (one.act === 'time passes') {
      this.#process.queue.fire()
      for (const key of this.#process.queue.failures.keys()) this.#process.queue.add(key)
    } else if (one.act === 'catches up') await this.#catchUp()
    else if (one.act === 'die after') this.#fuse ??= one.count
    else this.#around(one)
    if (this.#fuse !== undefined && this.#fuse <= 0) await this.#restart(true)
    expect(this.#broken).toEqual([])
  }

  /** Nothing happens any more but work, in a process that does not die. */
  async end(): Promise<void> {
    const { actors } = this.#world
    await this.#restart(false)
    for (let round = 0; round < 4; round++) {
      await this.#process.settle(3)
      actors.admit()
      actors.finish()
      await this.#process.reconciler.sweep()
    }
    await this.#process.settle(3)
    this.#judgeEnd()
    expect(this.#broken).toEqual([])
  }

  async #catchUp(): Promise<void> {
    for (const cache of Object.values(this.#process.caches)) cache.deliver()
    await this.#process.queue.drain()
  }

  async #restart(lags: boolean): Promise<void> {
    await this.#process.die()
    this.#fuse = undefined
    this.#process = await startProcess(this.#world, { lags })
  }

  #burn(): void {
    if (this.#fuse !== undefined && --this.#fuse <= 0) throw new Death('the process dies')
  }

  /** What happens outside of the process. */
  #around(one: Act): void {
    const { api, actors } = this.#world
    if (one.act === 'admit') actors.admit()
    else if (one.act === 'finish') actors.finish()
    else if (one.act === 'back up') this.#backup = api.all('Task')
    else if (one.act === 'restore') this.#restore()
    else if (one.act === 'create') this.#create(one.kind, one.name)
    else if (one.act === 'platform mints') this.#platformMints(one.name)
    else if (one.act === 'ends') {
      const actor = actors.tasks.get(`default/${one.name}`)
      if (actor !== undefined) actor.state = 'final'
    } else if (one.act === 'is forgotten') {
      const actor = actors.tasks.get(`default/${one.name}`)
      if (actor?.state === 'final' && actor.madeBy === undefined) actors.tasks.delete(`default/${one.name}`)
    } else if (one.act === 'delete' && api.find(one.kind, one.name)) api.remove(one.kind, one.name)
    else if (one.act === 'wipe status' && api.find(one.kind, one.name))
      api.edit(one.kind, one.name, { status: undefined })
  }

  #create(kind: 'Project' | 'Task', name: string): void {
    const { api } = this.#world
    if (api.find(kind, name) === undefined)
      api.create({ kind, name, spec: kind === 'Project' ? projectSpec : taskSpec })
  }

  /** Its actor first, then its object, as the mirror makes it. */
  #platformMints(name: string): void {
    const { api, actors } = this.#world
    const [id, project] = [`default/${name}`, 'default/demo']
    const isOpen = actors.projects.get(project)?.isDeleted === false && api.find('Project', 'demo') !== undefined
    const isFree = !actors.tasks.has(id) && api.find('Task', name) === undefined
    const isAwaited = [...actors.waiting.values()].some(({ task: waiting }) => waiting === id)
    if (!isOpen || !isFree || isAwaited) return
    actors.tasks.set(id, { state: 'live', isClosing: isDeleting(api.find('Project', 'demo')!), project })
    api.create({ kind: 'Task', name, spec: taskSpec, metadata: { labels: orchestratorMade } })
  }

  /** The server is set back, so that each object has another uid. */
  #restore(): void {
    const { api } = this.#world
    this.#isSetBack = true
    for (const { metadata } of this.#backup) if (api.find('Task', metadata.name)) api.force('Task', metadata.name)
    this.#isSetBack = false
    for (const { metadata, spec = {} } of this.#backup) {
      const { labels = {}, annotations = {}, finalizers = [] } = metadata
      const made = api.create({
        kind: 'Task',
        name: metadata.name,
        spec,
        metadata: { labels, annotations, finalizers },
      })
      if (annotations[lifeAnnotation] !== undefined) this.#restored.add(made.metadata.uid)
    }
  }

  #judgeApplied(call: string): void {
    const [, id = '', uid = ''] = call.split(' ')
    const object = this.#world.api.find('Task', id.slice(id.indexOf('/') + 1))
    if (object?.metadata.uid !== uid || !hasFinalizer(object)) this.#broken.push(`${call}, and it is not held`)
    else if (isMadeByOrchestrator(object)) this.#broken.push(`${call}, and the platform wrote it`)
    if (this.#restored.has(uid)) this.#broken.push(`${call}, and it is a copy`)
  }

  #judgeGone(object: KubeObject): void {
    if (this.#isSetBack) return
    const { tasks, waiting } = this.#world.actors
    const { uid } = object.metadata
    const id = idOf(resourceOf(object).resource)
    if (object.kind === 'Project') {
      const living = [...tasks].filter(([, one]) => one.project === id && one.state === 'live')
      if (living.length > 0) this.#broken.push(`${id} is gone before ${living.map(([name]) => name)}`)
    }
    if (object.kind !== 'Task') return
    const own = isMadeByOrchestrator(object) ? tasks.get(id) : [...tasks.values()].find(({ madeBy }) => madeBy === uid)
    if (own?.state === 'live') this.#broken.push(`${id} is gone while its actor lives`)
    if (waiting.has(uid)) this.#broken.push(`${id} is gone while it waits`)
  }

  #judgeEnd(): void {
    const { api, actors } = this.#world
    for (const [uid, times] of actors.minted) if (times > 1) this.#broken.push(`${uid} was minted ${times} times`)
    for (const object of [...api.all('Project'), ...api.all('Task')]) {
      const id = idOf(resourceOf(object).resource)
      if (isDeleting(object)) this.#broken.push(`${object.kind} ${id} stays deleted`)
      else if (object.kind === 'Project') this.#judgeProject(object, id)
      else this.#judgeTask(object, id)
    }
    for (const [id, { isDeleted }] of actors.projects)
      if (!isDeleted && api.find('Project', 'demo') === undefined) this.#broken.push(`${id} was not told of its end`)
  }

  #judgeProject(object: KubeObject, id: string): void {
    if (!hasFinalizer(object)) this.#broken.push(`${id} is not held`)
    if (this.#world.actors.projects.get(id)?.isDeleted !== false) this.#broken.push(`${id} is lost`)
  }

  #judgeTask(object: KubeObject, id: string): void {
    const { api, actors } = this.#world
    const { uid } = object.metadata
    const isOurs = isMadeByOrchestrator(object)
    const own = isOurs ? actors.tasks.get(id) : [...actors.tasks.values()].find(({ madeBy }) => madeBy === uid)
    const isTaken = !isOurs && [...actors.tasks].some(([name, one]) => name === id && one.madeBy === undefined)
    const isMintable = !this.#restored.has(uid) && !isTaken && api.find('Project', 'demo') !== undefined
    if (own === undefined && (isOurs || isMintable)) this.#broken.push(`Task ${id} is lost`)
    if (own?.state === 'live' && !hasFinalizer(object)) this.#broken.push(`Task ${id} lives and is not held`)
    if (own?.state !== 'live' && !isTaken && hasFinalizer(object)) this.#broken.push(`Task ${id} is over and held`)
  }
}
