/** What the render is made from; everything is looked up before, so that the same input gives the same bytes. */
export interface BundleComment {
  readonly externalId: string
  readonly author: string
  readonly editedBy?: string
  readonly at: number
  readonly bot: boolean
  readonly body: string
  readonly path?: string
  readonly line?: number
  readonly inReplyTo?: string
}

export interface BundleThread {
  readonly repository: string
  readonly number: number
  readonly state: string
  readonly status: string
  readonly url: string
  readonly title: string
  readonly author: string
  readonly body: string
  readonly comments: readonly BundleComment[]
}

export interface BundleMergeRequest extends BundleThread {
  readonly ci: string
  readonly mergeable: string
  readonly headBranch: string
  readonly headSha: string
}

export interface BundleNote {
  readonly agent: string
  readonly at: number
  readonly kind: string
  readonly source: 'agent' | 'operator'
  readonly body: string
}

export interface BundleEvent {
  readonly kind: string
  readonly repository: string
  readonly number: number
  readonly author: string
  readonly at: number
  readonly text?: string
}

export interface BundleInput {
  readonly task: string
  readonly kind: string
  readonly stage: string
  readonly agent: string
  readonly project: string
  readonly issues: readonly BundleThread[]
  readonly mergeRequests: readonly BundleMergeRequest[]
  readonly events: readonly BundleEvent[]
  /** Oldest first. */
  readonly notes: readonly BundleNote[]
  /** How many notes there are in all; more than given were spilled or are too old. */
  readonly notesTotal: number
  /** Of each Task that delivered an issue before it came back: data, and no plan or approval of this Task. */
  readonly earlier: readonly EarlierTask[]
}

export interface EarlierTask {
  readonly task: string
  /** Plans and hand-offs of its last two pods, oldest first. */
  readonly notes: readonly BundleNote[]
}
