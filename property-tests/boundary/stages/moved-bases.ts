/** The gateway took a push, main changes, and the forge's edge merges. The wall down: nobody judges the merge. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { mergeWhenKnown } from '../../../edges/forge/outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture } from '../../../edges/forge/testing/fixture.ts'
import { createMergeJudge } from '../../../edges/git/rules/merge-judge.ts'
import { BRANCH, withGatewayBefore, type GatewayFixture } from '../../../edges/git/testing/fixture.ts'
import { commit, run } from '../../../standins/forge/testing/fixture.ts'
import type { Setting, Stage } from '../attack.ts'
import { oneAtATime } from './one-at-a-time.ts'

type Files = Readonly<Record<string, string>>

export class MovedBaseScene {
  readonly #edge: EdgeFixture
  readonly #gateway: GatewayFixture
  /** The clone of a person who may write to main. */
  #person = ''
  #change: { readonly number: number; readonly sha: string } | undefined

  constructor(edge: EdgeFixture, gateway: GatewayFixture) {
    this.#edge = edge
    this.#gateway = gateway
  }

  async begin(main: Files): Promise<void> {
    this.#person = await this.#gateway.clone('maintainer')
    await this.main(main)
  }

  /** The pod's push; the gateway refuses none of these. */
  async push(files: Files): Promise<void> {
    const pod = await this.#gateway.podClone()
    await commit(pod, files, 'Work')
    await run(pod, ['push', '--quiet', 'origin', `HEAD:refs/heads/${BRANCH}`])
    const work = { title: 'Work', body: '', head: BRANCH, base: 'main' }
    const { number } = await this.#gateway.forge.openPull('bot', 'acme/library', work)
    this.#change = { number, sha: await run(pod, ['rev-parse', 'HEAD']) }
  }

  async main(files: Files): Promise<void> {
    await this.#gateway.push(this.#person, 'main', files)
  }

  async linkOnMain(path: string, target: string): Promise<void> {
    symlinkSync(target, join(this.#person, path))
    await this.main({ 'linked.md': path })
  }

  /** Only as one commit is it a rename to git. */
  async renameOnMain(from: string, to: string, text: string): Promise<void> {
    await run(this.#person, ['rm', '--quiet', from])
    await this.main({ [to]: text })
  }

  /** The platform merges it, or says that a maintainer must allow it; all else proves nothing. */
  async merge(): Promise<void> {
    const { octokit, clock } = this.#edge
    const pull = { owner: 'acme', repo: 'library', pull_number: this.#change!.number }
    const { pulls } = octokit('reader')
    // The forge finds out at its leisure whether it merges, and the bot may not ask too often.
    while ((await pulls.get(pull)).data.mergeable === null) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(60_000)
    const [answer] = await mergeWhenKnown(this.#edge, this.#change!)
    const { type, cause } = (answer?.event ?? {}) as { readonly type?: string; readonly cause?: string }
    const isRefused = type === 'mr.mergeRefused' && cause === 'protected-paths'
    if (answer !== undefined && !isRefused) throw new Error(`the merge answered ${JSON.stringify(answer.event)}`)
  }

  mainHas(path: string): Promise<string | undefined> {
    return run(this.#gateway.path, ['show', `main:${path}`]).catch(() => undefined)
  }
}

const nobodyAsks: EdgeFixture['mergeJudge'] = {
  judge: async () => ({ kind: 'clean', tree: '', base: undefined }),
  treeOf: async () => undefined,
}

export function openMovedBases({ down }: Setting): Promise<Stage<MovedBaseScene>> {
  return oneAtATime((use) =>
    withForgeEdge({ git: 'process', repository: { mergeMethods: ['merge'] } }, (edge) =>
      withGatewayBefore(edge, async (gateway) => {
        const judge = createMergeJudge({ ...gateway, directory: edge.directory })
        edge.mergeJudge = down.has('judged-merge') ? nobodyAsks : judge
        await use(new MovedBaseScene(edge, gateway))
      }),
    ),
  )
}
