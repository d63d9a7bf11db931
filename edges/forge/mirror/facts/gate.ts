/**
 * What agents read while a reporter gate is active (INTAKE-9): words of people whom it lets in. A text is its author's unless
 * an event named another hand; then both of them have to be let in. Without a list everybody is. Of what its forge shows
 * nobody any more, no agent reads a word, whoever wrote it.
 */
import type { ForgeAccount } from '../../port.ts'
import type { People } from './people.ts'
import type { MirroredComment, MirroredIssue, MirroredSubject } from './records.ts'
import { textHash } from './subject-text.ts'

export function isHeardComment({ comment, editedBy }: MirroredComment, people: People): boolean {
  return people.isHeard(comment.author) && isHeardHand(editedBy, people)
}

/** Title and body. */
export function isHeardSubject(row: MirroredSubject, people: People): boolean {
  if (!isHeardHand(row.notes.textBy, people)) return false
  if (row.kind === 'mr') return people.isHeard(row.mergeRequest.author)
  return people.isHeard(row.issue.author) || isVouchedText(row, people)
}

/** By a maintainer, who put the trigger label on this very text or wrote it over. */
function isVouchedText({ issue, notes }: MirroredIssue, people: People): boolean {
  const { labelledBy, vouchedText, textBy, editedByOther } = notes
  if (labelledBy === undefined || !people.isMaintainer(accountOf(labelledBy))) return false
  return textBy !== undefined || (vouchedText === undefined ? !editedByOther : vouchedText === textHash(issue))
}

/** Deleted, elsewhere, or shown to others than the platform alone now. */
export function isGone({ notes }: MirroredSubject): boolean {
  return notes.deleted === true
}

function isHeardHand(login: string | undefined, people: People): boolean {
  return login === undefined || login === '' || people.isHeard(accountOf(login))
}

function accountOf(login: string): ForgeAccount {
  return { login, id: '', bot: false }
}

/** What a reader may be given. */
export interface Gate {
  hears(row: MirroredComment): boolean
  /** Title and body. */
  reads(row: MirroredSubject): boolean
}

export const openGate: Gate = { hears: () => true, reads: () => true }
const closedGate: Gate = { hears: () => false, reads: () => false }

/** Of the mirror: who people are to a repository, undefined where it is not enrolled. */
interface PeopleSource {
  people(project: string, repository: string): Promise<People | undefined>
}

/** Of a repository at this moment; of one that is not enrolled nobody is heard. */
export async function reporterGate(mirror: PeopleSource, project: string, repository: string): Promise<Gate> {
  const people = await mirror.people(project, repository)
  if (people === undefined) return closedGate
  return {
    hears: (row) => isHeardComment(row, people),
    reads: (row) => !isGone(row) && isHeardSubject(row, people),
  }
}
