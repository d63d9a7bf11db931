import type { Git } from './git.ts'
import { publishAll, push, readHeads, type Published, type PushOutcome } from './publish.ts'
import type { Repository } from './repository.ts'

/** The repositories of this pod. Git operations queue: two at once would trip over each other's locks. */
export class Workspace {
  readonly repositories: readonly Repository[]
  readonly #git: Git
  #last: Promise<unknown> = Promise.resolve()
  #busy = 0

  constructor(git: Git, repositories: readonly Repository[]) {
    this.#git = git
    this.repositories = repositories
  }

  get isBusy(): boolean {
    return this.#busy > 0
  }

  heads(): Promise<ReadonlyMap<string, string>> {
    return this.#exclusively(() => readHeads(this.#git, this.repositories))
  }

  /** Commits and pushes everything; never rejects for one repository. */
  publish(heads: ReadonlyMap<string, string>, stamp: string): Promise<Published> {
    return this.#exclusively(() => publishAll(this.#git, this.repositories, heads, stamp))
  }

  /** Pushes what is committed, and nothing else. */
  pushOnly(repository: Repository): Promise<PushOutcome> {
    return this.#exclusively(() => push(this.#git, repository))
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    const done = this.#last.then(work).finally(() => (this.#busy -= 1))
    this.#last = done.catch(() => undefined)
    return done
  }
}
