/** What document 2 says of tools, outcomes, bundle and approval, row by row, and the test that holds it. `rows.test.ts` looks that each is there. */
export interface ContractRow {
  /** Where document 2 says it, and in our own words what. */
  readonly row: string
  /** Below the root of the project. */
  readonly file: string
  readonly title: string
}

type Row = readonly [row: string, file: string, title: string]

const server = 'cli/mcp/server.test.ts'
const authority = 'cli/orchestrator/authority.integration.test.ts'
const approval = 'cli/orchestrator/approval.integration.test.ts'
const refusals = 'cli/orchestrator/outcomes.integration.test.ts'
const honest = 'property-tests/injection/honest.test.ts'
const outcomes = 'machines/task/outcomes.test.ts'
const kinds = 'machines/task/kinds.test.ts'
const parks = 'machines/task/parks.test.ts'
const notes = 'machines/task/turns-and-notes.test.ts'
const schemas = 'edges/agents/outcome/schemas.test.ts'
const claims = 'edges/agents/outcome/claims.test.ts'
const profiles = 'edges/agents/profiles.test.ts'
const scm = 'edges/agents/routes/scm.test.ts'
const ci = 'edges/agents/ci-reads.test.ts'
const issues = 'edges/agents/routes/issues.test.ts'
const mergeRequests = 'edges/agents/routes/merge-requests.test.ts'
const takeovers = 'edges/agents/routes/takeovers.test.ts'
const render = 'edges/agents/bundle/render.test.ts'
const collect = 'edges/agents/bundle/collect.test.ts'
const turn = 'edges/agents/bundle/turn-text.test.ts'
const index = 'edges/agents/bundle/task-index.test.ts'
const spilled = 'edges/agents/spilled-notes.test.ts'
const mirror = 'edges/forge/mirror/mirror.test.ts'
const played = 'cli/mcp/peers/inspector.test.ts'

const gating: readonly Row[] = [
  ['gating: the column of each kind', profiles, '%s is the column of document 2'],
  ['gating: 17, 18, 18, 16, 13, 18 and 16 tools', profiles, 'each kind has as many tools as document 2 counts'],
  [
    'gating: the server lists its column alone',
    server,
    'of %s are its column of the gating table, each with its title, schemas and hints',
  ],
  ['gating: to another program’s client too', played, 'the profile %s lists its column of the gating table'],
  ['gating: an unknown profile fails closed', profiles, '%j fails closed: the always-on set and no outcome'],
  [
    'gating: it has no terminal tool, and says so',
    server,
    'of an unknown profile are the always-on set, with no terminal tool',
  ],
  ['gating: what is not registered cannot be called', server, 'that a profile lacks cannot be called'],
  ['gating: nor by hand', authority, 'tools that its profile does not have, called by hand'],
  ['gating: refine only comments, by the tool', server, 'let refine only comment on a merge request'],
  ['gating: and by the orchestrator', mergeRequests, 'mr_write of a profile'],
  ['tools: no merge, approve or request-changes action', authority, 'a merge'],
  ['tools: 21, each called once and read back', played, 'every tool has its call'],
]

const outcome: readonly Row[] = [
  ['outcome: every schema as document 2 gives it', schemas, 'is taken: %s %j'],
  ['outcome: every field rule', schemas, 'is refused with every fault: %s %j'],
  ['outcome: unknown properties, and the optional task', schemas, 'refuses an unknown property and takes `task`: %s'],
  [
    'outcome: documentation and upgrade share one schema',
    schemas,
    'has one schema for documentation and upgrade, so that they cannot drift',
  ],
  ['outcome: a citation whole or not at all', schemas, 'says which half of a citation is missing, under its own code'],
  [
    'outcome: discuss with the fields of a merge request is 400',
    refusals,
    'a documentation Task without a merge request has nothing to discuss on',
  ],
  [
    'outcome: merge_order where repositories are several',
    honest,
    'over two repositories says which is merged first, and that is how they are merged',
  ],
  [
    'outcome: kind differs from the agent kind: 409',
    authority,
    'an outcome of another kind than the pod’s, and a body that cannot be read',
  ],
  [
    'outcome: a terminal Task: 409',
    honest,
    'that was cancelled takes no outcome of the pod that is still there: task-terminal',
  ],
  [
    'outcome: idempotent for Task, kind and state',
    refusals,
    'is taken once: its repeat is answered the same, another one of the same pod is refused',
  ],
  [
    'outcome: approved that fails parks at identity-unverified, 200',
    approval,
    'by somebody who is no maintainer parks the Task at identity-unverified, and says so on the issue (rulings 1.30)',
  ],
  [
    'outcome: the quote is a substring of the comment',
    approval,
    'by a quote that the comment does not contain parks it there too',
  ],
  ['outcome: approving_maintainer is a declaration', claims, 'names %s when it is the first that fails'],
  [
    'outcome: one citation for each issue owned',
    claims,
    'is made for each live issue with its own comment, and asks for one citation each',
  ],
  [
    'outcome: the platform’s own proposal needs no citation',
    claims,
    'without a citation is bare: the Issue alone says whether the platform may approve its own proposal',
  ],
  [
    'outcome: the plan is hashed at the grant and read again',
    honest,
    'that was swapped after its approval pushes nothing, until it is approved itself',
  ],
  ['outcome: submitted above the ceiling is refused', outcomes, 'a self-grant ships up to the ceiling and not above'],
  [
    'outcome: a reviewer raises the significance, never lowers it',
    outcomes,
    '3.16: a review may raise the significance and never lower it',
  ],
  ['outcome: a head that moved is refused', refusals, 'on another head than the live one is refused'],
  [
    'outcome: findings with request_changes, a reviewed sha',
    refusals,
    'without what was found, or without a reviewed sha, is malformed',
  ],
  [
    'outcome: approve posts a comment-type review, then merges',
    outcomes,
    'Task reviewing/approve: approve goes to merging; the review is posted when the pod is gone, then the merge is asked for',
  ],
  [
    'outcome: findings stand inline',
    'edges/forge/outbound/writes.test.ts',
    'a review stands inline where the diff has the line, the rest in its text, once even when the answer is lost',
  ],
  [
    'outcome: brainstorm, the cap',
    kinds,
    '3.15: more than fit are refused with the number left, and the pod may propose again',
  ],
  ['outcome: brainstorm, duplicates', kinds, '3.15: nothing but duplicates is refused'],
  [
    'outcome: incident files an issue',
    kinds,
    'Task investigating/outcome: an issue with the incident label once the pod is gone',
  ],
  ['outcome: incident finds nothing', kinds, 'Task investigating/outcome: a false positive is a note'],
  [
    'outcome: refine closes with a reason, and links',
    kinds,
    'Task refining/outcome: closes with its reason, and links each thread to the others',
  ],
  ['outcome: refine folds no member whose pod runs', refusals, 'a refine does not fold a Task whose pod runs'],
]

