/** What the mirror keeps: the forge's objects as last told, and what only an event can tell (who did it). */
import type { CiState } from '../../../../machines/merge-request/events.ts'
import type {
  ForgeAccount,
  ForgeComment,
  ForgeIssue,
  ForgeMergeRequest,
  ForgeSubjectKind,
  ReviewVerdict,
} from '../../port.ts'
import type { RepositoryKey } from '../store/places.ts'
import type { SubjectText, TextNotes } from './subject-text.ts'

export interface SubjectKey extends RepositoryKey {
  readonly kind: ForgeSubjectKind
  readonly number: number
}

interface HandNotes {
  /** Who wrote the text that stands, where an event named another than its author. */
  readonly textBy?: string
}

/** Trusted with an issue's text are maintainers and the bot. */
export interface IssueNotes extends TextNotes, HandNotes {
  readonly unwantedByMaintainer: boolean
  /** Who put the trigger label on. */
  readonly labelledBy?: string
  /** Hash of the text on which a maintainer put it. */
  readonly vouchedText?: string
  readonly closedBy?: string
  /** The forge has it no more, or has it elsewhere. */
  readonly deleted?: boolean
}

export interface MergeRequestNotes extends HandNotes {
  /** The forge has it no more. */
  readonly deleted?: boolean
  /** Our clock when this head was first seen. */
  readonly headSince: number
  /** The forge's clock at the change that brought this head. */
  readonly headAt: number
  /** Empty while nobody has said. */
  readonly pushedBy: string
  readonly headByBot: boolean
  readonly ci: CiState
  /** The head that `ci` speaks of. */
  readonly ciSha?: string
  /** Trusted with its text is whom the platform answers. */
  readonly text?: TextNotes
  /** What trusted hands left last. */
  readonly trustedText?: SubjectText
}

interface Mirrored {
  /** When the forge last changed it, and when we first saw it. */
  readonly updatedAt: number
  readonly seenAt: number
  /** The whole thread is here. */
  readonly complete: boolean
  readonly factsHash: string
  /** How often its actor was told; 0: it has none. */
  readonly revision: number
}

export interface MirroredIssue extends SubjectKey, Mirrored {
  readonly kind: 'issue'
  readonly issue: ForgeIssue
  readonly notes: IssueNotes
}

export interface MirroredMergeRequest extends SubjectKey, Mirrored {
  readonly kind: 'mr'
  readonly mergeRequest: ForgeMergeRequest
  readonly notes: MergeRequestNotes
}

export type MirroredSubject = MirroredIssue | MirroredMergeRequest

export type SubjectOf<Kind extends ForgeSubjectKind> = Extract<MirroredSubject, { readonly kind: Kind }>

/** Words with which an author withdrew or left a doubt, and when. */
export interface WithdrawnWords {
  readonly text: string
  readonly at: number
}

/** Of a review: what it decided before it was dismissed, and who dismissed it. */
export interface Dismissal {
  /** Absent: nobody has said. */
  readonly by?: ForgeAccount
  /** Absent: it was dismissed before it was first seen. */
  readonly was?: ReviewVerdict
}

export interface MirroredComment {
  readonly comment: ForgeComment
  readonly bodyHash: string
  /** Login of the last editor; empty: it was edited, and nobody has said by whom. */
  readonly editedBy?: string
  readonly deletedAt?: number
  /** It grants, and no reading has listed it since this one missed it, by our clock (MIRROR-12). */
  readonly missingSince?: number
  /** Login of who deleted it, where an event told of it. */
  readonly deletedBy?: string
  /** What the author's comment withheld before hands that are not known as his wrote over it. */
  readonly withdrawal?: WithdrawnWords
  readonly dismissal?: Dismissal
  /** Its author was a maintainer when the forge last told of it: he keeps what he withheld. */
  readonly byMaintainer?: true
  /** Its actor had it, or never has to. */
  readonly notified: boolean
  /** The forge delivered its creation, or its actor had it: another delivery of it is no news. */
  readonly heard: boolean
}
