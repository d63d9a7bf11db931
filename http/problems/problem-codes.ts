/**
 * Every code that an answer of ours may carry, with its status and title. docs/problems.md explains each one, and a
 * test holds the two together in both directions.
 */
interface ProblemKind {
  readonly status: number
  readonly title: string
}

export const problemCodes = {
  // Said by the kit itself.
  'malformed-request': { status: 400, title: 'The request could not be read' },
  'invalid-input': { status: 400, title: 'The input breaks its schema' },
  unauthenticated: { status: 401, title: 'A valid credential is required' },
  forbidden: { status: 403, title: 'The credential does not allow this' },
  'not-found': { status: 404, title: 'Nothing has this path or id' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  conflict: { status: 409, title: 'The current state does not allow this' },
  gone: { status: 410, title: 'This existed and is gone' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The content type is not accepted here' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'The server failed' },
  'upstream-failed': { status: 502, title: 'A system behind this one failed' },
  'not-ready': { status: 503, title: 'The server is not ready' },
  'identity-unavailable': { status: 503, title: 'The identity provider does not answer' },
  'upstream-timeout': { status: 504, title: 'A system behind this one did not answer in time' },

  // Webhooks and callbacks.
  'unknown-provider': { status: 400, title: 'The headers name no known provider' },
  'provider-mismatch': { status: 400, title: 'The provider is not the one of the project' },
  'signature-invalid': { status: 401, title: 'The signature or token is missing or wrong' },
  'secret-unreadable': { status: 500, title: 'A configured secret cannot be read' },

  // The tools' refusals: outcomes, notes, merge requests.
  'agent-kind-empty': { status: 409, title: 'The Task runs no agent' },
  'approval-required': { status: 409, title: 'An approval by a maintainer is missing' },
  'branch-not-pushed': { status: 409, title: 'The task branch is not on the forge' },
  'ci-red': { status: 409, title: 'A required check is not green' },
  'citation-incomplete': { status: 400, title: 'The citation lacks a field' },
  'fork-not-writable': { status: 409, title: 'The fork does not allow edits by maintainers' },
  'head-moved': { status: 409, title: 'The head is no longer the one that was judged' },
  'kind-mismatch': { status: 409, title: "The outcome's kind is not the agent kind of the Task" },
  'member-running': { status: 409, title: 'A member Task has a running pod' },
  'merge-order-required': { status: 400, title: 'Merge requests of several repositories need a merge order' },
  'mr-merged': { status: 409, title: 'The Task already owns a merged merge request for this repository' },
  'no-open-merge-request': { status: 409, title: 'There is no open merge request' },
  'outcome-recorded': { status: 409, title: 'Another outcome is already recorded for this pod' },
  'over-auto-approve-ceiling': { status: 409, title: 'The significance is above the ceiling for automatic approval' },
  'plan-changed': { status: 409, title: 'The plan changed since it was approved' },
  'pod-superseded': { status: 409, title: 'A later pod has taken over' },
  'proposal-cap': { status: 409, title: 'The backlog has no room for more proposals' },
  'sha-incomplete': { status: 409, title: 'An open merge request is missing in the reviewed shas' },
  'significance-lowered': { status: 400, title: 'A review may not lower the significance' },
  'takeover-refused': { status: 409, title: 'The takeover is not allowed' },
  'task-terminal': { status: 409, title: 'The Task has ended' },
  'tool-denied': { status: 403, title: "The pod's profile denies this tool" },
  'workspace-dirty': { status: 409, title: 'The workspace contains uncommitted changes' },

  // The wrapper.
  'no-terminal': { status: 503, title: 'No live terminal' },
  'no-turn-in-flight': { status: 409, title: 'No turn is in flight' },
  'ttl-passed': { status: 410, title: 'The pod accepts only its hand-off turn now' },
  'turn-in-flight': { status: 409, title: 'A turn is in flight' },

  // The memory service.
  'no-path': { status: 404, title: 'There is no path between the two' },
} as const satisfies Readonly<Record<string, ProblemKind>>

export type ProblemCode = keyof typeof problemCodes