const moves: readonly Row[] = [
  [
    'states: discuss parks at awaiting-human, a comment releases it',
    parks,
    'Task awaiting-human/commented: goes back to where it was parked from, with the comment pending',
  ],
  [
    'states: an implement Task discusses on its issue',
    outcomes,
    'Task same/discuss: 1.13: an implement Task may discuss without a merge request, on its issue',
  ],
  [
    'states: documentation and upgrade need a merge request',
    kinds,
    'Task same/discuss: refused without an open merge request, parked with one',
  ],
  [
    'states: declined parks for good',
    outcomes,
    'N4: no comment, retry, grant or failure leads out of implement-declined, but closing it does',
  ],
  [
    'states: approved alone moves nothing',
    outcomes,
    'Task implementing/approved: is claimed from every live issue with the plan, and the stage stays',
  ],
  [
    'open: the one that is there is answered, whatever the gate',
    refusals,
    'is no gate before a merge request that is open already: the tool answers with that',
  ],
  [
    'open: 409 where one is merged',
    mergeRequests,
    'is refused where the Task owns a merged merge request of that repository, and only of that',
  ],
  [
    'open: 409 approval-required, each issue with detail and guidance',
    mergeRequests,
    'names what each issue lacks, %s, and says what to do',
  ],
  [
    'open: a normal result to the model, no error',
    server,
    'give a missing approval as a normal result with its guidance',
  ],
  [
    'open: a Task that never owned an issue is ungated',
    mergeRequests,
    'asks no approval of a Task that never owned an issue',
  ],
  ['approval: taken back before code is written', honest, '%s, and a new one goes on'],
  ['approval: taken back right before the merge', honest, '%s: nothing is merged until a new one stands'],
  ['approval: taken back unheard', honest, 'nobody told us: the forge is asked itself before the merge'],
  [
    'events: the bot’s own drop out',
    mirror,
    'law 4, rulings 1.4: the bot wakes nobody, and strangers neither where reporters are listed; a pasted marker makes no comment ours',
  ],
  ['events: 20 at most, the oldest goes', notes, 'of more than 20 pending events the oldest is dropped'],
  [
    'events: before a later bundle, inside the first',
    turn,
    '0 carries its events inside, a later one before the bundle; both tell the agent of them',
  ],
]

