/**
 * Whose hands wrote title and body of an issue or merge request (law B6). A forge names who edited in the event alone. So
 * an edit is a trusted hand's where its event names that hand and the very text that it changed; every other change of the text is
 * others' work, and an approval that is not newer does not speak of it.
 */
import { sameLogin } from '../../../../machines/rules/logins.ts'
import type { IssueAction, MergeRequestAction, TextBefore } from '../../change.ts'
import { contentHash } from '../../hash.ts'
import type { ForgeAccount } from '../../port.ts'

export interface TextNotes {
  /** The last edit was no trusted hand's, or nobody knows whose. */
  readonly editedByOther: boolean
  /** The forge's clock at the newest of such edits, at the latest; absent: there was none. */
  readonly othersAt?: number
  /** The forge's clock at the newest edit of an agent: no word of before speaks of what it left, whoever's proposal it is. */
  readonly agentEditAt?: number
  /** A change that nobody has signed yet. Its event may still come. */
  readonly doubt?: TextDoubt
}

interface TextDoubt {
  /** Hashes of the text before and after it. */
  readonly from: string
  readonly to: string
  /** The forge's clock when `from` was last seen. */
  readonly since: number
  readonly before: Omit<TextNotes, 'doubt'>
}

/** An edit as its event tells it; texts as hashes. */
export interface SignedEdit {
  readonly isTrusted: boolean
  readonly isAgents?: true
  readonly from: string
  readonly to: string
  readonly at: number
}

export interface SubjectText {
  readonly title: string
  readonly body: string
}

interface SeenText {
  readonly hash: string
  readonly at: number
}

interface EditHint {
  readonly action: IssueAction | MergeRequestAction
  readonly by: ForgeAccount
  readonly before?: TextBefore
}

export function textHash({ title, body }: SubjectText): string {
  return contentHash({ title, body })
}

/** Undefined: the event tells of no edit of the text. */
export function signedEdit(
  { action, by, before }: EditHint,
  text: SubjectText & { readonly updatedAt: number },
  isTrusted: (account: ForgeAccount) => boolean,
): SignedEdit | undefined {
  const [from, to] = [textHash({ ...text, ...before }), textHash(text)]
  if (action !== 'edited' || from === to) return undefined
  return { isTrusted: isTrusted(by), from, to, at: text.updatedAt }
}

/** Who wrote the text that stands, where its event named another than its author; it stays true while the text is the same. */
export function handOf(
  now: SubjectText & { readonly author: ForgeAccount },
  known: { readonly hash: string; readonly textBy?: string | undefined } | undefined,
  edit: SignedEdit | undefined,
  by: ForgeAccount | undefined,
): { readonly textBy?: string } {
  const hash = textHash(now)
  const isNamed = edit?.to === hash && by !== undefined
  const textBy = isNamed ? by.login : known?.hash === hash ? known.textBy : undefined
  return textBy === undefined || sameLogin(textBy, now.author.login) ? {} : { textBy }
}

export function notesAfter(
  known: (SeenText & { readonly notes: TextNotes }) | undefined,
  now: SeenText,
  edit: SignedEdit | undefined,
): TextNotes {
  const signed = edit?.to === now.hash ? edit : undefined
  if (signed?.isTrusted === false) return byOthers(now.at)
  if (known === undefined) return signedLate({ editedByOther: false }, edit)
  const notes = signedLate(textNotesOf(known.notes), edit)
  if (known.hash === now.hash) return notes
  if (signed?.from === known.hash) return { ...notes, editedByOther: false }
  const { doubt: _, ...before } = notes
  return {
    ...byOthers(now.at),
    doubt: { from: known.hash, to: signed?.from ?? now.hash, since: known.at, before },
  }
}

/** The event of the change that was in doubt: what was true before it is true again, but for the time of an agent's edit. */
export function signedLate<Notes extends TextNotes>(known: Notes, edit: SignedEdit | undefined): Notes {
  const notes = edit?.isAgents === true ? { ...known, ...newestAgentEdit(known.agentEditAt, edit.at) } : known
  const { doubt, othersAt: _, ...rest } = notes
  if (doubt === undefined || edit?.isTrusted !== true) return notes
  const isIts = edit.from === doubt.from && edit.to === doubt.to && edit.at >= doubt.since
  if (!isIts) return notes
  const agentEdit = newestAgentEdit(doubt.before.agentEditAt, notes.agentEditAt)
  return { ...doubt.before, ...rest, ...agentEdit, editedByOther: false } as Notes
}

/** Events of an agent's edits may come in any order. */
function newestAgentEdit(...times: readonly (number | undefined)[]): Pick<TextNotes, 'agentEditAt'> {
  const newest = Math.max(...times.map((time) => time ?? 0))
  return newest > 0 ? { agentEditAt: newest } : {}
}

function textNotesOf({ editedByOther, othersAt, agentEditAt, doubt }: TextNotes): TextNotes {
  return {
    editedByOther,
    ...(othersAt === undefined ? {} : { othersAt }),
    ...(agentEditAt === undefined ? {} : { agentEditAt }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

function byOthers(at: number): TextNotes {
  return { editedByOther: true, othersAt: at }
}
