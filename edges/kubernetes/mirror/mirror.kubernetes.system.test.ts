/** The mirror on a real API server: actors of the test, objects of its own namespace. */
import { expect, test } from 'vitest'
import { stringify, parse } from 'yaml'
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '../../../crd/kinds.ts'
import { sleep, systemClock } from '../../../runtime/clock.ts'
import { startControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { aTask, anEntry, FakeActors } from '../testing/mirroring.ts'
import { allThere, namesOf, show, versionsOf, withMirror, type World } from '../testing/real-mirror.ts'
import { testInside } from '../../../testing/inside.ts'

const waits = { timeout: 30_000, interval: 50 }

const it = testInside<[World]>((use) => withMirror(use))

describeRequiring('kubernetes', 'the mirror', () => {
  it('statuses of all six kinds come back without loss, and an equal one changes no version', async (world) => {
    const { actors, namespace, mirror, log, mirrorFor, find, edit, read } = world
    const names = namesOf(show(actors, namespace))
    expect(names.map(([kind]) => kind).toSorted()).toEqual(kinds.map(({ kind }) => kind).toSorted())
    mirror.start()
    actors.stepped(`queue:${namespace}/demo`)
    await mirror.resync()
    await allThere(world, names)
    const versions = versionsOf(world, names)
    // A process that knows nothing of what was written, and a person who writes what is there.
    const fresh = mirrorFor(actors)
    fresh.start()
    await fresh.resync()
    const task = 'implement-lib-1-x7k2p'
    await edit('Task', task, { status: find('Task', task)!.status }, 'status')
    await sleep(systemClock, 500)
    expect(versionsOf(world, names)).toEqual(versions)
    expect(log.lines()).toEqual([])
    const { metadata } = await read('Issue', 'lib-1')
    expect(metadata.ownerReferences?.map(({ kind, name }) => [kind, name])).toEqual([['Repository', 'lib']])
  })

  it('edited statuses and deleted objects are as before', async (world) => {
    const { actors, namespace, mirror, plane, edit, find } = world
    const views = show(actors, namespace)
    const names = namesOf(views)
    mirror.start()
    actors.stepped(`queue:${namespace}/demo`)
    await mirror.resync()
    await allThere(world, names)
    const lie = {
      type: 'Happy',
      status: 'True',
      reason: 'A',
      message: 'm',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    }
    for (const [kind, name] of names) {
      const conditions = kind === 'Task' || kind === 'Project' ? { conditions: [lie] } : {}
      await edit(kind, name, { status: { state: 'a lie', stage: 'a lie', ...conditions } }, 'status')
    }
    await allThere(world, names)
    const uidOf = (kind: string, name: string) => find(kind, name)?.metadata.uid
    const uids = names.map(([kind, name]) => uidOf(kind, name))
    const all = ['delete', '--wait=false', 'tasks,issues,mergerequests,queuedevents', '--all']
    await plane.must(['--namespace', namespace, ...all])
    const isNew = ({ kind, metadata }: (typeof views)[number]) => {
      const uid = uidOf(kind, metadata.name)
      return uid !== undefined && !uids.includes(uid)
    }
    await expect.poll(() => views.every(isNew), waits).toBe(true)
    await allThere(world, names)
  })

  it('of two slow writers none puts an older status over a newer one', async (world) => {
    const { actors, namespace, mirror, mirrorFor, caches } = world
    const names = Array.from({ length: 8 }, (_, index) => `slow-${index}`)
    const seen = new Map<string, number[]>(names.map((name) => [`${namespace}/${name}`, []]))
    const step = (pendingEvents: number): void => {
      for (const name of names) {
        const view = aTask(name, { stage: 'implementing', pendingEvents })
        actors.show({ ...view, metadata: { ...view.metadata, namespace } })
        for (const one of [actors, second]) one.stepped(`task:${namespace}/${name}`)
      }
    }
    // Another process over the same store.
    const second = new FakeActors(actors.views)
    actors.slowly = () => sleep(systemClock, Math.random() * 20)
    second.slowly = () => sleep(systemClock, Math.random() * 1_500)
    caches['Task']!.subscribe((name) => {
      const shown = caches['Task']!.get(name)?.status?.['pendingEvents']
      if (typeof shown === 'number') seen.get(name)?.push(shown)
    })
    const other = mirrorFor(second)
    for (const one of [mirror, other]) one.start()
    for (let number = 1; number <= 300; number += 1) {
      step(number)
      await sleep(systemClock, 10)
    }
    const last = () => [...seen.values()].map((all) => all.at(-1))
    await expect.poll(last, waits).toEqual(names.map(() => 300))
    for (const all of seen.values()) expect(all).toEqual(all.toSorted((one, next) => one - next))
  })

  it('200 entries cost two patches each, and an admission its own and those of 50 places', async (world) => {
    const { actors, namespace, mirror, caches } = world
    let events = 0
    const put = (admitted: number): void => {
      for (let index = 0; index < 200; index += 1) {
        const status =
          index < admitted
            ? { state: 'Admitted' }
            : { state: 'Queued', position: index - admitted + 1, reason: 'no free slot' }
        const view = anEntry(`e-${index}`, status, index)
        actors.show({ ...view, metadata: { ...view.metadata, namespace } })
      }
      actors.stepped(`queue:${namespace}/demo`)
    }
    put(0)
    mirror.start()
    actors.stepped(`queue:${namespace}/demo`)
    const shown = () => caches['QueuedEvent']!.list().filter(({ status }) => status !== undefined).length
    await expect.poll(shown, waits).toBe(200)
    caches['QueuedEvent']!.subscribe(() => void (events += 1))
    put(1)
    await expect.poll(() => caches['QueuedEvent']!.get(`${namespace}/e-1`)?.status?.['position'], waits).toBe(1)
    await sleep(systemClock, 500)
    expect(events).toBeLessThanOrEqual(1 + 50)
  })
})

describeRequiring('kubernetes', 'the mirror before an older definition', () => {
  test('loses a field, not the status', async () => {
    const crds = await mkdtemp(join(tmpdir(), 'older-crds-'))
    for (const file of await readdir(new URL('../../../crd/generated', import.meta.url))) {
      const text = await readFile(new URL(`../../../crd/generated/${file}`, import.meta.url), 'utf8')
      const definition = parse(text) as { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } }
      const { properties } = definition.spec.versions[0]!.schema.openAPIV3Schema.properties['status']!
      if (file.startsWith('repositories')) delete properties['forgeId']
      await writeFile(join(crds, file), stringify(definition, { aliasDuplicateObjects: false, compat: 'yaml-1.1' }))
    }
    const plane = await startControlPlane({ crds })
    try {
      await withMirror(async ({ actors, namespace, mirror, find }) => {
        show(actors, namespace)
        mirror.start()
        await expect.poll(() => find('Repository', 'lib')?.status, waits).toMatchObject({ defaultBranch: 'main' })
        expect(find('Repository', 'lib')!.status).not.toHaveProperty('forgeId')
        await expect.poll(() => mirror.degraded().join(), waits).toContain('definition of Repository')
      }, plane)
    } finally {
      await plane.stop()
    }
  })
})

interface Schema {
  readonly properties: Record<string, Schema>
}
