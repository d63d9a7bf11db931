import type { Git } from './git.ts'
import { publishAll, push, pushAll, readHeads, type Published, type PushOutcome } from './publish.ts'
import { RepositoryReader, type Repository } from './repository.ts'

export interface WorkspaceOptions {
  readonly git: Git
  /** Gives a git that waits for a gateway that is away, for one piece of work. */
  readonly patient: () => Git
  readonly repositories: readonly Repository[]
}

/** `clean`: a commit of everything would hold nothing. */
export type WorkspaceState = 'clean' | 'dirty'

/** The repositories of this pod. Git operations queue: two at once would trip over each other's locks. */
export class Workspace {
  readonly repositories: readonly Repository[]
  readonly #git: Git
  readonly #patient: () => Git
  #last: Promise<unknown> = Promise.resolve()
  #busy = 0

  constructor(options: WorkspaceOptions) {
    this.#git = options.git
    this.#patient = options.patient
    this.repositories = options.repositories
  }

  get isBusy(): boolean {
    return this.#busy > 0
  }

  heads(): Promise<ReadonlyMap<string, string>> {
    return this.#exclusively(() => readHeads(this.#git, this.repositories))
  }

  /** Commits and pushes everything; never rejects for one repository. */
  publish(heads: ReadonlyMap<string, string>, stamp: string): Promise<Published> {
    return this.#exclusively(() => publishAll(this.#patient(), this.repositories, heads, stamp))
  }

  /** Pushes what is committed everywhere, and nothing else. */
  pushAll(): Promise<Published> {
    return this.#exclusively(() => pushAll(this.#patient(), this.repositories))
  }

  /** Beside whatever else works here: it takes no lock. What can't be asked is not clean. */
  async state(): Promise<WorkspaceState> {
    const dirty = await Promise.all(
      this.repositories.map(({ dir }) => new RepositoryReader(this.#git, dir).isDirty().catch(() => true)),
    )
    return dirty.includes(true) ? 'dirty' : 'clean'
  }

  /** Pushes what is committed in one, without patience: the next round comes anyhow. */
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
