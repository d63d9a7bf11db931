/** What every place of pods has to do, as tests; the adapter is the parameter. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PodObservation, PodPort, PodSpec } from '../pods.ts'

export interface PodsUnderTest {
  readonly pods: PodPort
  /** Of a pod that nobody made yet. */
  readonly spec: PodSpec
  /** How many pods of the spec were begun. */
  readonly begun: () => number
}

export type WithPods = (use: (fixture: PodsUnderTest) => Promise<void>) => Promise<void>

const bound = { timeout: 10_000, interval: 20 }
/** A label of metrics: no text of a log, no number that grows. */
const constant = /^[A-Za-z][A-Za-z0-9-]{0,40}$/

function watched({ pods }: PodsUnderTest): readonly PodObservation[] {
  const seen: PodObservation[] = []
  onTestFinished(pods.watch(async (observation) => void seen.push(observation)))
  return seen
}

export function podPortContract(name: string, withPods: WithPods): void {
  describe(`${name}: a place of pods`, () => {
    test('makes one pod, however often and however early it is asked again', async () => {
      await withPods(async ({ pods, spec, begun }) => {
        const names = await Promise.all([pods.create(spec), pods.create(spec)])
        const again = await pods.create(spec)
        expect(new Set([...names, again].map((one) => one.name)).size).toBe(1)
        await vi.waitFor(() => expect(begun()).toBe(1), bound)
      })
    })

    test('shows a pod as ready with its address, and says the same to whoever looks and whoever watches anew', async () => {
      await withPods(async (fixture) => {
        const { pods, spec } = fixture
        const seen = watched(fixture)
        await pods.create(spec)
        await vi.waitFor(() => expect(seen).toContainEqual(expect.objectContaining({ state: 'ready' })), bound)
        const [ready] = seen
        expect(ready).toEqual({ pod: spec.pod, state: 'ready', url: expect.stringMatching(/^http:/) })
        expect(await pods.look(spec.pod)).toEqual(ready)
        const later = watched(fixture)
        await vi.waitFor(() => expect(later).toEqual([ready]), bound)
      })
    })

    test('shows the end of a pod by a reason out of a few, and ends it again without a fault', async () => {
      await withPods(async (fixture) => {
        const { pods, spec } = fixture
        const seen = watched(fixture)
        await pods.create(spec)
        await vi.waitFor(() => expect(seen).toHaveLength(1), bound)
        await pods.remove(spec.pod, { force: true })
        await vi.waitFor(() => expect(seen.at(-1)?.state).toBe('gone'), bound)
        const gone = await pods.look(spec.pod)
        expect([gone, seen.at(-1)]).toEqual([seen.at(-1), expect.objectContaining({ pod: spec.pod, state: 'gone' })])
        expect(gone?.state === 'gone' && gone.reason).toMatch(constant)
        expect(await pods.remove(spec.pod, { force: false })).toBe('gone')
      })
    })

    test('knows nothing of a pod that was never made: it is gone', async () => {
      await withPods(async ({ pods, spec, begun }) => {
        expect(await pods.look(spec.pod)).toMatchObject({
          pod: spec.pod,
          state: 'gone',
          reason: expect.stringMatching(constant),
        })
        expect(await pods.remove(spec.pod, { force: true })).toBe('gone')
        expect(begun()).toBe(0)
      })
    })

    test('binds and deletes a workspace as often as it is asked', async () => {
      await withPods(async ({ pods, spec }) => {
        for (let n = 0; n < 2; n += 1) await pods.bindVolumes(spec)
        for (let n = 0; n < 2; n += 1) await pods.deleteWorkspace(spec.task)
      })
    })
  })
}
