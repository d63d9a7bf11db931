/**
 * What an export may show, by the name of a field (decisions/0010). Every text that is not named here is masked, so
 * that a new field hides what it says until somebody decides otherwise.
 */

/** Constants, names of things of the platform, hashes and times: without them nobody can read what was decided. */
const openNames: ReadonlySet<string> = new Set([
  ...[
    'type',
    'kind',
    'id',
    'key',
    'status',
    'state',
    'code',
    'action',
    'verdict',
    'severity',
    'significance',
    'changeSignificance',
    'sort',
  ],
  ...['class', 'command', 'cause', 'reason', 'stopReason', 'effect', 'types', 'on', 'purpose', 'prompt', 'source'],
  ...['task', 'pod', 'turn', 'issue', 'mergeRequest', 'project', 'queue', 'entry', 'owner', 'to', 'ref', 'origin'],
  ...['repository', 'repo', 'repositories', 'name', 'base', 'branch', 'headBranch', 'baseBranch', 'url', 'ci'],
  ...['sha', 'headSha', 'shas', 'mergeCommit', 'hash', 'digest', 'bodyHash', 'planHash', 'outcomeId', 'topic'],
  ...['noteId', 'planNoteId', 'commentId', 'turnId', 'liveTurnId', 'claims', 'askedAbout', 'unclear', 'takenBack'],
  ...['stage', 'stageClass', 'stageReason', 'parkedFrom', 'wants', 'agent', 'agentKind', 'permissionMode'],
  ...['autoApproveMaxSignificance', 'closedBy', 'closedReason', 'rejected', 'refusedBy', 'budget', 'merging'],
  ...[
    'awaitingOpen',
    'pushedRepositories',
    'lastTurnPushedRepos',
    'lastTurnFailedRepos',
    'lastPushedRepos',
    'lastFailedRepos',
    'mergeOrder',
    'pushed',
  ],
  ...['managed', 'value', 'historyValue'],
  ...['run', 'schedule', 'resetSchedule', 'mode', 'hold', 'print', 'seen', 'minted', 'offered', 'documentation'],
  ...['phase', 'part', 'profile', 'pgStorage', 'pgWalStorage', 'neo4jStorage', 'endpoint', 'externalEndpoint'],
])

/** Maps whose keys are data: everything below them is open. */
const openTrees: ReadonlySet<string> = new Set([
  ...['model', 'effort', 'labels', 'usage', 'recreations', 'approvedBodies', 'boundPlans', 'value', 'historyValue'],
])

/** The tools' payloads are in snake case. */
function plainName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function isOpenName(name: string): boolean {
  return openNames.has(plainName(name))
}

export function isOpenTree(name: string): boolean {
  return openTrees.has(plainName(name))
}
