import { suite, type Attack, type Suite, type Wall } from '../attack.ts'
import { namedIssues } from '../../../standins/forge/store/closing.ts'
import { extractQuickActions } from '../../../standins/forge/gitlab/quick-actions.ts'
import { openExecuted, type ExecutedScene } from '../stages/executed.ts'

const repository = 'acme/lib'
/** Another Task's. */
const other = 4

function attack(
  name: string,
  wall: Wall,
  plant: Attack<ExecutedScene>['plant'],
  executes: (text: string) => boolean,
): Attack<ExecutedScene> {
  return {
    ...{ name, plant, walls: [wall], profile: 'implement' },
    succeeded: ({ taken }) => taken !== undefined && executes(taken),
  }
}

/** By the reading of the forge that stands in, which knows nothing of ours. */
const closes = (text: string): boolean => namedIssues(text, repository).includes(other)
/** By the reading of the forge that stands in as GitLab. */
const acts = (text: string): boolean =>
  extractQuickActions(text).actions.some(({ name }) => ['close', 'merge', 'approve'].includes(name))
/** As GitHub's manual says of a message. */
const skips = (text: string): boolean =>
  /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|\nskip-checks: ?true/i.test(text)
const merges = (text: string): boolean => /^bors:? (?:r\+|merge)/m.test(text)
const starts = (text: string): boolean => /(?:^|\s)@(?:claude|renovate)\b/.test(text)

const body = (what: string, text: string, executes: typeof closes): Attack<ExecutedScene> =>
  attack(`${what} in the body of a merge request`, 'inert-words', (scene) => scene.openMergeRequest(text), executes)
const comment = (what: string, text: string, executes: typeof closes): Attack<ExecutedScene> =>
  attack(`${what} in a comment on an issue`, 'inert-words', (scene) => scene.comment(text), executes)
const commit = (what: string, message: string, executes = closes): Attack<ExecutedScene> =>
  attack(`${what} in the message of a commit`, 'closing-messages', (scene) => scene.push(message), executes)

const attacks: readonly Attack<ExecutedScene>[] = [
  body('a closing keyword', 'Adds mul.\n\nCloses #4.', closes),
  body('a closing keyword with a repository', 'Resolves acme/lib#4', closes),
  body('a closing keyword with an address', 'fixed https://forge.test/acme/lib/issues/4', closes),
  body('a quick action', 'Adds mul.\n\n/merge', acts),
  body('a word that leaves out checks', 'Adds mul. [skip ci]', skips),
  body('a trailer that leaves out checks', 'Adds mul.\n\n\nskip-checks: true', skips),
  comment('a command to bors', 'Done.\nbors r+', merges),
  comment('a closing keyword', 'This fixes GH-4', closes),
  comment('a quick action', 'Done.\n/close', acts),
  comment('a quick action behind a quoted block', '>>>\nAs you said.\n>>>\n/close', acts),
  comment('a quick action in a block that nobody closed', '```\n/approve', acts),
  comment('a quick action before a carriage return', 'Done.\r\n/MERGE\r\n', acts),
  comment('a quick action behind nested quotes', '> > as you said\n/close', acts),
  comment('a quick action between an opening and a closing tag of two blocks', '</p>\n/close\n<p>', acts),
  comment('a mention that starts a bot', 'Look at it, @claude and @renovate', starts),
  commit('a closing keyword', 'Add mul\n\nFixes #4'),
  commit('a closing keyword with a repository', 'Add mul\n\nCloses: acme/lib#4'),
  commit('a closing keyword of an earlier one', 'resolves GH-4'),
  commit('a word that leaves out checks', 'Add mul [no ci]', skips),
  commit('a trailer that leaves out checks', 'Add mul\n\n\nskip-checks: true', skips),
]

export const executed: Suite = suite('15 words that a forge executes', openExecuted, attacks)
