/** Stages over the store of the forge's edge. It is one for a process: scenes of all stages wait for each other. */
import type { Stage } from '../attack.ts'

type Open<Scene> = (use: (scene: Scene) => Promise<void>) => Promise<void>

interface Life<Scene> {
  readonly scene: Scene
  end(): Promise<void>
}

let before: Promise<unknown> = Promise.resolve()

export async function oneAtATime<Scene>(open: Open<Scene>): Promise<Stage<Scene>> {
  let life: Life<Scene> | undefined
  return {
    scene: async () => {
      await life?.end()
      life = await begin(open)
      return life.scene
    },
    close: async () => life?.end(),
  }
}

/** One edge for all scenes of a stage: what they share must not matter to them. */
export async function oneForAll<Edge, Scene>(open: Open<Edge>, sceneOf: (edge: Edge) => Scene): Promise<Stage<Scene>> {
  let life: Life<Edge> | undefined
  return {
    scene: async () => sceneOf((life ??= await begin(open)).scene),
    close: async () => life?.end(),
  }
}

function begin<Scene>(open: Open<Scene>): Promise<Life<Scene>> {
  const ended = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<Life<Scene>>()
  const life = before.then(() =>
    open(async (scene) => {
      begun.resolve({ scene, end: () => (ended.resolve(), life) })
      await ended.promise
    }),
  )
  life.catch(begun.reject)
  before = life.catch(() => undefined)
  return begun.promise
}
