import type { AgentKind } from '../../../machines/task/events.ts'
import { outcomeSchemas } from '../../../edges/agents/outcome/schemas.ts'
import type { Tool } from '../tool.ts'

const descriptions: Partial<Record<AgentKind, string>> = {
  implement:
    'Your conclusion. approved: you hold a maintainer\'s go-ahead, cited verbatim; submitted: the code is committed and whole; discuss: you need a human; declined, rejected: it should not be done. End your turn after it. Example: {"action": "submitted", "title": "...", "body": "...", "change_significance": "patch"}.',
  review:
    'Your verdict on exactly the head you read. request_changes needs findings. The platform posts the review and merges. End your turn after it. Example: {"verdict": "approve", "reviewed_shas": [{"repo": "api", "number": 12, "sha": "<git rev-parse HEAD>"}]}.',
}

/** One name, one schema per profile (document 2). */
export function outcomeTool(kind: AgentKind): Tool {
  return {
    name: 'submit_outcome',
    title: 'Submit the outcome',
    description: descriptions[kind] ?? 'Your conclusion: what this Task comes to. End your turn after it.',
    input: outcomeSchemas[kind],
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    needs: 'operator',
    call: ({ task: _task, ...payload }, backend) =>
      backend.send('operator', 'POST', `tasks/${encodeURIComponent(backend.pod.task)}/outcome`, {
        kind: backend.pod.profile,
        payload,
      }),
  }
}
