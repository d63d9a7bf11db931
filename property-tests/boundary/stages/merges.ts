/** A push on its way into main: judged by the gateway, taken, and merged by a plain git. The wall down: as it was before 0032. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MergeMethod } from '../../../edges/forge/port.ts'
import { pathGuard } from '../../../edges/git/rules/path-guard.ts'
import { touchedOf } from '../../../edges/git/rules/protected-change.ts'
import { changedPaths, treeOf } from '../../../edges/git/store/pushed-tree.ts'
import { treesIn, type Tree, type TreesFixture } from '../../../edges/git/testing/fixture.ts'
import { viewOf } from '../../../edges/git/rules/tree-view.ts'
import { run } from '../../../standins/forge/testing/fixture.ts'
import type { Setting, Stage } from '../attack.ts'

export class MergeScene {
  readonly #dir: string
  readonly #trees: TreesFixture
  readonly #isUp: boolean
  #main = ''
  #pushed = ''

  constructor(dir: string, isUp: boolean) {
    this.#dir = dir
    this.#isUp = isUp
    this.#trees = treesIn(dir)
  }

  commit(tree: Tree, ...parents: readonly string[]): Promise<string> {
    return this.#trees.commit(tree, ...parents)
  }

  async stand(main: string): Promise<void> {
    this.#main = main
  }

  /** The pod pushes; whoever merges does so by this method. */
  async push(head: string, method: MergeMethod): Promise<void> {
    if (!(await this.#isAllowed(head, method))) return
    this.#pushed = head
    const clone = mkdtempSync(join(this.#dir, 'clone-'))
    await this.#trees.git(['update-ref', 'refs/heads/main', this.#main])
    await this.#trees.git(['update-ref', 'refs/heads/work', head])
    await run(clone, ['clone', '--quiet', '--branch', method === 'rebase' ? 'work' : 'main', this.#dir, '.'])
    await run(clone, method === 'rebase' ? ['rebase', '--quiet', 'origin/main'] : ['merge', '--quiet', 'origin/work'])
    await run(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/main'])
    this.#main = await run(clone, ['rev-parse', 'HEAD'])
  }

  mainHas(path: string): Promise<string | undefined> {
    return this.#has(this.#main, path)
  }

  async branchHas(path: string): Promise<string | undefined> {
    return this.#pushed === '' ? undefined : this.#has(this.#pushed, path)
  }

  async #has(commit: string, path: string): Promise<string | undefined> {
    return this.#trees.git(['show', `${commit}:${path}`]).catch(() => undefined)
  }

  async #isAllowed(head: string, method: MergeMethod): Promise<boolean> {
    if (!this.#isUp) return this.#isOwnTreeHarmless(head)
    return (await this.#trees.judge(this.#main, head, { method })).kind === 'clean'
  }

  /** The branch's own tree, since the one merge base that git names first. */
  async #isOwnTreeHarmless(head: string): Promise<boolean> {
    const guard = pathGuard()
    const { plain } = this.#trees
    const from = await this.#trees.git(['merge-base', this.#main, head])
    const view = await viewOf(plain, guard, await treeOf(plain, head))
    return touchedOf({ guard, views: [view], shapes: view.shapes }, await changedPaths(plain, from, head)).length === 0
  }
}

export async function openMerges({ down }: Setting): Promise<Stage<MergeScene>> {
  const dirs: string[] = []
  return {
    async scene() {
      const dir = mkdtempSync(join(tmpdir(), 'merges-'))
      dirs.push(dir)
      await run(dir, ['init', '--quiet', '--bare', '.'])
      return new MergeScene(dir, !down.has('merged-tree'))
    },
    async close() {
      for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
    },
  }
}
