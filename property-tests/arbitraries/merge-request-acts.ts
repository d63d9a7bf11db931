/** What people, checks and the forge do on merge requests. */
import fc from 'fast-check'
import { botLogin } from '../machines/world/people.ts'
import { nothing, on, saying, type Weighted } from './acts.ts'
import { human } from './issue-acts.ts'

export const onMergeRequests: readonly Weighted[] = [
  saying(
    4,
    fc.tuple(human, fc.constantFrom('/approve', '/approve', 'hm', '/retry')),
    ([who, text], index) => `${who} writes ${text} on merge request ${index}`,
    ({ forge }, [who, text], index) => on(forge.mergeRequests, index, (mr) => forge.comment(mr, who, text)),
  ),
  saying(
    1,
    fc.constantFrom('maya' as const, 'rita' as const),
    (who, index) => `${who} hands merge request ${index} over`,
    ({ forge }, who, index) => on(forge.mergeRequests, index, (mr) => forge.comment(mr, who, '/takeover')),
  ),
  saying(
    1,
    fc.constantFrom('/approve', 'hm'),
    (text, index) => `the bot writes ${text} on merge request ${index}`,
    ({ forge }, text, index) => on(forge.mergeRequests, index, (mr) => forge.comment(mr, botLogin, text)),
  ),
  saying(
    3,
    human,
    (who, index) => `${who} pushes to merge request ${index}`,
    ({ forge }, who, index) =>
      on(forge.mergeRequests, index, ({ row }) => forge.push(row.repository, row.mergeRequest.headBranch, who)),
  ),
  saying(
    2,
    fc.constantFrom('main', 'next'),
    (base, index) => `merge request ${index} is to be merged into ${base}`,
    ({ forge }, baseBranch, index) =>
      on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, { baseBranch })),
  ),
  saying(
    3,
    fc.constantFrom('success', 'failure', 'pending'),
    (ci, index) => `checks of merge request ${index}: ${ci}`,
    ({ forge }, ci, index) =>
      on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, {}, { ci: ci as 'success' })),
  ),
  saying(
    2,
    fc.constantFrom(true, false, null),
    (mergeable, index) => `merge request ${index} is mergeable: ${mergeable}`,
    ({ forge }, mergeable, index) =>
      on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, { mergeable })),
  ),
  saying(
    1,
    fc.boolean(),
    (draft, index) => `merge request ${index} is ${draft ? '' : 'no '}draft`,
    ({ forge }, draft, index) => on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, { draft })),
  ),
  saying(
    1,
    nothing,
    (_, index) => `maya merges merge request ${index}`,
    ({ forge }, _, index) => on(forge.mergeRequests, index, (mr) => forge.merge(mr, 'maya')),
  ),
  saying(
    2,
    fc.constantFrom('closed', 'open', 'open'),
    (state, index) => `merge request ${index} becomes ${state}`,
    ({ forge }, state, index) =>
      on(forge.mergeRequests, index, (mr) => {
        if (mr.row.mergeRequest.state !== 'merged') forge.changeMergeRequest(mr, { state: state as 'open' })
      }),
  ),
]
