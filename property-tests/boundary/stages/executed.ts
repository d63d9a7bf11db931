/** What an agent wrote, on its way to a forge: by the platform's own hand, or in a commit that the gateway judges. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageFault } from '../../../edges/git/rules/commit-messages.ts'
import { treesIn } from '../../../edges/git/testing/fixture.ts'
import { inert, withClosing } from '../../../machines/rules/executed-text.ts'
import { run } from '../../../standins/forge/testing/fixture.ts'
import type { Setting, Stage, Wall } from '../attack.ts'

export class ExecutedScene {
  readonly #dir: string
  readonly #down: ReadonlySet<Wall>
  /** The text that the forge was given; undefined: none. */
  taken: string | undefined

  constructor(dir: string, down: ReadonlySet<Wall>) {
    this.#dir = dir
    this.#down = down
  }

  /** Of a Task that owns issue 1. */
  openMergeRequest(text: string): void {
    this.taken = withClosing(this.#posted(text), [1])
  }

  comment(text: string): void {
    this.taken = this.#posted(text)
  }

  async push(message: string): Promise<void> {
    const git = (...args: readonly string[]): Promise<string> =>
      run(this.#dir, ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
    const commit = async (text: string): Promise<string> => {
      await git('commit', '--quiet', '--allow-empty', '-m', text)
      return git('rev-parse', 'HEAD')
    }
    await git('init', '--quiet', '.')
    const base = await commit('Begin')
    await commit(message)
    const head = await commit('And tidy up')
    const { plain } = treesIn(this.#dir)
    if (!this.#down.has('closing-messages') && (await messageFault(plain, head, [base])) !== undefined) return
    this.taken = await git('log', '--format=%B', `${base}..${head}`)
  }

  #posted(text: string): string {
    return this.#down.has('inert-words') ? text : inert(text)
  }
}

export async function openExecuted({ down }: Setting): Promise<Stage<ExecutedScene>> {
  const dirs: string[] = []
  return {
    async scene() {
      const dir = mkdtempSync(join(tmpdir(), 'executed-'))
      dirs.push(dir)
      return new ExecutedScene(dir, down)
    },
    async close() {
      for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
    },
  }
}
