import type { Git } from '../git.ts'
import type { Repository } from '../repository.ts'
import type { Bare } from './bare.ts'
import type { Crossings } from './crossings.ts'
import type { Inside } from './inside.ts'
import { publishAll, push, pushAll, readHeads, type Published, type PushOutcome } from './publish.ts'
import type { Wire } from './wire.ts'

interface WorkspaceOptions {
  readonly git: Git
  /** Gives a git that waits for a gateway that is away, for one piece of work. */
  readonly patient: () => Git
  readonly inside: Inside
  readonly wire: Wire
  readonly bares: readonly Bare[]
}

/** `clean`: a commit of everything would hold nothing. The agent's word, as all that is said of its files. */
export type WorkspaceState = 'clean' | 'dirty'

/** The repositories of this pod. Git operations queue: two at once would trip over each other's locks. */
export class Workspace {
  readonly repositories: readonly Repository[]
  readonly #options: WorkspaceOptions
  #last: Promise<unknown> = Promise.resolve()
  #busy = 0

  constructor(options: WorkspaceOptions) {
    this.#options = options
    this.repositories = options.bares.map(({ repository }) => repository)
  }

  get isBusy(): boolean {
    return this.#busy > 0
  }

  heads(): Promise<ReadonlyMap<string, string>> {
    return this.#exclusively(() => readHeads(this.#options.git, this.#options.bares))
  }

  /** Commits and pushes everything; never rejects for one repository. */
  publish(heads: ReadonlyMap<string, string>, stamp: string): Promise<Published> {
    return this.#exclusively(() => publishAll(this.#patient(), this.#options.bares, heads, stamp))
  }

  /** Pushes what is committed everywhere, and nothing else. */
  pushAll(): Promise<Published> {
    return this.#exclusively(() => pushAll(this.#patient(), this.#options.bares))
  }

  /** Beside whatever else works here: it takes no lock. What can't be asked is not clean. */
  async state(): Promise<WorkspaceState> {
    const dirty = await Promise.all(
      this.repositories.map(({ name, branch }) =>
        this.#options.inside.ask('look', { name, branch }).then(
          ({ isDirty }) => isDirty,
          () => true,
        ),
      ),
    )
    return dirty.includes(true) ? 'dirty' : 'clean'
  }

  /** Pushes what is committed in one, without patience: the next round comes anyhow. */
  pushOnly({ name }: Repository): Promise<PushOutcome> {
    const bare = this.#options.bares.find(({ repository }) => repository.name === name)!
    return this.#exclusively(() => push(this.#options, bare))
  }

  #patient(): Crossings {
    return { ...this.#options, git: this.#options.patient() }
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    const done = this.#last.then(work).finally(() => (this.#busy -= 1))
    this.#last = done.catch(() => undefined)
    return done
  }
}
