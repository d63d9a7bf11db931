import { createHmac } from 'node:crypto'
import { ZERO_SHA } from '../git/refs.ts'
import type { PushedCommit } from '../git/commits.ts'
import type { ForgeEvent, Pushed } from '../store/events.ts'
import type { Hook, Repository } from '../store/records.ts'
import { fullName } from '../store/records.ts'
import type { Attempt, Message } from '../webhooks/sender.ts'
import type { Links } from './links.ts'
import { checkRunPayload, checkSuitePayload, statusPayload } from './payloads/checks.ts'
import { labelPayload, repositoryPayload, userPayload, type Json } from './payloads/common.ts'
import { hookPayload } from './payloads/hooks.ts'
import { commentPayload, issuePayload } from './payloads/issues.ts'
import { fullPullPayload, pullPayload, reviewCommentPayload, reviewPayload } from './payloads/pulls.ts'

/** An event of the store in GitHub's words: its name, its action and its payload, taken at once while the records show it. */
export function formatEvent(links: Links, event: ForgeEvent): Message {
  const { repository } = event
  const common = { repository: repositoryPayload(links, repository), sender: userPayload(links, event.actor) }
  const message = (name: string, action: string | undefined, payload: Json): Message => {
    const whole = { ...(action === undefined ? {} : { action }), ...payload, ...common }
    return { event: name, action, payload: JSON.parse(JSON.stringify(whole)) as unknown }
  }
  switch (event.type) {
    case 'issue.changed':
      return message('issues', event.action, {
        issue: issuePayload(links, repository, event.issue),
        ...labelOf(links, event),
        ...changesOf(event),
      })
    case 'pull.changed':
      return message('pull_request', event.action, {
        number: event.pull.number,
        pull_request: fullPullPayload(links, repository, event.pull, { mergeable: null, state: 'unknown' }),
        ...labelOf(links, event),
        ...changesOf(event),
        ...(event.action === 'synchronize' ? { before: event.before, after: event.after } : {}),
      })
    case 'comment.changed':
      return message('issue_comment', event.action, {
        issue: issuePayload(links, repository, event.issue),
        comment: commentPayload(links, repository, event.issue, event.comment),
        ...changesOf(event),
      })
    case 'review.submitted':
    case 'review.dismissed': {
      const review = reviewPayload(links, repository, event.pull, event.review)
      return message('pull_request_review', event.type === 'review.submitted' ? 'submitted' : 'dismissed', {
        review: { ...review, state: event.review.state.toLowerCase(), body: event.review.body || null },
        pull_request: pullPayload(links, repository, event.pull),
      })
    }
    case 'review-comment.changed':
      return message('pull_request_review_comment', event.action, {
        comment: reviewCommentPayload(links, repository, event.pull, event.comment),
        pull_request: pullPayload(links, repository, event.pull),
        ...changesOf(event),
      })
    case 'branch.pushed':
      return message('push', undefined, pushPayload(links, event))
    case 'check-run.changed': {
      const run = checkRunPayload(links, repository, event.run)
      return message('check_run', event.action, {
        check_run: { ...run, check_suite: checkSuitePayload(links, repository, event.run.suite) },
      })
    }
    case 'check-suite.completed':
      return message('check_suite', 'completed', { check_suite: checkSuitePayload(links, repository, event.suite) })
    case 'status.posted': {
      const { status } = event
      const branches = event.branches.map((name) => ({
        name,
        commit: { sha: status.sha, url: `${links.repository(repository)}/commits/${status.sha}` },
        protected: repository.protection.has(name),
      }))
      return message('status', undefined, {
        ...statusPayload(links, repository, status),
        sha: status.sha,
        name: fullName(repository),
        branches,
      })
    }
    case 'hook.created':
      return message('ping', undefined, {
        zen: 'Keep it logically awesome.',
        hook_id: event.hook.id,
        hook: hookPayload(links, repository, event.hook),
      })
  }
}

function labelOf(links: Links, event: Extract<ForgeEvent, { type: 'issue.changed' | 'pull.changed' }>): Json {
  return event.label ? { label: labelPayload(links, event.repository, event.label) } : {}
}

function changesOf(event: { readonly changes?: unknown }): Json {
  return event.changes ? { changes: event.changes } : {}
}

function pushPayload(links: Links, event: Pushed): Json {
  const { repository, actor, commits } = event
  const pusher = { name: actor.login, email: actor.email }
  return {
    ref: event.ref,
    before: event.before,
    after: event.after,
    base_ref: null,
    created: event.before === ZERO_SHA,
    deleted: event.after === ZERO_SHA,
    forced: event.forced,
    compare: `${links.webRepository(repository)}/compare/${event.before.slice(0, 12)}...${event.after.slice(0, 12)}`,
    pusher,
    commits: commits.map((commit) => pushedCommit(links, repository, commit)),
    head_commit: commits.length > 0 ? pushedCommit(links, repository, commits.at(-1)) : null,
  }
}

function pushedCommit(links: Links, repository: Repository, commit: PushedCommit | undefined): Json | null {
  if (!commit) return null
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${links.webRepository(repository)}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
    added: commit.added,
    removed: commit.removed,
    modified: commit.modified,
  }
}

export function subscribes(hook: Hook, event: string): boolean {
  return hook.active && (hook.events.includes('*') || hook.events.includes(event))
}

/** Headers and body of one delivery. The signature covers the bytes that are sent, so the form encoding comes first. */
export function signDelivery(
  repositoryId: (hook: Hook) => number,
  hook: Hook,
  guid: string,
  message: Message,
): Attempt {
  const json = JSON.stringify(message.payload)
  const body = hook.contentType === 'form' ? `payload=${encodeURIComponent(json)}` : json
  return {
    body,
    headers: {
      accept: '*/*',
      'content-type': hook.contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': `GitHub-Hookshot/${guid.slice(0, 7)}`,
      'x-github-delivery': guid,
      'x-github-event': message.event,
      'x-github-hook-id': String(hook.id),
      'x-github-hook-installation-target-id': String(repositoryId(hook)),
      'x-github-hook-installation-target-type': 'repository',
      ...(hook.secret
        ? {
            'x-hub-signature-256': `sha256=${hmac('sha256', hook.secret, body)}`,
            'x-hub-signature': `sha1=${hmac('sha1', hook.secret, body)}`,
          }
        : {}),
    },
  }
}

function hmac(algorithm: 'sha1' | 'sha256', secret: string, body: string): string {
  return createHmac(algorithm, secret).update(body).digest('hex')
}