const calls: readonly Row[] = [
  [
    'scm_read: which argument goes with which kind',
    scm,
    'of kind=%s refuses each argument of another kind by its name',
  ],
  ['scm_read: issues and merge requests from the mirror', scm, 'asks the mirror, %s'],
  [
    'scm_read: comments of either thread',
    scm,
    'shows the thread of the issue, or with is_pr that of the merge request, with the ids that an answer names',
  ],
  ['scm_read: since_days is 30 unless told', scm, 'asks the forge for the commits of 30 days unless told%s'],
  [
    'scm_read: ci, one fetch in 20 s',
    ci,
    'asks the forge once in 20 seconds for each merge request, and says which answers are kept ones',
  ],
  [
    'scm_read: ci, over processes',
    ci,
    'asks once in 20 seconds though two processes are asked, the second waiting for what the first is told',
  ],
  ['scm_read: ci, 4000 bytes of the log', ci, 'shows the last 4000 bytes of the log, begun at a whole character'],
  ['scm_read: ci, a log only where it failed', ci, 'a check that concluded %s (%s) shows its log: %s'],
  [
    'scm_read: ci, no log of bridges and external statuses',
    ci,
    'shows the log of a job where the forge keeps one, and none of what another system told',
  ],
  [
    'scm_read: ci, mergeable is no conflicts and not red',
    ci,
    'mergeable is no conflicts and not red: conflicts %s, %s',
  ],
  [
    'mirror: what never arrived is read back',
    mirror,
    'what never arrived is read back: dropped deliveries are sent again, changes are seen all the same',
  ],
  [
    'mirror: read back every 30 minutes',
    'machines/project/machine.test.ts',
    'ready: read back and checked every 30 minutes, without opening the queue again (rulings 3.13)',
  ],
  ['issue_write: whose issues', issues, 'edits no issue of another Task'],
  ['issue_write: no status, no labels, close with a comment', authority, 'a write to an issue with labels or a state'],
  ['issue_write: close cites its reason', authority, 'the closing of an issue without its reason'],
  ['mr_write: comment and reply', mergeRequests, '%j is written there, marked, and its id is told'],
  ['mr_write: reply names what it answers', mergeRequests, 'tells what an answer lacks: the comment that it answers'],
  ['mr_takeover_request: whose word', takeovers, 'its author, by the command'],
  ['mr_takeover_request: not out of a fork', takeovers, 'not out of a fork'],
  ['code and memory tools: their endpoints', server, 'reach the memory service: %s %j'],
  [
    'task_note: the orchestrator stamps the writer',
    notes,
    'a note is kept with its writer, answered 201 and told to its pod',
  ],
  ['task_note: 409 while the agent kind is empty', notes, 'without a live pod a note is refused: agent-kind-empty'],
  ['report_internal_issue: without credentials', server, 'report an internal issue to the wrapper and to nobody else'],
  ['report_internal_issue: the counter', 'wrapper/metrics.test.ts', 'platform_wrapper_internal_issue_total'],
]

const bundle: readonly Row[] = [
  ['bundle: byte for byte', render, 'is rendered byte for byte as document 2 gives it'],
  [
    'bundle: order, and empty sections',
    render,
    'orders issues, merge requests, events and notes, and leaves out sections that are empty',
  ],
  ['bundle: the same every time', turn, 'is the same for the same state, every time'],
  ['bundle: escaping', render, 'lets no text out of its element'],
  ['bundle: elided comments name their call', render, 'shows the newest comments and names the call for the rest'],
  ['bundle: maxBundleBytes', render, 'never exceeds its budget, whatever it holds (rulings 1.16)'],
  [
    'bundle: what gives way first, bodies to 4096',
    render,
    'under pressure gives up notes first, then bodies, and says how much of a body is there',
  ],
  ['bundle: comments in proportion', render, 'shares room between threads in proportion to their length'],
  [
    'bundle: WARN when the skeleton gives way',
    turn,
    'stays within maxBundleBytes with its assignment, and the log tells when more than comments had to go',
  ],
  [
    'bundle: the assignment and its standing line',
    turn,
    '0 is the bundle, then the assignment, closed by the standing line: byte for byte',
  ],
  [
    'bundle: notes of the bundle',
    collect,
    'always has the plans and hand-offs of the last two pods, however old they are',
  ],
  [
    'bundle: elided notes name their call',
    spilled,
    'never carry a bundle over its budget; it shows the newest, counts all, and names the call for the rest',
  ],
  [
    'bundle: notes=all, spilled ones too',
    spilled,
    'are all there, in their order and to the letter, however many there are, and its row stays small',
  ],
  ['index: byte for byte', index, 'is rendered byte for byte as document 2 gives it, newest first'],
  [
    'index: 100 entries, 500 characters',
    index,
    'holds at most the 100 newest, and 500 characters of each goal, counted as people count them',
  ],
  ['index: its scopes', index, 'shows a brainstorm its brainstorms and an incident its incidents'],
  ['index: it counts against the budget', turn, 'the index takes half of the room at most, the newest first'],
]

const versioning: readonly Row[] = [
  [
    'versioning: a mismatch does not start',
    'wrapper/boot/config.test.ts',
    'a pod of contract version %j does not start, and says why',
  ],
  [
    'versioning: the manifest',
    'cli/skills/check.test.ts',
    'lists all 21 tools with their profiles and the words of their enums',
  ],
  ['versioning: literal calls are compared, negated ones passed over', 'cli/skills/check.test.ts', 'passes with %j'],
  [
    'versioning: a manifest that cannot be had is a warning',
    'cli/commands/skills.test.ts',
    'only warns when the manifest cannot be had',
  ],
]

export const contractRows: readonly ContractRow[] = [
  ...gating,
  ...outcome,
  ...moves,
  ...calls,
  ...bundle,
  ...versioning,
].map(([row, file, title]) => ({ row, file, title }))
