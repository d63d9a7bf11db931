/** An approved issue on the local forge, with a real mirror and a real Issue behind it; walls down, as they were before law B6. */
import type { MirroredComment } from '../../../edges/forge/mirror/facts/records.ts'
import { mirrorRules, type MirrorRules } from '../../../edges/forge/mirror/facts/rules.ts'
import {
  withApprovedIssue,
  type ApprovedIssue,
  type ApprovedIssueOptions,
} from '../../../edges/forge/mirror/testing/approved-issue.ts'
import { maintainersOf } from '../../../edges/forge/projects.ts'
import { isListed } from '../../../machines/rules/logins.ts'
import { forgetfulIssue, newestText } from '../../machines/mutants.ts'
import type { Setting, Stage, Wall } from '../attack.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** An unsigned edit is its author's, and whatever stood there since is carried along. */
const newestBody: MirrorRules['text'] = (known, _now, edit) => ({
  editedByOther: edit?.isTrusted === false || (edit === undefined && known?.notes.editedByOther === true),
})

/** Whatever stands in a comment is its author's. */
function asItStands(kept: MirroredComment): MirroredComment {
  const { withdrawal: _, ...row } = kept
  const { login } = row.comment.author
  const isRewritten = row.editedBy !== undefined
  return { ...row, ...(isRewritten && { editedBy: login }), ...(row.deletedAt !== undefined && { deletedBy: login }) }
}

function hasMarker({ comment }: MirroredComment): boolean {
  return comment.body.includes('<!-- platform:')
}

const down: Partial<Record<Wall, (rules: MirrorRules) => Partial<MirrorRules>>> = {
  hands: () => ({ hands: newestText }),
  'signed-text': () => ({ text: newestBody }),
  'judged-thread': ({ judged, words }) => ({
    judged: (thread, people) => judged(thread.map(asItStands), people),
    words: (threads) => words(threads.map((one) => ({ ...one, rows: one.rows.map(asItStands) }))),
  }),
  'own-authorship': ({ people, judged, words }) => ({
    people: (project, repository, bound) => ({
      ...people(project, repository, bound),
      isMaintainer: ({ login }) => isListed(login, maintainersOf(project, repository)),
    }),
    judged: (thread, by) =>
      judged(
        thread.filter((one) => !hasMarker(one)),
        by,
      ),
    words: (threads) => words(threads.map((one) => ({ ...one, rows: one.rows.filter((row) => !hasMarker(row)) }))),
  }),
}

function optionsOf(setting: Setting): ApprovedIssueOptions {
  const rules = [...setting.down].reduce<MirrorRules>(
    (standing, wall) => ({ ...standing, ...down[wall]?.(standing) }),
    mirrorRules,
  )
  // An operator's mistake gives the bot no voice.
  const maintainerLogins = ['maintainer', 'acme', 'bot']
  const forgetful = forgetfulIssue.find(({ kind }) => kind === 'issue')!.machine
  return { rules, maintainerLogins, ...(setting.down.has('withdrawals-kept') && { machine: forgetful }) }
}

export function openThreads(setting: Setting): Promise<Stage<ApprovedIssue>> {
  return oneAtATime((use) => withApprovedIssue(optionsOf(setting), use))
}
