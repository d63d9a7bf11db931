import { Type } from 'typebox'
import type { AgentKind } from '../../../../machines/task/events.ts'
import { outcomeSchemas } from '../../outcome/schemas.ts'
import { conditionalFaults } from '../../outcome/rules.ts'
import { answers, type Tool } from '../tool.ts'

const descriptions: Readonly<Record<AgentKind, string>> = {
  implement:
    'Your conclusion. approved: you have a maintainer\'s go-ahead and cite it verbatim; submitted: the code is committed and whole; discuss: you need a human; declined, rejected: it should not be done. End your turn after it. Example: {"action": "submitted", "title": "...", "body": "...", "change_significance": "patch"}.',
  brainstorm:
    'Your conclusion. propose: up to 5 issues worth doing, none that exists already; skip: nothing is worth doing, and why. End your turn after it. Example: {"action": "propose", "proposals": [{"repo": "api", "title": "...", "body": "...", "kind": "improvement"}]}.',
  incident:
    'Your conclusion. file_issue: what is broken and what you know about it; false_positive: nothing is broken. End your turn after it. Example: {"action": "false_positive", "alert_rules": ["HighLatency"], "reason": "..."}.',
  refine:
    'Your conclusion: folds name Tasks that are one, closes cite why an issue is over, links name threads that belong together. Each is optional. End your turn after it. Example: {"closes": [{"repo": "api", "number": 12, "reason": "..."}]}.',
  documentation:
    'Your conclusion. submitted: the pages are committed and whole; declined: nothing has to change; discuss: you need a human on your open merge request. End your turn after it. Example: {"action": "submitted", "title": "...", "body": "...", "change_significance": "patch"}.',
  upgrade:
    'Your conclusion. submitted: the upgrade is committed, its tests pass; declined: nothing is due or safe, a common and right answer; discuss: you need a human on your open merge request. End your turn after it. Example: {"action": "declined", "decline_reason": "..."}.',
  review:
    'Your verdict on exactly the head you read. request_changes needs findings. The platform posts the review and merges. End your turn after it. Example: {"verdict": "approve", "reviewed_shas": [{"repo": "api", "number": 12, "sha": "<git rev-parse HEAD>"}]}.',
}

/** One name, one schema per profile (TOOLS-7). */
export function outcomeTool(kind: AgentKind): Tool {
  return {
    name: 'submit_outcome',
    title: 'Submit the outcome',
    description: descriptions[kind],
    input: outcomeSchemas[kind],
    output: answers({ accepted: Type.Boolean(), outcomeId: Type.String() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    faults: (input) => conditionalFaults(kind, input).map(({ path, message }) => ({ path, message })),
    call: ({ task: _task, ...payload }, backend) =>
      backend.send('operator', 'POST', `tasks/${encodeURIComponent(backend.pod.task)}/outcome`, {
        kind: backend.pod.profile,
        payload,
      }),
  }
}
