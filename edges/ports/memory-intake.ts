import type { Indexed } from '../../machines/memory/events.ts'

/** An issue that everybody may read who may read the memory, with what was said below it. */
export interface IssueText {
  readonly number: number
  readonly title: string
  readonly user: { readonly login: string }
  readonly body: string
  /** Its comments, oldest first; `edited_by`: who wrote one over that is somebody else's. */
  readonly thread: readonly { readonly author: string; readonly edited_by?: string; readonly body: string }[]
  readonly state: string
  readonly html_url: string
}

/** What a Repository holds now. */
export interface MemorySource {
  /** `<namespace>/<name>` of the Project whose memory it is. */
  readonly project: string
  /** Name of the Repository. */
  readonly repository: string
  /** A bare copy that has `commit`. */
  readonly gitDir: string
  /** Head of the default branch. */
  readonly commit: string
  /** The commit that the memory holds whole already; empty: none. */
  readonly known: string
  readonly issues: readonly IssueText[]
}

/** Takes a bounded piece of what the memory lacks into it; asked again until nothing is due. Whatever fails may be asked again. */
export type MemoryIntake = (source: MemorySource, signal: AbortSignal) => Promise<Indexed>
